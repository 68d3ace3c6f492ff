"""Format numbers, times and shares in few characters. Times are Unix seconds."""

import math

from flagtui import local_time
from flagtui.local_time import MINUTE, NOT_KNOWN
from flagtui.models.json_value import format_number
from flagtui.text.styled import Piece


def moment(then: float | None) -> str:
    """Format a time to the minute: `2026-03-01 12:04 CET`."""
    return NOT_KNOWN if then is None else local_time.minute(then)


def percent(share: float) -> str:
    """Format a stored share with all of its digits: `50 %`, `33.333 %`."""
    return f"{format_number(share)} %"


def measured_percent(share: float) -> str:
    """Format a measured share with two decimals, as its column has them; never rounded to 0 or 100."""
    if 0 < share < 0.01:
        return "<0.01 %"
    return ">99.99 %" if 99.99 < share < 100 else f"{share:.2f} %"


def signed_percent(ratio: float) -> str:
    """Format a relative difference in percent, without the unit, in at most eight cells: `+14.3`."""
    percent = ratio * 100
    digits = ".1f" if abs(percent) < 10_000 else ",.0f" if abs(percent) < 999_999 else ".2g"
    return f"{percent:+{digits}}".replace("-", "−")


def percent_in(share: float, cells: int) -> str:
    """Format a stored share for a column: with all of its digits if they fit, else with two decimals."""
    exact = percent(share)
    return exact if len(exact) <= cells else measured_percent(share)


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


def filled_cells(share: float, width: int) -> int:
    """Return how many of a bar's `width` cells are filled; none only if `share` is 0, all only if it is 1."""
    if 0 < share < 1:
        return min(max(round(width * share), 1), width - 1)
    return width if share >= 1 else 0


def share_bar(share: float, width: int, style: str) -> tuple[Piece, Piece]:
    """Draw `━━━━───`, readable without colours. `share` is from 0 to 1, `width` in cells."""
    filled = filled_cells(share, width)
    return ("━" * filled, style), ("─" * (width - filled), "$track")
