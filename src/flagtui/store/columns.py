"""Tests of whole columns: what has few different values is tested by value, the rest in one go."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Generic

from flagtui.store.query import Facts
from flagtui.store.query.folding import fold
from flagtui.store.query.language import Term
from flagtui.store.query.vocabulary import Row, Test

FEW: Final = 4_096
"""Different values that are tested by value; with more it does not pay."""
LOOK: Final = 2_000
"""Values looked at first: when half of them are different, so will be the rest."""
NOTHING: Final[Mapping[Any, Sequence[str]]] = MappingProxyType({})
_INVERTED: Final = bytes([1, *bytes(255)])
"""For `translate`: 0 becomes 1 and 1 becomes 0."""


class Columns(Generic[Row]):
    """The fields of these rows, each looked through when it is first asked about."""

    def __init__(
        self, rows: Sequence[Row], folded: Mapping[Callable[[Row], Hashable], Sequence[str]] = NOTHING
    ) -> None:
        self._rows = rows
        self._folded = folded
        """Texts of the rows that were folded before, by what gives them."""
        self._columns: dict[Callable[[Row], Hashable], Column | None] = {}

    def passing(self, term: Term[Row], facts: Facts) -> bytes:
        """A byte for each row: 1 where the qualifier holds. One that lacks a fact holds everywhere."""
        reading = term.reading
        test = reading.test(facts) if reading else None
        if reading is None or test is None:
            return b"\1" * len(self._rows)
        found = self._tested(reading.of, test, is_folded=reading.is_folded)
        return found.translate(_INVERTED) if term.is_negated else found

    def _tested(self, of: Callable[[Row], Any] | None, test: Test[Any], *, is_folded: bool) -> bytes:
        if of is None:
            return bytes(map(test, self._rows))
        if is_folded:
            return bytes(map(test, self._folded.get(of) or map(fold, map(of, self._rows))))
        if of not in self._columns:
            self._columns[of] = column_of(of, self._rows)
        column = self._columns[of]
        return bytes(map(test, map(of, self._rows))) if column is None else column.passing(test)


@dataclass(frozen=True, slots=True)
class Column:
    """What each row has there, and which different values there are."""

    every: Sequence[Hashable]
    different: Collection[Hashable]

    def passing(self, test: Test[Any]) -> bytes:
        """A byte for each row: 1 where the test holds for its value."""
        verdicts = {value: test(value) for value in self.different}
        return bytes(map(verdicts.__getitem__, self.every))


def column_of(of: Callable[[Row], Hashable], rows: Sequence[Row]) -> Column | None:
    """What the rows have there; None when too many values are different."""
    first = rows[:LOOK]
    if len(first) == LOOK and len(set(map(of, first))) > LOOK // 2:
        return None
    every = list(map(of, rows))
    different = dict.fromkeys(every)
    return Column(every, different) if len(different) <= FEW else None
