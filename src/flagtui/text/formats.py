"""Format numbers, times and shares in few characters. Times are Unix seconds."""

import math
from typing import Final

from flagtui import local_time
from flagtui.text.styled import Piece

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MONTH: Final = 30 * DAY
YEAR: Final = 365 * DAY
SKEW: Final = 5 * MINUTE
"""Seconds by which clocks may differ: a time that far ahead is shown as now, a later one as future."""
JUST_NOW: Final = "just now"
NOT_KNOWN: Final = "not known"
"""For a time that is not known. Callers that know that something never happened write "never" themselves."""


def age(then: float | None, now: float) -> str:
    """Format an age in four cells: `now`, `2m`, `12d`, `4mo`, `2y`, `+3d` ahead; empty if not known."""
    if then is None:
        return ""
    seconds = int(now - then)
    if seconds < -SKEW:
        return _time_ahead(-seconds)
    if seconds < MINUTE:
        return "now"
    for size, unit, limit in ((MINUTE, "m", HOUR), (HOUR, "h", DAY), (DAY, "d", 60 * DAY)):
        if seconds < limit:
            return f"{seconds // size}{unit}"
    if seconds < 2 * YEAR:
        return f"{seconds // MONTH}mo"
    return f"{seconds // YEAR}y"


def _time_ahead(seconds: int) -> str:
    for size, unit, limit in (
        (MINUTE, "m", HOUR),
        (HOUR, "h", DAY),
        (DAY, "d", 60 * DAY),
        (MONTH, "mo", 10 * MONTH),
    ):
        if seconds < limit:
            return f"+{seconds // size}{unit}"
    return f"+{max(1, seconds // YEAR)}y"


def ago(then: float | None, now: float) -> str:
    """Format an age for a sentence: `just now`, `2 min ago`, `3 days ago`, `in 3 days`."""
    if then is None:
        return NOT_KNOWN
    seconds = int(now - then)
    if seconds < -SKEW:
        return f"in {_span(-seconds)}"
    return JUST_NOW if seconds < MINUTE else f"{_span(seconds)} ago"


def _span(seconds: int) -> str:
    if seconds < HOUR:
        return f"{seconds // MINUTE} min"
    if seconds < DAY:
        return f"{seconds // HOUR} h"
    if seconds < 60 * DAY:
        return count(seconds // DAY, "day")
    if seconds < 2 * YEAR:
        return count(seconds // MONTH, "month")
    return count(seconds // YEAR, "year")


def moment(then: float | None) -> str:
    """Format a time to the minute: `2026-03-01 12:04 CET`."""
    return NOT_KNOWN if then is None else local_time.minute(then)


def percent(share: float) -> str:
    """Format a share in percent: `50 %`, `0.5 %`; never rounded to 0 % or 100 %."""
    if share == int(share):
        return f"{int(share)} %"
    if 0 < share < 0.01:
        return "<0.01 %"
    if 99.99 < share < 100:
        return ">99.99 %"
    return f"{share:.2f}".rstrip("0").rstrip(".") + " %"


def filled_cells(share: float, width: int) -> int:
    """Return how many of a bar's `width` cells are filled; none only if `share` is 0, all only if it is 1."""
    if 0 < share < 1:
        return min(max(round(width * share), 1), width - 1)
    return width if share >= 1 else 0


def count(number: int, noun: str) -> str:
    """Format a number with its noun: `1 flag`, `1,248 flags`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def countdown(seconds: float) -> str:
    """Format a wait, rounded up: `8 s`, from 20 seconds on in tens, from two minutes on `3 min`."""
    if seconds > 2 * MINUTE:
        return f"{math.ceil(seconds / MINUTE):,} min"
    step = 10 if seconds > 20 else 1
    return f"{math.ceil(seconds / step) * step} s"


def share_of(text: str) -> float | None:
    """Return the typed number if it is a share in percent, else None."""
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0 <= share <= 100 else None


def share_bar(share: float, width: int, style: str) -> tuple[Piece, Piece]:
    """Draw `━━━━───`, readable without colours. `share` is from 0 to 1, `width` in cells."""
    filled = filled_cells(share, width)
    return ("━" * filled, style), ("─" * (width - filled), "$track")
