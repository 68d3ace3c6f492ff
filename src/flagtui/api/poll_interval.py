"""How often to ask for changes: often while the person is there, rarely otherwise, soon after a failure."""

from typing import Final

ATTENTION: Final = 120.0
"""Seconds after the last key in which the person counts as present."""
LONGEST: Final = 600.0
"""Seconds between polls of an app nobody touches: 144 a day."""
FIRST_RETRY: Final = 2.0
LONGEST_RETRY: Final = 30.0
"""Seconds between retries; with the circuit breaker's rest a server that is back is found within a minute."""


def next_poll(since_last_key: float, interval: float) -> float:
    """Seconds until the next poll. `interval` is what the person chose for when they are there."""
    if since_last_key <= ATTENTION:
        return interval
    return min(max(interval, since_last_key / 4), max(interval, LONGEST))


def next_retry(failures: int) -> float:
    """Seconds until the next try after so many failures in a row, at least one: exponential backoff."""
    return min(FIRST_RETRY * 2.0 ** min(failures - 1, 10), LONGEST_RETRY)
