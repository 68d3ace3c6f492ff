"""In which order rows stand. What is not known comes last whichever way round."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic

from msgspec import Struct

from flagtui.models.editable_fields import EditableField
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow
from flagtui.store.query.folded_text import fold
from flagtui.store.query.vocabulary import Row, Vocabulary


class Sort(Struct, frozen=True):
    """An order by name, as the header shows and the settings keep it."""

    name: str
    is_reversed: bool = False

    def press(self, name: str) -> "Sort":
        """What the sort key does: choosing the same order again turns it round."""
        return Sort(name, not self.is_reversed) if name == self.name else Sort(name)


class Order(Struct, Generic[Row], frozen=True):
    """One way to order rows."""

    value: Callable[[Row], float | None] | None = None
    """None orders by key alone."""
    is_descending: bool = False
    """True when the natural way round has the greatest value first."""
    label: Callable[[Row], str] | None = None
    """Compared instead of what the list breaks ties with."""

    def rank(self, row: Row, *, is_reversed: bool) -> float:
        """What to sort by: the smallest comes first, what is not known last."""
        value = self.value(row) if self.value else 0.0
        if value is None:
            return math.inf
        return -value if self.is_descending is not (is_reversed and self.value is not None) else value


class Listing(Struct, Generic[Row], frozen=True):
    """How one kind of record is searched and ordered."""

    vocabulary: Vocabulary[Row]
    orders: Mapping[str, Order[Row]]
    label: Callable[[Row], str]
    """What breaks ties."""


def field_order(field: EditableField) -> Order[Any]:
    """By the options of a field, as they are declared; what is none of them is not known."""
    places = {option.value: float(place) for place, option in enumerate(field.takes.options)}
    return Order(lambda row: places.get(field.value_of(row)))


def _state(row: FlagRow) -> float:
    if row.deleted:
        return 4
    if row.archived:
        return 3
    if not row.active:
        return 2
    return 1 if row.is_stale else 0


_TYPES: Final = {"experiment": 0, "multivariant": 1, "boolean": 2, "config": 3, "rules": 4}

FLAG_ORDERS: Final[Mapping[str, Order[FlagRow]]] = {
    "updated": Order(lambda row: row.updated_at, is_descending=True),
    "key": Order(),
    "created": Order(lambda row: row.created_at, is_descending=True),
    "called": Order(lambda row: row.called_at, is_descending=True),
    "rollout": Order(lambda row: row.rollout, is_descending=True),
    "state": Order(_state),
    "type": Order(lambda row: _TYPES.get(row.type)),
    "runtime": field_order(FLAG_FIELDS.shown("runtime")),
    "version": Order(lambda row: row.version, is_descending=True),
}


def flag_label(row: FlagRow) -> str:
    """What breaks a tie between flags."""
    return fold(row.key)
