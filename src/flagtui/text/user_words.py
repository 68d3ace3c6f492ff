"""Describe how many users got or lost a flag with a change."""

from flagtui.models.counted_users import UserChange
from flagtui.text.formats import count

NOT_COUNTED = "not counted"


def user_change_in_short(change: UserChange | None, width: int) -> str:
    """Format the change in at most `width` cells: `+1,237`, `≤-310`, `±0`, `?` where it is not known."""
    if change is None:
        return NOT_COUNTED if width >= len(NOT_COUNTED) else "?"
    words = _numbers(change)
    if not change.is_bound or words == "±0":
        return words
    return f"up to {words}" if width >= len(words) + 6 else f"≤{words}"


def user_change_words(change: UserChange) -> str:
    """Describe the change: `up to +1,237 of 8,246 users, as counted now`."""
    if not change.gained and not change.lost:
        return "no user got or lost it"
    bound = "up to " if change.is_bound else "about "
    whole = count(change.total, change.unit.removesuffix("s"))
    return f"{bound}{_numbers(change)} of {whole}, as counted now"


def _numbers(change: UserChange) -> str:
    gained, lost = (
        (f"+{change.gained:,}" if change.gained else ""),
        (f"-{change.lost:,}" if change.lost else ""),
    )
    groups = " groups" if change.unit == "groups" else ""
    return f"{' '.join(part for part in (gained, lost) if part)}{groups}" if gained or lost else "±0"
