"""Find rows while the user types a query: all work independent of the query is done beforehand."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress, repeat
from operator import contains, is_, itemgetter
from typing import Any, Final, Generic

from msgspec import Struct

from flagtui.models.rows import Row
from flagtui.store.fact_columns import Columns
from flagtui.store.flag_listing import FLAG_LISTING
from flagtui.store.query.language import Query, QueryProblem, Term, read_line, text_test
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Facts, Outside, QueryPerson
from flagtui.store.sort_orders import Listing, Matches, Ranking, Sort

_NEWEST_FIRST: Final = Sort("updated")
_REMEMBERED: Final = 24
"""Results cached, so that deleting letters is as fast as typing them."""
_MOST_PLACES: Final = 500_000
"""Places in all cached results together; each costs eight bytes."""
_MANY: Final = 8
"""From one row in this many, testing all rows in order is faster than testing the remaining ones."""
_AGES_HOLD: Final = 30.0
"""Seconds for which a result that depends on ages stays valid."""


class _Answer(Struct, Generic[Row], frozen=True):
    query: Query[Row]
    places: Sequence[int]
    """Places in the current order, ascending."""


class Finder(Generic[Row]):
    """Rows, searched and ordered. Results are indices into `rows`; no row is copied.

    A line that only narrows an earlier one searches only the result of that one.
    """

    def __init__(
        self,
        rows: Sequence[Row] = (),
        *,
        listing: Listing[Any] = FLAG_LISTING,
        sort: Sort = _NEWEST_FIRST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._listing: Listing[Row] = listing
        self._hides = bool(listing.vocabulary.hidden)
        self._clock = clock
        self.ranking: Ranking[Row] = Ranking(listing.orders, listing.label, sort)
        self._me: QueryPerson | None = None
        self._more_text: Callable[[Row], str] | None = None
        self._order: list[int] = []
        """Index of the row at each place."""
        self._in_order: Callable[[Sequence[Any]], Sequence[Any]] = tuple
        """Reorders values from index to place; faster than looking up the index of each place."""
        self._texts: list[str] = []
        """Folded text of the row at each place."""
        self._texts_by_index: list[str] = []
        self._hidden: list[tuple[str, ...]] = []
        """By index: words of which the query needs one before the row is shown; empty if it is not hidden."""
        self._answers: dict[tuple[Term[Row], ...], _Answer[Row]] = {}
        self._answered_at = 0.0
        self._was_sorted: bool | None = None
        """Whether this order was sorted when last checked; None before that."""
        self._columns: Columns[Row] = Columns(())
        self.rows: Sequence[Row] = ()
        self._empty: Query[Row] = read_line("", listing.vocabulary)
        self.query = self._empty
        self.show(rows)

    @property
    def is_sorted(self) -> bool:
        """Return whether the rows are where their present values put them; changed rows keep their places."""
        if self._was_sorted is None:
            self._was_sorted = self.ranking.is_sorted(self._order, self.rows)
        return self._was_sorted

    @property
    def total(self) -> int:
        """Return how many rows an empty line finds."""
        return len(self._answer(self._empty).places)

    def find(self, line: str) -> Sequence[int]:
        """Return the indices of the rows that match the line, in the current order.

        `query` holds the parsed line with its problems.
        """
        if line != self.query.line:
            self.query = read_line(line, self._listing.vocabulary)
        order, places = self._order, self._answer(self.query).places
        return order if len(places) == len(order) else Matches(order, places)

    def count(self, line: str) -> int | None:
        """Return how many rows a line finds; None where a piece of it is ignored. `query` is unchanged."""
        query = read_line(line, self._listing.vocabulary)
        return None if self._problems_of(query) else len(self._answer(query).places)

    def apart(self, indices: Sequence[int]) -> dict[str, int]:
        """Return how many of these rows an empty line hides, by reason: `{"archived": 14}`."""
        if not self.query.shows:
            return {}
        return dict(Counter(self._hidden[index][0] for index in indices if self._hidden[index]))

    def line_showing(self, row: Row) -> str:
        """Return the shortest query that shows the row: empty, unless the default hides it."""
        return " ".join(f"is:{word}" for word in self._hiding(row)) if self._hides else ""

    def show(self, rows: Sequence[Row]) -> None:
        """Replace the rows. Rows that are the same objects as before cost next to nothing."""
        before = self.rows
        if rows is before:
            return
        self.rows = rows
        if len(rows) < len(before) or not before:
            self._prepare_all()
            return
        is_as_before = all(map(is_, before, rows))
        if len(rows) > len(before) or not is_as_before:
            self._prepare_changed(before, is_longer_only=is_as_before)

    def sort_by(self, sort: Sort) -> None:
        """Change the order. Raises KeyError for an unknown one."""
        if sort.name not in self._listing.orders:
            raise KeyError(sort.name)
        if self.ranking.take(sort):
            self._arrange_all()

    def set_user(self, me: QueryPerson | None) -> bool:
        """Set the user for `by:me`; return whether it is another one."""
        if me is self._me:
            return False
        self._me = me
        self._answers.clear()
        return True

    def set_outside(self, outside: Outside) -> None:
        """Set the facts about records that are not in their rows."""
        if outside is not self.ranking.outside:
            self._answers.clear()
            self._was_sorted = None
            if self.ranking.take_outside(outside):
                self._arrange_all()

    @property
    def reads_outside(self) -> bool:
        """Return whether the line or the order depends on such facts."""
        return self.ranking.reads_outside or any(
            term.reading and term.reading.lack for term in self.query.terms
        )

    @property
    def problems(self) -> list[QueryProblem]:
        """Return the pieces of the line that are ignored, left to right."""
        return sorted(self._problems_of(self.query), key=lambda problem: problem.start)

    def _problems_of(self, query: Query[Row]) -> list[QueryProblem]:
        return [*query.problems, *query.lacks(Facts(self._clock(), self._me, self.ranking.outside))]

    def set_extra_text(self, more_text: Callable[[Row], str] | None) -> None:
        """Add searchable text that is not in the rows, such as the names of a flag's experiments."""
        self._more_text = more_text
        self._prepare_all()

    def _answer(self, query: Query[Row]) -> _Answer[Row]:
        now = self._clock()
        if abs(now - self._answered_at) > _AGES_HOLD:
            self._answers.clear()
            self._answered_at = now
        answer = self._answers.get(query.terms)
        if answer is None:
            answer = _Answer(query, self._narrow(query, Facts(now, self._me, self.ranking.outside)))
            self._answers[query.terms] = answer
            while len(self._answers) > _REMEMBERED or self._places_kept() > _MOST_PLACES:
                self._answers.pop(next(iter(self._answers)))
        return answer

    def _places_kept(self) -> int:
        return sum(len(cached.places) for cached in self._answers.values() if type(cached.places) is list)

    def _narrow(self, query: Query[Row], facts: Facts) -> Sequence[int]:
        """Start at the smallest cached result that contains this one, and test only the remaining terms."""
        wider = [cached for cached in self._answers.values() if query.narrows(cached.query)]
        base = min(wider, key=lambda cached: (len(cached.places), -len(cached.query.terms)), default=None)
        places = base.places if base else self._visible(query)
        fresh = [term for term in query.terms if base is None or term not in base.query.terms]
        for term in sorted(fresh, key=_cost):
            places = self._pass(term, places, facts)
        return places

    def _pass(self, term: Term[Row], places: Sequence[int], facts: Facts) -> Sequence[int]:
        if term.name:
            return self._pass_rows(term, places, facts)
        texts = self._texts
        if term.is_negated:
            on_text = text_test(term)
            return [place for place in places if on_text(texts[place])]
        for word in term.words:
            if len(places) == len(texts):
                places = self._keep(places, bytes(map(contains, self._texts_by_index, repeat(word))))
            else:
                places = [place for place in places if word in texts[place]]
        if len(term.words) > 1:
            on_text = text_test(term)
            places = [place for place in places if on_text(texts[place])]
        return places

    def _pass_rows(self, term: Term[Row], places: Sequence[int], facts: Facts) -> Sequence[int]:
        """Test a qualifier; for many rows all are tested, in memory order."""
        order = self._order
        if len(places) * _MANY < len(order):
            passing = self._columns.passing(term, facts, [order[place] for place in places])
            return list(compress(places, passing))
        return self._keep(places, self._columns.passing(term, facts))

    def _keep(self, places: Sequence[int], passing: bytes) -> Sequence[int]:
        """Return the places whose row passes; `passing` has a byte for each row by its index."""
        by_place = self._in_order(passing)
        if len(places) == len(by_place):
            kept = list(compress(places, by_place))
        else:
            kept = [place for place in places if by_place[place]]
        return places if len(kept) == len(places) else kept

    def _visible(self, query: Query[Row]) -> Sequence[int]:
        if not self._hidden:
            return range(len(self._order))
        hidden, shows = self._hidden, query.shows
        if not shows:
            return [place for place, index in enumerate(self._order) if not hidden[index]]
        return [place for place, index in enumerate(self._order) if shows.issuperset(hidden[index])]

    def _hiding(self, row: Row) -> tuple[str, ...]:
        return tuple([word for word, test in self._listing.vocabulary.hidden.items() if test(row)])

    def _text(self, row: Row) -> str:
        more = f"\0{self._more_text(row)}" if self._more_text else ""
        return fold(self._listing.vocabulary.text(row) + more)

    def _prepare_all(self) -> None:
        self._texts_by_index = [self._text(row) for row in self.rows]
        self._hidden = [self._hiding(row) for row in self.rows] if self._hides else []
        self._arrange_all()

    def _arrange_all(self) -> None:
        self._stand_in(self.ranking.arrange(self.rows))

    def _prepare_changed(self, before: Sequence[Row], *, is_longer_only: bool) -> None:
        """Prepare only replaced rows, and those added at the end."""
        rows, count = self.rows, len(before)
        changed = [] if is_longer_only else [at for at in range(count) if before[at] is not rows[at]]
        for index in changed:
            if self._hides:
                self._hidden[index] = self._hiding(rows[index])
            self._texts_by_index[index] = self._text(rows[index])
        added = range(count, len(rows))
        if self._hides:
            self._hidden.extend(self._hiding(rows[index]) for index in added)
        self._texts_by_index.extend(self._text(rows[index]) for index in added)
        self._stand_in(self.ranking.rearrange(self._order, rows, changed))

    def _stand_in(self, order: list[int]) -> None:
        """Discard results that belong to other rows or to another order."""
        self._order = order
        self._was_sorted = None
        self._in_order = itemgetter(*order) if len(order) > 1 else tuple
        self._answers.clear()
        text = self._listing.vocabulary.text
        self._columns = Columns(self.rows, {} if self._more_text else {text: self._texts_by_index})
        self._texts = list(self._in_order(self._texts_by_index))


def _cost(term: Term[Any]) -> tuple[int, int]:
    """Return the cost of a term: words first, longest ahead, then qualifiers, then phrases."""
    return (0, -len(term.words[0])) if term.is_plain_word else (1 if term.name else 2, 0)
