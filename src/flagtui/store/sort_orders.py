"""Sort orders, maintained while rows change. Unknown values come last in both directions."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import le
from typing import Any, Final, Generic, overload

from msgspec import Struct
from msgspec.structs import replace

from flagtui.models.editable_fields import EditableField
from flagtui.models.rows import Row
from flagtui.store.query.vocabulary import NOT_READ, Outside, Vocabulary


class Sort(Struct, frozen=True):
    """An order by name, as the header shows and the settings store it."""

    name: str
    is_reversed: bool = False

    def press(self, name: str) -> "Sort":
        """Return the order after the sort key: selecting the same order again reverses it."""
        return Sort(name, not self.is_reversed) if name == self.name else Sort(name)


class Order(Struct, Generic[Row], frozen=True):
    """One way to order rows."""

    value: Callable[[Row], float | None] | None = None
    """The value to compare; None orders by key alone."""
    is_descending: bool = False
    """Whether the default direction has the greatest value first."""
    label: Callable[[Row], str] | None = None
    """Compared instead of the list's own tie-breaker."""
    outside: Callable[[Row, Outside], float | None] | None = None
    """The value to compare where it depends on more than the row."""
    needs: str = ""
    """The field of `Outside` without which nothing is compared."""
    needed: Callable[[Sequence[Row]], frozenset[int]] | None = None
    """Returns the ids of rows that others depend on, if the value depends on them."""

    @property
    def has_value(self) -> bool:
        """Return whether a value is compared, not the key alone."""
        return self.value is not None or self.outside is not None

    def rank(self, row: Row, *, is_reversed: bool, outside: Outside = NOT_READ) -> float:
        """Return the value to sort by: the smallest comes first, an unknown one last."""
        value: float | None = 0.0
        if self.outside is not None:
            value = self.outside(row, outside)
        elif self.value is not None:
            value = self.value(row)
        if value is None:
            return math.inf
        return -value if self.is_descending is not (is_reversed and self.has_value) else value


class Listing(Struct, Generic[Row], frozen=True):
    """Search and order of one kind of record."""

    vocabulary: Vocabulary[Row]
    orders: Mapping[str, Order[Row]]
    label: Callable[[Row], str]
    """The tie-breaker."""


def field_order(field: EditableField) -> Order[Any]:
    """Return the order of a field's options, as declared; a value without an option is unknown."""
    places = {option.value: float(place) for place, option in enumerate(field.takes.options)}
    return Order(lambda row: places.get(field.value_of(row)))


class Matches(Sequence[int]):
    """Indices of rows in order. Neither list may be altered afterwards."""

    __slots__ = ("_order", "_places")

    def __init__(self, order: list[int], places: Sequence[int]) -> None:
        """Take the index of the row at each place, and the places of the matches, ascending."""
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
        """Return the place of the row with this index. Raises ValueError when it is no match."""
        place = self._order.index(value)
        end = len(self) if stop is None else min(stop, len(self))
        at = bisect_left(self._places, place, start, end)
        if at == end or self._places[at] != place:
            raise ValueError(value)
        return at


Rank = tuple[float, str, int]
"""The sort key of a row: value, then label, then index, so that no two are equal."""
_FEW: Final = 8
"""Up to one row in this many, finding the place of each is faster than sorting all."""


