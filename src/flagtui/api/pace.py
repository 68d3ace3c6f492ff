"""How often to look for changes: often while somebody is there, rarely while nobody is."""

from typing import Final

ATTENTION: Final = 120.0
"""Seconds after the last key in which somebody counts as present."""
LONGEST: Final = 600.0
"""Seconds between looks of an app nobody touches: 144 a day."""


def next_look(since_last_key: float, interval: float) -> float:
    """Seconds until the next look. `interval` is what the person chose for when they are there."""
    if since_last_key <= ATTENTION:
        return interval
    return min(max(interval, since_last_key / 4), max(interval, LONGEST))
