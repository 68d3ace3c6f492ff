"""Optimistic edits: changes on their way to the server, shown on the rows they change."""

from collections.abc import Mapping
from typing import Final, Generic, TypeVar

import msgspec

from flagtui.store.kinds import KINDS
from flagtui.store.load_progress import RecordId

Row = TypeVar("Row")

_ROW_NAMES: Final = {
    name: field.shown.attribute
    for kind in KINDS.values()
    for name, field in kind.fields.items()
    if field.shown is not None
}
"""Fields a row calls differently than the record does."""


def apply_edit(row: Row, changes: Mapping[str, object]) -> Row:
    """The row with a record's changes on it, as far as it shows those fields.

    Null is what a row has of itself.
    """
    if not isinstance(row, msgspec.Struct):
        return row
    named = {_ROW_NAMES.get(name, name): value for name, value in changes.items()}
    shown: dict[str, object] = {}
    for one in msgspec.structs.fields(row):
        if one.name in named:
            value = named[one.name]
            shown[one.name] = (
                one.default if value is None else tuple(value) if isinstance(value, list) else value
            )
    return msgspec.structs.replace(row, **shown)


class OptimisticEdits(dict[RecordId, list[Mapping[str, object]]], Generic[Row]):
    """The edits in flight by record, oldest first, and the rows they apply to."""

    def __init__(self) -> None:
        super().__init__()
        self._applied: dict[RecordId, tuple[Row, Row]] = {}
        """By record: the row as the server said it, and with every edit on it."""

    def begin(self, record_id: RecordId, edit: Mapping[str, object]) -> None:
        """Applies one more edit to the record."""
        self.setdefault(record_id, []).append(edit)
        self._applied.pop(record_id, None)

    def end(self, record_id: RecordId, edit: Mapping[str, object]) -> None:
        """Take this very edit away again."""
        left = [other for other in self[record_id] if other is not edit]
        if left:
            self[record_id] = left
        else:
            del self[record_id]
        self._applied.pop(record_id, None)

    def applied_to(self, record_id: RecordId, row: Row) -> Row:
        """The row with its record's edits on it; the same object until either changes."""
        if record_id not in self:
            return row
        said, shown = self._applied.get(record_id, (None, row))
        if said is not row:
            shown = row
            for edit in self[record_id]:
                shown = apply_edit(shown, edit)
            self._applied[record_id] = (row, shown)
        return shown