class Ranking(Generic[Row]):
    """The order of rows by index. A row's sort key costs two words, not an object."""

    def __init__(self, orders: Mapping[str, Order[Row]], label: Callable[[Row], str], sort: Sort) -> None:
        self._orders = orders
        self._label = label
        self._held: dict[Any, tuple[float, str]] = {}
        self._values = array("d")
        self._labels: list[str] = []
        self.sort = sort
        self.outside = NOT_READ
        self._facts = NOT_READ
        """`outside` with the rows that others depend on, as far as rows are arranged by them."""
        self._newest = NOT_READ
        """The same as it is now."""
        self.is_steady = False
        """Whether rows keep their places, whatever changes, until they are sorted again."""

    def take(self, sort: Sort) -> bool:
        """Take an order for the next arrangement, in which every row moves; False where none would."""
        is_other = sort != self.sort or bool(self._held) or self._is_outdated
        if is_other:
            self._facts = NOT_READ
        self.sort = sort
        self._held.clear()
        return is_other

    def take_outside(self, outside: Outside) -> bool:
        """Take other facts; return whether rows move: what is read again moves no steady ones."""
        before, self.outside = self.outside, outside
        self._newest = replace(outside, needed=self._newest.needed)
        is_first = (before.code is None, before.due is None) != (outside.code is None, outside.due is None)
        if is_first:
            self._facts = NOT_READ
        return self.reads_outside and (is_first or not self.is_steady)

    def is_sorted(self, order: Sequence[int], rows: Sequence[Row]) -> bool:
        """Return whether the rows in this order are sorted by their present values."""
        if not self._is_outdated and not self._held:
            return True
        facts, is_any = self._newest, self._is_outdated
        present = {
            index: self._sort_key(row, facts)
            for index, row in enumerate(rows)
            if is_any or _record(row) in self._held
        }
        keys = [present.get(index) or (self._values[index], self._labels[index]) for index in order]
        if self._is_turned:
            keys.reverse()
        return all(map(le, keys, islice(keys, 1, None)))

    def arrange(self, rows: Sequence[Row]) -> list[int]:
        """Return the indices of all rows in order; of steady ones, by what they were arranged by before."""
        self._labels, self._values = [], array("d")
        self._newest = replace(self.outside, needed=self._find_needed(rows))
        if not self.is_steady or self._facts is NOT_READ:
            self._facts = self._newest
        self._note(rows)
        return self._sort(range(len(rows)))

    def rearrange(self, order: list[int], rows: Sequence[Row], changed: Iterable[int]) -> list[int]:
        """Return the order with these rows, and any beyond its end, moved to their places."""
        self._newest = replace(self.outside, needed=self._find_needed(rows))
        if self._is_outdated and not self.is_steady:
            return self.arrange(rows)
        moved = [index for index in changed if self._has_moved(index, rows[index])]
        added = range(len(order), len(rows))
        self._note(rows[len(order) :])
        fresh = sorted([*moved, *added], key=self._rank)
        if len(fresh) * _FEW > len(rows):
            return self._sort(range(len(rows)))
        if moved:
            leaving = set(moved)
            order = [index for index in order if index not in leaving]
        if not fresh:
            return order
        if self._is_turned:
            return self._merge(order[::-1], fresh)[::-1]
        return self._merge(order, fresh)

    @property
    def is_descending(self) -> bool:
        """Return whether the order has the greatest value or the last word first."""
        return self._order.is_descending is not self.sort.is_reversed

    @property
    def reads_outside(self) -> bool:
        """Return whether the order depends on more than the rows."""
        return self._order.outside is not None

    @property
    def _is_outdated(self) -> bool:
        """Return whether rows are arranged by facts that have changed since."""
        return self.reads_outside and self._facts != self._newest

    @property
    def _order(self) -> Order[Row]:
        return self._orders[self.sort.name]

    @property
    def _is_turned(self) -> bool:
        """Return whether the whole order is reversed: labels cannot be negated as values can."""
        return self.sort.is_reversed and not self._order.has_value

    def _rank(self, index: int) -> Rank:
        return self._values[index], self._labels[index], index

    def _note(self, rows: Iterable[Row]) -> None:
        for row in rows:
            value, label = self._held.get(_record(row)) or self._sort_key(row, self._facts)
            self._values.append(value)
            self._labels.append(label)

    def _has_moved(self, index: int, row: Row) -> bool:
        """Update the sort key of the row, unless it keeps its place; return whether it changed."""
        before = self._values[index], self._labels[index]
        if self.is_steady:
            self._held.setdefault(_record(row), before)
        now = self._held.get(_record(row)) or self._sort_key(row, self._facts)
        self._values[index], self._labels[index] = now
        return now != before

    def _sort_key(self, row: Row, facts: Outside) -> tuple[float, str]:
        order = self._order
        rank = order.rank(row, is_reversed=self.sort.is_reversed, outside=facts)
        return rank, (order.label or self._label)(row)

    def _find_needed(self, rows: Sequence[Row]) -> frozenset[int]:
        needed = self._order.needed
        return frozenset() if needed is None else needed(rows)

    def _sort(self, indices: Iterable[int]) -> list[int]:
        # Labels first and then values: each sort is stable.
        order = sorted(indices, key=self._labels.__getitem__)
        if self._is_turned:
            order.reverse()
        elif self._order.has_value:
            order.sort(key=self._values.__getitem__)
        return order

    def _merge(self, order: list[int], fresh: list[int]) -> list[int]:
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
    """Return the id that identifies a row across loads."""
    return getattr(row, "id", None)
