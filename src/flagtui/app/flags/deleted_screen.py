"""Flags that were deleted lately, as lines to choose from."""

from collections.abc import Iterable, Sequence

from flagtui.app.dialogs.checklist import Checklist
from flagtui.app.dialogs.picker import Choice
from flagtui.models.rows import FlagRow
from flagtui.store.deletions import Deletion
from flagtui.text.formats import ago

NOTE = (
    "Restored flags are on or off as they were. "
    "A new flag with the same key destroys the deleted one for good."
)


def deleted_flags(found: Sequence[Deletion], rows: Iterable[FlagRow], now: float) -> Checklist[int]:
    """Newest first; a key that is in use again is said, since its deleted flag is probably gone for good."""
    taken = {row.key for row in rows}
    return Checklist("Recently deleted", [_choice(one, one.key in taken, now) for one in found], note=NOTE)


def _choice(one: Deletion, is_taken: bool, now: float) -> Choice[int]:
    by = f" by {one.who}" if one.who else ""
    again = " · the key is in use again" if is_taken else ""
    return Choice(one.id, one.key, f"{ago(one.at, now)}{by}{again}")
