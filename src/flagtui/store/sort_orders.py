"""In which order rows stand, kept up while rows change. What is not known comes last whichever way round."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, overload

from msgspec import Struct

from flagtui.models.editable_fields import EditableField
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


class Found(Sequence[int]):
    """Indices of rows in order. Neither list may be altered afterwards."""

    __slots__ = ("_order", "_places")

    def __init__(self, order: list[int], places: Sequence[int]) -> None:
        """`order` has the index of the row at each place; `places`, ascending, are those that were found."""
        self._order = order
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        order = self._order
        if isinstance(at, slice):
            return [order[place] for place in self._places[at]]
        return order[self._places[at]]

    def __iter__(self) -> Iterator[int]:
        return map(self._order.__getitem__, self._places)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Where the row with this index stands. Raises ValueError when it is not among them."""
        place = self._order.index(value)
        end = len(self) if stop is None else min(stop, len(self))
        at = bisect_left(self._places, place, start, end)
        if at == end or self._places[at] != place:
            raise ValueError(value)
        return at


Rank = tuple[float, str, int]
"""What rows are compared by: the value, then the label, then the index, so that no two are equal."""
_FEW: Final = 8
"""Up to one row in so many, finding the place of each is quicker than sorting all."""


class Ranking(Generic[Row]):
    """The order of rows known by index. What a row is compared by costs two words, not an object."""

    def __init__(self, orders: Mapping[str, Order[Row]], label: Callable[[Row], str], sort: Sort) -> None:
        self._orders = orders
        self._label = label
        self._held: dict[Any, tuple[float, str]] = {}
        self._values = array("d")
        self._labels: list[str] = []
        self.sort = sort
        self.is_steady = False
        """True keeps a row that changes where it stands until the rows are sorted again."""

    @property
    def holds_rows(self) -> bool:
        """Some rows stand where they do only because they stood there before they changed."""
        return bool(self._held)

    def let_go(self) -> None:
        """Every row goes where it belongs the next time all are arranged."""
        self._held.clear()

    def arranged(self, rows: Sequence[Row]) -> list[int]:
        """The indices of all rows in order, whatever was before."""
        self._labels, self._values = [], array("d")
        self._note(rows)
        return self._sorted(range(len(rows)))

    def rearranged(self, order: list[int], rows: Sequence[Row], changed: Iterable[int]) -> list[int]:
        """The order with these rows, and any beyond its end, put where they belong."""
        moved = [index for index in changed if self._has_moved(index, rows[index])]
        added = range(len(order), len(rows))
        self._note(rows[len(order) :])
        fresh = sorted([*moved, *added], key=self._rank)
        if len(fresh) * _FEW > len(rows):
            return self._sorted(range(len(rows)))
        if moved:
            leaving = set(moved)
            order = [index for index in order if index not in leaving]
        if not fresh:
            return order
        if self._is_turned:
            return self._merged(order[::-1], fresh)[::-1]
        return self._merged(order, fresh)

    @property
    def _order(self) -> Order[Row]:
        return self._orders[self.sort.name]

    @property
    def _is_turned(self) -> bool:
        """Labels cannot be negated as values can, so the whole order is turned round."""
        return self.sort.is_reversed and self._order.value is None

    def _rank(self, index: int) -> Rank:
        return self._values[index], self._labels[index], index

    def _note(self, rows: Iterable[Row]) -> None:
        for row in rows:
            value, label = self._held.get(_record(row)) or self._compared(row)
            self._values.append(value)
            self._labels.append(label)

    def _has_moved(self, index: int, row: Row) -> bool:
        """Takes in what the row is compared by now, unless it is to stay where it stands."""
        before = self._values[index], self._labels[index]
        if self.is_steady:
            self._held.setdefault(_record(row), before)
        now = self._held.get(_record(row)) or self._compared(row)
        self._values[index], self._labels[index] = now
        return now != before

    def _compared(self, row: Row) -> tuple[float, str]:
        order = self._order
        return order.rank(row, is_reversed=self.sort.is_reversed), (order.label or self._label)(row)

    def _sorted(self, indices: Iterable[int]) -> list[int]:
        # Labels first and then values: each sort keeps the order of the one before among equals.
        order = sorted(indices, key=self._labels.__getitem__)
        if self._is_turned:
            order.reverse()
        elif self._order.value is not None:
            order.sort(key=self._values.__getitem__)
        return order

    def _merged(self, order: list[int], fresh: list[int]) -> list[int]:
        merged: list[int] = []
        done = 0
        for index in fresh:
            place = bisect_left(order, self._rank(index), lo=done, key=self._rank)
            merged += order[done:place]
            merged.append(index)
            done = place
        merged += order[done:]
        return merged


def _record(row: object) -> Any:
    """The id by which a row is known from one load to the next."""
    return getattr(row, "id", None)
