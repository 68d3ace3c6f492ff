"""Finds rows while a query is typed: what does not depend on the query is prepared beforehand."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress, repeat
from operator import contains, is_, itemgetter
from typing import Any, Final, Generic

from msgspec import Struct

from flagtui.store.fact_columns import Columns
from flagtui.store.flag_listing import FLAG_LISTING
from flagtui.store.query.language import Query, Term, read_line, text_test
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Facts, QueryPerson, Row
from flagtui.store.sort_orders import Found, Listing, Ranking, Sort

_NEWEST_FIRST: Final = Sort("updated")
_REMEMBERED: Final = 24
"""Answers kept, so that deleting letters is as quick as typing them."""
_MOST_PLACES: Final = 500_000
"""Places in all of them together; each costs eight bytes."""
_MANY: Final = 8
"""From one row in so many on, testing all of them in order is quicker than testing those that are left."""
_AGES_HOLD: Final = 30.0
"""Seconds for which an answer that depends on ages is taken to be still right."""


class _Answer(Struct, Generic[Row], frozen=True):
    query: Query[Row]
    places: Sequence[int]
    """Places in the present order, ascending."""


class Finder(Generic[Row]):
    """Rows, searched and ordered. Answers are indices into `rows`; no row is copied.

    A line that only narrows an earlier one looks at that one's answer alone.
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
        self._clock = clock
        self._ranking: Ranking[Row] = Ranking(listing.orders, listing.label, sort)
        self._me: QueryPerson | None = None
        self._more_text: Callable[[Row], str] | None = None
        self._order: list[int] = []
        """Index of the row at each place."""
        self._in_order: Callable[[Sequence[Any]], Sequence[Any]] = tuple
        """What stands by index, put by place; quicker than asking for the index of each place."""
        self._texts: list[str] = []
        """Folded text of the row at each place."""
        self._texts_by_index: list[str] = []
        self._hidden: list[tuple[str, ...]] = []
        """By index: words one of which has to be asked for before a row is shown; empty if none is hidden."""
        self._answers: dict[tuple[Term[Row], ...], _Answer[Row]] = {}
        self._answered_at = 0.0
        self._columns: Columns[Row] = Columns(())
        self.rows: Sequence[Row] = ()
        self.query: Query[Row] = read_line("", listing.vocabulary)
        self.show(rows)

    @property
    def sort(self) -> Sort:
        """The order the answers are in."""
        return self._ranking.sort

    @property
    def is_steady(self) -> bool:
        """True keeps a row that changes where it stands until the rows are sorted again."""
        return self._ranking.is_steady

    @is_steady.setter
    def is_steady(self, is_steady: bool) -> None:
        self._ranking.is_steady = is_steady

    @property
    def total(self) -> int:
        """How many rows an empty line finds."""
        return self.count("")

    def find(self, line: str) -> Sequence[int]:
        """Indices of the rows the line asks for, in the present order.

        `query` holds the line as it was read, with its problems.
        """
        if line != self.query.line:
            self.query = read_line(line, self._listing.vocabulary)
        order, places = self._order, self._answer(self.query).places
        return order if len(places) == len(order) else Found(order, places)

    def count(self, line: str) -> int:
        """How many rows a line finds; `query` stays what it is."""
        return len(self._answer(read_line(line, self._listing.vocabulary)).places)

    def apart(self, found: Sequence[int]) -> dict[str, int]:
        """How many of the rows that were found an empty line hides, by why: `{"archived": 14}`."""
        if not self.query.shows:
            return {}
        return dict(Counter(self._hidden[index][0] for index in found if self._hidden[index]))

    def line_showing(self, row: Row) -> str:
        """The shortest line that finds the row: empty, unless such rows have to be asked for."""
        return " ".join(f"is:{word}" for word in self._hiding(row)) if self._hides else ""

    def show(self, rows: Sequence[Row]) -> None:
        """Takes the rows as they are now. Rows that are the same objects as before cost next to nothing."""
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
        """Changes the order. Raises KeyError for one there is not."""
        if sort.name not in self._listing.orders:
            raise KeyError(sort.name)
        if sort == self.sort and not self._ranking.holds_rows:
            return
        self._ranking.sort = sort
        self._ranking.let_go()
        self._arrange_all()

    def know_person(self, me: QueryPerson | None) -> None:
        """Says who `by:me` is."""
        if me is not self._me:
            self._me = me
            self._answers.clear()

    def know_text(self, more_text: Callable[[Row], str] | None) -> None:
        """Adds text that is not in the rows, such as the names of a flag's experiments."""
        self._more_text = more_text
        self._prepare_all()

    def _answer(self, query: Query[Row]) -> _Answer[Row]:
        now = self._clock()
        if abs(now - self._answered_at) > _AGES_HOLD:
            self._answers.clear()
            self._answered_at = now
        answer = self._answers.get(query.terms)
        if answer is None:
            answer = _Answer(query, self._narrow(query, Facts(now, self._me)))
            self._answers[query.terms] = answer
            while len(self._answers) > _REMEMBERED or self._places_kept() > _MOST_PLACES:
                self._answers.pop(next(iter(self._answers)))
        return answer

    def _places_kept(self) -> int:
        return sum(len(known.places) for known in self._answers.values() if type(known.places) is list)

    def _narrow(self, query: Query[Row], facts: Facts) -> Sequence[int]:
        """Starts at the smallest answer that must contain this one, and asks only what that one did not."""
        wider = [known for known in self._answers.values() if query.narrows(known.query)]
        base = min(wider, key=lambda known: (len(known.places), -len(known.query.terms)), default=None)
        found = base.places if base else self._visible(query)
        fresh = [term for term in query.terms if base is None or term not in base.query.terms]
        for term in sorted(fresh, key=_cost):
            found = self._pass(term, found, facts)
        return found

    def _pass(self, term: Term[Row], found: Sequence[int], facts: Facts) -> Sequence[int]:
        if term.name:
            return self._pass_rows(term, found, facts)
        texts = self._texts
        if term.is_negated:
            on_text = text_test(term)
            return [place for place in found if on_text(texts[place])]
        for word in term.words:
            if len(found) == len(texts):
                found = self._kept(found, bytes(map(contains, self._texts_by_index, repeat(word))))
            else:
                found = [place for place in found if word in texts[place]]
        if len(term.words) > 1:
            on_text = text_test(term)
            found = [place for place in found if on_text(texts[place])]
        return found

    def _pass_rows(self, term: Term[Row], found: Sequence[int], facts: Facts) -> Sequence[int]:
        """A qualifier. Of many rows all are tested, in the order in which they lie in memory."""
        order = self._order
        if len(found) * _MANY < len(order):
            passing = self._columns.passing(term, facts, [order[place] for place in found])
            return list(compress(found, passing))
        return self._kept(found, self._columns.passing(term, facts))

    def _kept(self, found: Sequence[int], passing: bytes) -> Sequence[int]:
        """Those of the places whose row passes; `passing` has a byte for each row by its index."""
        by_place = self._in_order(passing)
        if len(found) == len(by_place):
            kept = list(compress(found, by_place))
        else:
            kept = [place for place in found if by_place[place]]
        return found if len(kept) == len(found) else kept

    def _visible(self, query: Query[Row]) -> Sequence[int]:
        if not self._hidden:
            return range(len(self._order))
        hidden, shows = self._hidden, query.shows
        if not shows:
            return [place for place, index in enumerate(self._order) if not hidden[index]]
        return [place for place, index in enumerate(self._order) if shows.issuperset(hidden[index])]

    @property
    def _hides(self) -> bool:
        return bool(self._listing.vocabulary.hidden)

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
        self._stand_in(self._ranking.arranged(self.rows))

    def _prepare_changed(self, before: Sequence[Row], *, is_longer_only: bool) -> None:
        """Prepares only rows put in another's place, and those added at the end."""
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
        self._stand_in(self._ranking.rearranged(self._order, rows, changed))

    def _stand_in(self, order: list[int]) -> None:
        """What was found out about other rows, or rows in another order, is worth nothing any more."""
        self._order = order
        self._in_order = itemgetter(*order) if len(order) > 1 else tuple
        self._answers.clear()
        text = self._listing.vocabulary.text
        self._columns = Columns(self.rows, {} if self._more_text else {text: self._texts_by_index})
        self._texts = list(self._in_order(self._texts_by_index))


def _cost(term: Term[Any]) -> tuple[int, int]:
    """Cheap and telling tests first: words, the longest ahead, then qualifiers, then phrases."""
    return (0, -len(term.words[0])) if term.is_plain_word else (1 if term.name else 2, 0)
