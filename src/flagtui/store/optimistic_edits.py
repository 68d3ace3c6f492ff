"""Optimistic edits: changes in flight, shown on the rows they change."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, Generic

import msgspec

from flagtui.models.rows import Row, StagedRow
from flagtui.store.kinds import KINDS
from flagtui.store.load_progress import RecordId

_ROW_NAMES: Final = {
    name: field.shown.attribute
    for kind in KINDS.values()
    for name, field in kind.fields.items()
    if field.shown is not None
}
"""Fields whose name in a row differs from the record's."""


def apply_edit(row: Row, changes: Mapping[str, object]) -> Row:
    """Return the row with a record's changes applied, as far as it shows those fields.

    Null becomes the row's default.
    """
    if not isinstance(row, msgspec.Struct):
        return row
    named = {_ROW_NAMES.get(name, name): value for name, value in changes.items()}
    shown: dict[str, object] = {}
    for name, default in _defaults(type(row)).items():
        if name in named:
            value = named[name]
            shown[name] = default if value is None else tuple(value) if isinstance(value, list) else value
    return msgspec.structs.replace(row, **shown)


@cache
def _defaults(row_type: type[msgspec.Struct]) -> Mapping[str, object]:
    """Return the default of each field of a row; reading the fields evaluates every annotation again."""
    return {field.name: field.default for field in msgspec.structs.fields(row_type)}


class StagedEdit(msgspec.Struct, frozen=True):
    """A staged change of a record, in the names of its row or of the record."""

    values: Mapping[str, object]
    base: Mapping[str, object]
    """The changed values that it is based on."""
    version: int | None = None
    """The version that it is based on; None for records without versions."""


class OptimisticEdits(dict[RecordId, list[Mapping[str, object]]], Generic[Row]):
    """The edits in flight by record, oldest first, and the rows they apply to."""

    def __init__(self) -> None:
        super().__init__()
        self._applied: dict[RecordId, tuple[Row, Row]] = {}
        """By record: the row as the server sent it, and with every edit applied."""

    def begin(self, record_id: RecordId, edit: Mapping[str, object]) -> None:
        """Apply one more edit to the record."""
        self.setdefault(record_id, []).append(edit)
        self._applied.pop(record_id, None)

    def end(self, record_id: RecordId, edit: Mapping[str, object]) -> None:
        left = [other for other in self[record_id] if other is not edit]
        if left:
            self[record_id] = left
        else:
            del self[record_id]
        self._applied.pop(record_id, None)

    def applied_to(self, record_id: RecordId, row: Row) -> Row:
        """Return the row with its record's edits; the same object until either changes."""
        if record_id not in self:
            return row
        original, shown = self._applied.get(record_id, (None, row))
        if original is not row:
            shown = row
            for edit in self[record_id]:
                shown = apply_edit(shown, edit)
            self._applied[record_id] = (row, shown)
        return shown


class StagedEdits(OptimisticEdits[Row]):
    """The staged changes by record, and the rows they apply to."""

    def __init__(self) -> None:
        super().__init__()
        self._edits: Mapping[RecordId, StagedEdit] = {}

    def replace(self, edits: Mapping[RecordId, StagedEdit]) -> bool:
        """Take these in place of earlier ones; return whether they differ."""
        if edits == self._edits:
            return False
        earlier, applied = self._edits, dict(self._applied)
        self._edits = edits
        self.clear()
        self._applied.clear()
        for record_id, edit in edits.items():
            self.begin(record_id, edit.values)
            if record_id in applied and edit == earlier.get(record_id):
                self._applied[record_id] = applied[record_id]
        return True

    def compare(self, row_of: Callable[[RecordId], object]) -> dict[RecordId, StagedRow]:
        """Return the base of each listed change; `row_of` returns a row of the server."""
        rows = {record_id: row_of(record_id) for record_id in self._edits}
        return {
            record_id: StagedRow(row, is_outdated(row, self._edits[record_id]))
            for record_id, row in rows.items()
            if row is not None
        }


def is_outdated(row: object, edit: StagedEdit) -> bool:
    """Return whether the record has changed since: by its version, else by the changed values."""
    version = getattr(row, "version", None)
    if version is not None and edit.version is not None:
        return bool(version != edit.version)
    return apply_edit(row, edit.base) != row
