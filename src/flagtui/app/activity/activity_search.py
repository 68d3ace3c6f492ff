"""Read the line above the activity: the entries it matches, how far back, and the counts to show."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len

from flagtui import local_time
from flagtui.app.activity.activity_columns import day_words
from flagtui.app.widgets.line import cut
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.safe_text import safe_text
from flagtui.store.activity_feed import ACTIVITY_LISTING, ActivityFeed
from flagtui.store.activity_listing import AFTER, BEFORE, Centre, by_closeness, split_centre
from flagtui.store.finder import Finder
from flagtui.store.query.language import QueryProblem
from flagtui.store.query.line_edits import Chip, describe
from flagtui.store.query.vocabulary import QueryPerson
from flagtui.store.sort_orders import Sort
from flagtui.text.activity_words import activity_words
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

WINDOW: Final = f"-{BEFORE / 60:.0f} … +{AFTER / 60:.0f} min"
"""The changes around a moment, in words."""
GAP: Final = 2
"""Cells between two pieces beside the line."""
SHORTEST_REASON: Final = 12
"""Cells of what was not read that are left."""


class ActivityFinder(Finder[ChangeRow]):
    """A finder over the entries that also knows the moment in the line."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(listing=ACTIVITY_LISTING, sort=Sort("newest"), clock=clock)
        self._now = clock
        self.know_names(NO_NAMES)
        self._line = ""
        self._rest = ""
        self.centre: Centre | None = None
        """What `@` in the line means; fixed when it was typed."""
        self._is_sort_chosen = False
        """Whether an order was chosen after the moment was typed."""
        self._centre_problems: Sequence[QueryProblem] = ()
        self.newest = 0.0
        """The place of the newest entry."""
        self._has_others = False
        """Whether there are changes of other records, which only a moment lists."""

    def know(self, me: QueryPerson | None, rows: Sequence[ChangeRow]) -> None:
        """Use these entries, and this user for `by:me`."""
        self.set_user(me)
        if rows is not self.rows:
            self.show(rows)
            of_flags = [row.place for row in rows if row.kind == "flags"]
            self.newest, self._has_others = max(of_flags, default=0), len(of_flags) < len(rows)

    def know_names(self, names: Names) -> None:
        """Search entries by the words that are shown for them."""
        self.set_extra_text(lambda row: activity_words(row.entry, 300, names))

    def find(self, line: str) -> Sequence[int]:
        """Return the places in `rows` of matching entries: in order, or nearest to the moment in the line."""
        if line != self._line:
            self._line, before = line, self.centre
            self.centre, self._rest, wrong = split_centre(line, self._now())
            self._centre_problems = wrong
            self._is_sort_chosen = self._is_sort_chosen and self.centre == before
        order = super().find(self._rest)
        if self.centre is None:
            return (
                [index for index in order if self.rows[index].kind == "flags"] if self._has_others else order
            )
        return order if self._is_sort_chosen else by_closeness(self.rows, order, self.centre)

    @property
    def ranks_suspects(self) -> bool:
        """Whether changes are ranked by how likely they caused an incident at the moment in the line."""
        return self.centre is not None and not self._is_sort_chosen

    @property
    def is_sorted(self) -> bool:
        return not self.ranks_suspects and super().is_sorted

    def sort_by(self, sort: Sort) -> None:
        self._is_sort_chosen = True
        super().sort_by(sort)

    def rank_suspects(self) -> None:
        """Put the likeliest cause first again."""
        self._is_sort_chosen = False

    def count(self, line: str) -> int | None:
        """Count the entries that match a line, without the moment in it; None where a piece is ignored."""
        return super().count(split_centre(line, self._now())[1])

    def inside_window(self, rows: Sequence[ChangeRow]) -> Sequence[ChangeRow]:
        """Return the entries around the moment in the line; all of them without one."""
        return rows if self.centre is None else [row for row in rows if self.centre.holds(row.at)]

    def rule(self, order: Sequence[int]) -> tuple[int, str]:
        """Return where a line divides the candidates around the moment from the rest, and its label."""
        if self.centre is None or not self.ranks_suspects:
            return 0, ""
        inside = sum(1 for index in order if self.centre.holds(self.rows[index].at))
        return inside, f"outside {WINDOW}"

    @property
    def problems(self) -> list[QueryProblem]:
        return sorted([*super().problems, *self._centre_problems], key=lambda problem: problem.start)

    def chips(self) -> Sequence[Chip]:
        """Return `kind any` and the active filters of the line; none around a moment."""
        if self.centre is not None:
            return ()
        return [chip for chip in describe(self.query) if chip.is_set or chip.label == "kind"]

    def count_pieces(
        self, marked: int, news: int, trouble: str, missing: Sequence[str], room: int
    ) -> Iterator[Piece]:
        """Yield `2 marked  2 new above`, after the moment or the problem, in at most `room` cells."""
        rest: list[Piece] = []
        if marked:
            rest += [(f"{marked:,} marked", "$primary")]
        if news:
            rest += [(f"{news:,} new above, {key_sign('lists.first')}", "$success")]
        if trouble:
            yield f"{safe_text(trouble, 60)}  ", "$warning"
        elif self.centre is not None:
            yield from self._moment(self.centre, safe_text("; ".join(missing), 80), rest, room)
            return
        yield from ((f"{text}  ", style) for text, style in rest)

    def place_pieces(self, feed: ActivityFeed, position: int) -> Iterator[Piece]:
        """Yield `4/12 of 300`, the position of the cursor among the entries; nothing around a moment."""
        if self.centre is None:
            shown = len(self.find(self._line))
            place = f"{position:,}/" if position else ""
            yield f"{place}{count_words(shown, feed, len(feed.rows))}", "$text-muted"

    def _moment(self, centre: Centre, unread: str, rest: Sequence[Piece], room: int) -> Iterator[Piece]:
        """Yield `@ 14:05 UTC  -60 … +15 min  3 changes`; without room, drop the window, then the count.

        The end of what was not read gives way to the moment.
        """
        rows = self.rows
        inside = sum(1 for index in super().find(self._rest) if centre.holds(rows[index].at))
        clock = f"{local_time.clock(centre.at)} {local_time.label(centre.at)}"
        moment = (f"{day_words(centre.at, self._now())} {clock}".lstrip(), "bold")
        optional: list[Piece] = [(WINDOW, "$faint")]
        optional += [(count(inside, "change"), "$text-muted")] if rows else []
        taken = sum(cell_len(text) + GAP for text, _style in (moment, *rest))
        if unread:
            words = cut(unread, max(SHORTEST_REASON, room - taken - GAP))
            taken, rest = taken + cell_len(words) + GAP, [(words, "$warning"), *rest]
        while optional and taken + sum(cell_len(text) + GAP for text, _style in optional) > room:
            del optional[0]
        yield "@ ", "bold $primary"
        yield moment
        for text, style in (*optional, *rest):
            yield f"{' ' * GAP}{text}", style


def count_words(shown: int, feed: ActivityFeed, total: int) -> str:
    """Format the count as `100 of 1,234`, `12 of 300 read` or `12 of 300`; empty if nothing could be read."""
    if feed.trouble is not None and not total:
        return ""
    if shown < total:
        return f"{shown:,} of {total:,}{'' if feed.is_complete else ' read'}"
    if feed.is_complete or not feed.total:
        return f"{total:,}"
    return f"{total:,} of {max(feed.total, total):,}"
