"""The clock of this machine against the server's: ages are measured with it."""

from typing import Final

from flagtui.api.connection_state import ConnectionState
from flagtui.text.formats import count

TOLERANCE: Final = 60.0
"""Seconds that no age shows."""
SET: Final = "Set this machine's clock."


def clock_words(link: ConnectionState) -> str:
    """Return `25 hours behind the server's`; empty while they agree, or before a response."""
    if link.server_time is None or link.last_answer is None:
        return ""
    ahead = link.last_answer - link.server_time
    if abs(ahead) <= TOLERANCE:
        return ""
    size, noun = (3600, "hour") if abs(ahead) >= 2 * 3600 else (60, "minute")
    return f"{count(round(abs(ahead) / size), noun)} {'ahead of' if ahead > 0 else 'behind'} the server's"
