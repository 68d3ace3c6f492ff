"""The line above the activity, read: which entries it asks for, and what the line says about that."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from flagtui import local_time
from flagtui.app.activity.activity_columns import day_words
from flagtui.app.activity.activity_reach import count_words
from flagtui.app.widgets.search_line import Completion, Problem
from flagtui.models.change_row import ChangeRow
from flagtui.models.names import NO_NAMES, Names
from flagtui.safe_text import safe_text
from flagtui.store.activity_feed import ACTIVITY_LISTING, ActivityFeed
from flagtui.store.finder import Finder
from flagtui.store.query import ACTIVITY, QueryPerson, accept, complete, cycle, describe
from flagtui.store.query.moments import AFTER, BEFORE, Centre, by_closeness, split_centre
from flagtui.store.sort_orders import Sort
from flagtui.text.activity_words import activity_words
from flagtui.text.styled import Piece

CHIPS_FROM: Final = 76
WINDOW: Final = f"-{BEFORE / 60:.0f} … +{AFTER / 60:.0f} min"
"""What is around a moment, in words."""


class Search:
    """A finder over the entries that also knows the moment in the line."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._finder: Finder[ChangeRow] = Finder(listing=ACTIVITY_LISTING, sort=Sort("newest"), clock=clock)
        self.know_names(NO_NAMES)
        self._person: QueryPerson | None = None
        self._line = ""
        self._rest = ""
        self.centre: Centre | None = None
        """What `@` in the line means; fixed when it was typed."""
        self._centre_problems: tuple[Problem, ...] = ()
        self.newest = 0
        """The place of the newest entry."""

    @property
    def rows(self) -> Sequence[ChangeRow]:
        return self._finder.rows

    def know(self, me: QueryPerson | None, rows: Sequence[ChangeRow]) -> None:
        """The entries as they are now, and who `by:me` is."""
        if me is not self._person:
            self._person = me
            self._finder.know_person(me)
        if rows is not self._finder.rows:
            self._finder.show(rows)
            self.newest = max((row.place for row in rows), default=0)

    def know_names(self, names: Names) -> None:
        """Entries are found by the words they are told with."""
        self._finder.know_text(lambda row: activity_words(row.entry, 300, names))

    def find(self, line: str) -> Sequence[int]:
        """Places in `rows` of the entries asked for: newest first, or nearest to the moment in the line."""
        if line != self._line:
            self._line = line
            self.centre, self._rest, wrong = split_centre(line, self._clock())
            self._centre_problems = tuple((one.start, one.end, one.reason) for one in wrong)
        order = self._finder.find(self._rest)
        return order if self.centre is None else by_closeness(self.rows, order, self.centre)

    def rule(self, order: Sequence[int]) -> tuple[int, str]:
        """Where a line divides the candidates around the moment from the rest, and what it says."""
        if self.centre is None:
            return 0, ""
        inside = sum(1 for index in order if self.centre.holds(self.rows[index].at))
        return inside, f"outside {WINDOW}"

    @property
    def problems(self) -> Sequence[Problem]:
        """Parts of the line that are ignored, and why."""
        found = [(one.start, one.end, one.reason) for one in self._finder.query.problems]
        return sorted([*found, *self._centre_problems])

    def completions(self, line: str, cursor: int) -> Sequence[Completion]:
        """What Tab could make of the line."""
        rows = self.rows
        known = {
            "by": ["me", *sorted({row.email or row.who for row in rows})],
            "flag": sorted({row.key for row in rows}),
        }
        return [accept(line, cursor, found) for found in complete(line, cursor, known, ACTIVITY)]

    def cycled(self, line: str, qualifier: str) -> str:
        """The line with a qualifier moved on."""
        return cycle(line, qualifier, ACTIVITY)

    def chips(
        self, feed: ActivityFeed | None, marked: int, news: int, reason: str, width: int
    ) -> Iterator[Piece]:
        """`kind any  2 new above  12 of 300`, or the window around a moment, or why something is ignored."""
        if feed is None:
            return
        if reason:
            yield f"{safe_text(reason, 60)}  ", "$warning"
        elif feed.trouble is not None and feed.rows:
            yield f"{safe_text(feed.trouble.what, 60)}  ", "$warning"
        elif self.centre is not None:
            yield from self._window(self.centre)
        elif width >= CHIPS_FROM:
            for chip in describe(self._finder.query):
                if chip.is_set or chip.label == "kind":
                    yield f"{chip.label} ", "$faint"
                    yield f"{safe_text(chip.value, 24)}  ", "$primary" if chip.is_set else ""
        if marked:
            yield f"{marked} marked  ", "$primary"
        if news:
            yield f"{news:,} new above, g  ", "$success"
        if self.centre is None:
            shown = len(self.find(self._line))
            yield count_words(shown, feed, len(self.rows)), "$text-muted"

    def _window(self, centre: Centre) -> Iterator[Piece]:
        rows = self.rows
        inside = sum(1 for index in self._finder.find(self._rest) if centre.holds(rows[index].at))
        yield "@ ", "bold $primary"
        clock = f"{local_time.clock(centre.at)} {local_time.label(centre.at)}"
        yield f"{day_words(centre.at, self._clock())} {clock}".lstrip(), "bold"
        yield f"  {WINDOW}  ", "$faint"
        yield f"{inside:,} change{'' if inside == 1 else 's'}", "$text-muted"
