"""Tests of whole columns: columns with few distinct values are tested by value, others row by row."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

from msgspec import Struct

from flagtui.models.rows import Row
from flagtui.store.query.language import Term
from flagtui.store.query.value_tests import INVERTED, ValueTest, fold
from flagtui.store.query.vocabulary import Facts, Reading, Test

FEW: Final = 4_096
"""Most distinct values that are tested by value; with more it does not pay."""
LOOK: Final = 2_000
"""Values sampled first: when half of them differ, so will the rest."""
NOTHING: Final[Mapping[Any, Sequence[str]]] = MappingProxyType({})
FactT = TypeVar("FactT")


class Columns(Generic[Row]):
    """The columns of these rows, each computed on first use."""

    def __init__(
        self, rows: Sequence[Row], folded: Mapping[Callable[[Row], Hashable], Sequence[str]] = NOTHING
    ) -> None:
        self._rows = rows
        self._folded = folded
        """Texts of the rows that were folded before, by their getter."""
        self._columns: dict[Callable[[Row], Hashable], FactColumn | None] = {}

    def passing(self, term: Term[Row], facts: Facts, at: Sequence[int] | None = None) -> bytes:
        """Return a byte for each row, or for those at these indices: 1 where the qualifier matches.

        A qualifier that lacks a fact matches everywhere.
        """
        reading = term.reading
        test = reading.test(facts) if reading else None
        if reading is None or test is None:
            return b"\1" * len(self._rows if at is None else at)
        passed = self._test(reading, test, at)
        return passed.translate(INVERTED) if term.is_negated else passed

    def _test(self, reading: Reading[Row], test: Test[Any], at: Sequence[int] | None) -> bytes:
        of = reading.of
        if of is None:
            return bytes(map(test, _some(self._rows, at)))
        if reading.is_folded:
            folded = self._folded.get(of)
            texts = _some(folded, at) if folded else [fold(str(of(row))) for row in _some(self._rows, at)]
            return _each(test, texts)
        if at is not None or isinstance(test, ValueTest):
            return _each(test, list(map(of, _some(self._rows, at))))
        if of not in self._columns:
            self._columns[of] = column_of(of, self._rows)
        column = self._columns[of]
        return bytes(map(test, map(of, self._rows))) if column is None else column.passing(test)


def _some(items: Sequence[FactT], at: Sequence[int] | None) -> Sequence[FactT]:
    return items if at is None else [items[index] for index in at]


def _each(test: Test[Any], values: Sequence[Any]) -> bytes:
    return test.each(values) if isinstance(test, ValueTest) else bytes(map(test, values))


class FactColumn(Struct, frozen=True):
    """The value of each row, and the distinct values."""

    every: Sequence[Hashable]
    different: Collection[Hashable]

    def passing(self, test: Test[Any]) -> bytes:
        """Return a byte for each row: 1 where the test holds for its value."""
        passes = {value: test(value) for value in self.different}
        return bytes(map(passes.__getitem__, self.every))


def column_of(of: Callable[[Row], Hashable], rows: Sequence[Row]) -> FactColumn | None:
    """Return the column of these rows; None when too many values are distinct."""
    first = rows[:LOOK]
    if len(first) == LOOK and len(set(map(of, first))) > LOOK // 2:
        return None
    every = list(map(of, rows))
    different = dict.fromkeys(every)
    return FactColumn(every, different) if len(different) <= FEW else None
