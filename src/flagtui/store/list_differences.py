"""Differences between two copies of a list, such as yesterday's and today's."""

from collections.abc import Iterable
from typing import Any, Final, Generic

import msgspec

from flagtui.models.rows import DiskRow

_NOT_A_CHANGE: Final = frozenset({"called_at", "seen_at", "version", "updated_at", "can_edit"})
"""Fields that change automatically, or that only reflect another change."""


class Changed(msgspec.Struct, Generic[DiskRow], frozen=True):
    """One changed record."""

    before: DiskRow
    after: DiskRow
    fields: tuple[str, ...]


class Comparison(msgspec.Struct, Generic[DiskRow], frozen=True):
    """All differences, each in the order of its list."""

    added: tuple[DiskRow, ...]
    gone: tuple[DiskRow, ...]
    changed: tuple[Changed[DiskRow], ...]

    @property
    def is_empty(self) -> bool:
        """Return whether nothing changed that a user would call a change."""
        return not (self.added or self.gone or self.changed)


def compare(before: Iterable[DiskRow], after: Iterable[DiskRow]) -> Comparison[DiskRow]:
    """Compare record by record; includes records that changed only in fields that rows do not show.

    Archived and deleted records are loaded on request alone, so one that only one list has is no difference.
    """
    earlier = {_id(row): row for row in before}
    later = {_id(row): row for row in after}
    return Comparison(
        added=tuple(row for each, row in later.items() if each not in earlier and _is_listed(row)),
        gone=tuple(row for each, row in earlier.items() if each not in later and _is_listed(row)),
        changed=tuple(
            Changed(earlier[each], row, fields)
            for each, row in later.items()
            if each in earlier and (fields := _changed_fields(earlier[each], row)) is not None
        ),
    )


def _changed_fields(before: DiskRow, after: DiskRow) -> tuple[str, ...] | None:
    """Return the changed fields; empty when only the version changed, None when nothing did."""
    if before == after:
        return None
    names = [name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)]
    fields = tuple(name for name in names if name not in _NOT_A_CHANGE)
    return fields if fields or "version" in names or "updated_at" in names else None


def _is_listed(row: msgspec.Struct) -> bool:
    """Return whether the server's own list has the record."""
    return not (getattr(row, "archived", False) or getattr(row, "deleted", False))


def _id(row: msgspec.Struct) -> Any:
    return getattr(row, "id")  # noqa: B009  # every row has one; the base class does not declare it
