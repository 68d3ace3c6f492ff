"""Numbers and times in the few characters a terminal has. Times are Unix seconds."""

from typing import Final

from flagtui import local_time
from flagtui.text.styled import Piece

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MONTH: Final = 30 * DAY
YEAR: Final = 365 * DAY
JUST_NOW: Final = "just now"
NOT_KNOWN: Final = "not known"
"""Of a moment that is not known. That something never happened is for those to say who know it."""


def age(then: float | None, now: float) -> str:
    """`now`, `2m`, `5h`, `12d`, `4mo`, `2y`: at most four cells; empty when unknown."""
    if then is None:
        return ""
    seconds = max(0, int(now - then))
    if seconds < MINUTE:
        return "now"
    for size, unit, limit in ((MINUTE, "m", HOUR), (HOUR, "h", DAY), (DAY, "d", 60 * DAY)):
        if seconds < limit:
            return f"{seconds // size}{unit}"
    if seconds < 2 * YEAR:
        return f"{seconds // MONTH}mo"
    return f"{seconds // YEAR}y"


def ago(then: float | None, now: float) -> str:
    """`just now`, `2 min ago`, `3 days ago`: a sentence's version of an age."""
    if then is None:
        return NOT_KNOWN
    seconds = max(0, int(now - then))
    if seconds < MINUTE:
        return JUST_NOW
    if seconds < HOUR:
        return f"{seconds // MINUTE} min ago"
    if seconds < DAY:
        return f"{seconds // HOUR} h ago"
    if seconds < 60 * DAY:
        return _plural(seconds // DAY, "day")
    if seconds < 2 * YEAR:
        return _plural(seconds // MONTH, "month")
    return _plural(seconds // YEAR, "year")


def moment(then: float | None) -> str:
    """`2026-03-01 12:04 CET`, exact to the minute."""
    return NOT_KNOWN if then is None else local_time.minute(then)


def percent(share: float) -> str:
    """`50 %`, `0.5 %`: never rounded to a number that would be untrue at the ends."""
    if share == int(share):
        return f"{int(share)} %"
    if 0 < share < 0.01:
        return "<0.01 %"
    if 99.99 < share < 100:
        return ">99.99 %"
    return f"{share:.2f}".rstrip("0").rstrip(".") + " %"


def filled_cells(share: float, width: int) -> int:
    """How many of the cells of a bar are full, `share` from 0 to 1: none only at 0, all only at 1."""
    if 0 < share < 1:
        return min(max(round(width * share), 1), width - 1)
    return width if share >= 1 else 0


def share_bar(share: float, width: int, style: str) -> tuple[Piece, Piece]:
    """`━━━━───`, told apart where there are no colours too; `share` from 0 to 1, `width` in cells."""
    filled = filled_cells(share, width)
    return ("━" * filled, style), ("─" * (width - filled), "$track")


def count(number: int, noun: str) -> str:
    """`1 flag`, `1,248 flags`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _plural(number: int, noun: str) -> str:
    return f"{count(number, noun)} ago"


def share_of(text: str) -> float | None:
    """The number typed, when it is a share in percent."""
    try:
        share = float(text)
    except ValueError:
        return None
    return share if 0 <= share <= 100 else None
