"""What is different between two copies of a list, such as yesterday's and today's."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)

_NOT_A_CHANGE: Final = frozenset({"called_at", "seen_at", "version", "updated_at", "can_edit"})
"""Fields that move by themselves, or only say that something else did."""


@dataclass(frozen=True, slots=True)
class Changed(Generic[Row]):
    """One record that is not as it was."""

    before: Row
    after: Row
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Generic[Row]):
    """Everything that is different, each in the order of the list it is from."""

    added: tuple[Row, ...]
    gone: tuple[Row, ...]
    changed: tuple[Changed[Row], ...]

    @property
    def is_empty(self) -> bool:
        """True when nothing a person would call a change has happened."""
        return not (self.added or self.gone or self.changed)


def compare(before: Iterable[Row], after: Iterable[Row]) -> Comparison[Row]:
    """The difference, record by record; also of records that changed in a way rows do not show."""
    earlier = {_id(row): row for row in before}
    later = {_id(row): row for row in after}
    return Comparison(
        added=tuple(row for each, row in later.items() if each not in earlier),
        gone=tuple(row for each, row in earlier.items() if each not in later),
        changed=tuple(
            Changed(earlier[each], row, fields)
            for each, row in later.items()
            if each in earlier and (fields := _changed_fields(earlier[each], row)) is not None
        ),
    )


def _changed_fields(before: Row, after: Row) -> tuple[str, ...] | None:
    """Names of fields; empty when only the version says that something changed, None when nothing did."""
    if before == after:
        return None
    names = [name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)]
    fields = tuple(name for name in names if name not in _NOT_A_CHANGE)
    return fields if fields or "version" in names or "updated_at" in names else None


def _id(row: msgspec.Struct) -> Any:
    return getattr(row, "id")  # noqa: B009  # every row has one; the base class does not say so
