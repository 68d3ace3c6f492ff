"""Describe how many users got or lost a flag with a change."""

from flagtui.models.counted_users import UserChange
from flagtui.text.formats import count

NOT_COUNTED = "not counted"


def user_change_in_short(change: UserChange | None, width: int) -> str:
    """Format the change in at most `width` cells: `+1,237`, `≤-310`, `±0`, `?` where it is not known.

    Numbers too long for it are rounded to thousands: `≤+124k`; of two that are too long, the larger is left.
    """
    if change is None:
        return NOT_COUNTED if width >= len(NOT_COUNTED) else "?"
    words = _numbers(change)
    is_bound = change.is_bound and words != "±0"
    if is_bound and width >= len(words) + 6:
        return f"up to {words}"
    sign = "≤" * is_bound
    if len(sign) + len(words) <= width:
        return f"{sign}{words}"
    short = [f"{mark}{_thousands(number, is_bound)}" for mark, number in _sides(change)]
    words = sign + "".join(short)
    return words if len(words) <= width else f"{sign}{short[change.gained < change.lost]}…"


def user_change_words(change: UserChange) -> str:
    """Describe the change: `up to +1,237 of 8,246 users, as counted now`."""
    if not change.gained and not change.lost:
        return "no user got or lost it"
    bound = "up to " if change.is_bound else "about "
    whole = count(change.total, change.unit.removesuffix("s"))
    return f"{bound}{_numbers(change)} of {whole}, as counted now"


def _thousands(number: int, is_bound: bool) -> str:
    """Round to thousands; a bound only upwards."""
    if number < 1_000:
        return f"{number:,}"
    return f"{-(-number // 1_000) if is_bound else round(number / 1_000):,}k"


def _numbers(change: UserChange) -> str:
    words = " ".join(f"{mark}{number:,}" for mark, number in _sides(change))
    groups = " groups" if change.unit == "groups" else ""
    return f"{words}{groups}" if words else "±0"


def _sides(change: UserChange) -> list[tuple[str, int]]:
    return [(mark, number) for mark, number in (("+", change.gained), ("-", change.lost)) if number]
