"""A list of records, one line each, that stays quick at a hundred thousand of them.

It knows nothing of flags: columns define how a record is drawn, and the screen which records there are and
in which order.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal

from textual import events
from textual.message import Message

from flagtui.app.widgets.column_layout import RecordId
from flagtui.app.widgets.row_surface import HEADER_LINES, RowSurface
from flagtui.app.widgets.viewport import find_nearest
from flagtui.models.rows import Row

WHEEL_LINES = 3
NARROW_EDGES = 4
"""Cells beside a list that are its padding and not a pane."""
DOUBLE = 2


class RowList(RowSurface[Row]):
    """`show` sets the rows; `row`, `row_id` and `marks` are the position of the user."""

    class Highlighted(Message):
        """The cursor is on another record, or on none where the list became empty."""

    class Opened(Message):
        """The person wants to see the record under the cursor."""

    class MarksChanged(Message):
        """Other records are marked now."""

    class SortAsked(Message):
        """The person clicked the title of a column."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    _wanted: RecordId | None = None
    """The record the person last moved to; a query that hides it does not make it forgotten."""
    _wanted_at = -1
    """Its place in the rows, -1 when not known."""

    @property
    def row(self) -> Row | None:
        """The record under the cursor."""
        return self._rows[self._order[self._view.place]] if self._view.place >= 0 else None

    @property
    def row_id(self) -> RecordId | None:
        row = self.row
        return None if row is None else self._id_of(row)

    @property
    def place(self) -> int:
        """The number of rows above the cursor's; -1 without rows."""
        return self._view.place

    @property
    def cursor_line(self) -> int:
        """The line of the row under the cursor; -1 without rows."""
        return HEADER_LINES + self._view.line if self._view.place >= 0 else -1

    @property
    def was_moved(self) -> bool:
        """Whether the user moved the cursor since it was last put on the first row."""
        return self._wanted is not None

    @property
    def shown(self) -> int:
        """The number of rows to scroll through."""
        return len(self._order)

    @property
    def marks(self) -> frozenset[RecordId]:
        """Ids of marked records, shown or not."""
        return self._marks.ids

    def shown_rows(self) -> list[Row]:
        """Return the rows to scroll through, as they are ordered."""
        return [self._rows[at] for at in self._order]

    @property
    def first_marked(self) -> Row | None:
        """The first of the marked records, as they are shown; None without marks."""
        return next(self.marked_rows(), None)

    @property
    def position(self) -> int:
        """The place of the cursor among the rows shown, from 1; 0 without rows."""
        return self._view.place + 1

    def marked_rows(self) -> Iterator[Row]:
        """Yield the marked records as they are shown, then those that the search hides."""
        marked = set(self._marks.ids)
        for row in chain((self._rows[place] for place in self._order), self._rows) if marked else ():
            if (record := self._id_of(row)) in marked:
                marked.discard(record)
                yield row

    def show(
        self,
        rows: Sequence[Row],
        order: Sequence[int] | None = None,
        *,
        anchor: Literal["keep", "top", "first"] = "keep",
        changed: Collection[RecordId] = (),
        rule: tuple[int, str] = (0, ""),
    ) -> None:
        """Show `rows` in `order` (places in `rows`). Neither is copied, so neither may be altered afterwards.

        The cursor stays with its record on the same screen line; when that is gone, on the next one that is
        left. With `anchor="top"`, for typing a query and for first pages still arriving, it goes to the
        first row, or to the record the person last moved to as long as that is shown; with "first", to the
        first row whatever. `changed` are ids of records changed on the server; they carry a sign until the
        cursor has been on them. `rule` divides so many rows from the others, which its words name.
        """
        before, old_place, old_line = self.row_id, self._view.place, max(self._view.line, 0)
        same_rows, old_rows, old_order = rows is self._rows, self._rows, self._order
        at = self._order[old_place] if old_place >= 0 else -1
        if not same_rows:
            at = self._wanted_at = -1
        self._rows, self._order = rows, range(len(rows)) if order is None else order
        if anchor == "first":
            self._wanted, self._wanted_at, place, line = None, -1, 0, 0
        elif anchor == "top":
            place = self._find(self._wanted, self._wanted_at)
            # A record that comes back is scrolled to from the top, not to the line of another one.
            line = old_line if place >= 0 and before == self._wanted else max(place, 0)
        else:
            line, place = old_line, self._find(before, at)
            if place < 0 <= old_place:
                old_ids = [self._id_of(old_rows[each]) for each in old_order]
                place = find_nearest(old_ids, old_place, self._shown_ids())
        above, self._rule_words = rule
        self._view.replace(len(self._order), max(place, 0), line, above)
        self._changed = self._changed.union(changed)
        if not same_rows and self._marks.keep(map(self._id_of, rows)):
            self.post_message(self.MarksChanged())
        self._settle(before)

    def row_of(self, record: RecordId) -> Row | None:
        """Return a record among the rows given, shown or not."""
        return next((row for row in self._rows if self._id_of(row) == record), None)

    def select(self, record: RecordId) -> bool:
        """Put the cursor on a record; false when it is not shown."""
        place = self._find(record, -1)
        if place >= 0:
            self._go(lambda: self._view.move_to(place))
        return place >= 0

    def prefer(self, record: RecordId) -> None:
        """Put the cursor on a record once it is there, unless the person has moved it before."""
        self._wanted, self._wanted_at = record, -1

    def reveal_above(self, rows: int) -> None:
        """Scroll to rows that came in above; the cursor stays with its record, which stays in sight."""
        self._go(lambda: self._view.scroll(-min(rows, max(0, self._view.height - 1 - self._view.line))))

    def action_cursor_down(self) -> None:
        self._step(1)

    def action_cursor_up(self) -> None:
        self._step(-1)

    def action_page_down(self) -> None:
        self._go(lambda: self._view.page(self._view.height))

    def action_page_up(self) -> None:
        self._go(lambda: self._view.page(-self._view.height))

    def action_half_page_down(self) -> None:
        self._go(lambda: self._view.page(self._view.height // 2))

    def action_half_page_up(self) -> None:
        self._go(lambda: self._view.page(-(self._view.height // 2)))

    def action_first(self) -> None:
        self._go(lambda: self._view.move_to(0))

    def action_last(self) -> None:
        self._go(lambda: self._view.move_to(len(self._order) - 1))

    def action_open(self) -> None:
        if self.row is not None:
            self.post_message(self.Opened())

    def action_mark(self) -> None:
        """Mark or unmark the record and step on, so that a held key marks a run."""
        if (record := self.row_id) is not None:
            self._mark(lambda: self._marks.flip(record))
            self._step(1)

    def action_mark_range(self) -> None:
        if self.row_id is not None:
            self._mark(lambda: self._marks.reach(self._shown_ids(), self._view.place))

    def mark(self, records: Iterable[RecordId]) -> None:
        """Mark these too."""
        self._mark(lambda: self._marks.take(records))

    def keep_first_marks(self, number: int) -> None:
        """Keep the marks of so many records, those shown first, and unmark all others."""
        kept = map(self._id_of, islice(self.marked_rows(), number))
        self._mark(lambda: self._marks.drop(self.marks.difference(kept)))

    def action_clear_marks(self) -> None:
        self._mark(self._marks.clear)

    def unmark(self, records: Iterable[RecordId]) -> None:
        """Take the marks of these away."""
        self._mark(lambda: self._marks.drop(records))

    def on_click(self, event: events.Click) -> None:
        """Select a row; a second click opens it, one on its left edge marks it, one on a title sorts."""
        at = event.get_content_offset(self)
        if at is None:
            return
        place = self._view.place_at(at.y - HEADER_LINES)
        if at.y < HEADER_LINES:
            self._ask_for_order(at.x)
        elif place is not None:
            self._go(lambda: self._view.move_to(place))
            if at.x == 0:
                self._mark(lambda: self._marks.flip(self._shown_id(place)))
            elif event.chain == DOUBLE:
                self.action_open()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._go(lambda: self._view.scroll(WHEEL_LINES))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._go(lambda: self._view.scroll(-WHEEL_LINES))

    def _ask_for_order(self, x: int) -> None:
        column = self._painter.column_at(x)
        if column is not None and column.sortable:
            self.post_message(self.SortAsked(column.name))

    def _step(self, rows: int) -> None:
        """Move by one row; at the edge, scroll half a page unless scrolling by one row is cheap."""
        jump = not self._scrolls_cheaply()
        self._go(lambda: self._view.move_to(self._view.place + rows, jump=jump))

    def _scrolls_cheaply(self) -> bool:
        """Return whether scrolling moves whole lines: a pane beside the list would have to be drawn again."""
        beside = self.screen.size.width - self.outer_size.width
        return beside <= NARROW_EDGES and bool(getattr(self.app, "scrolls_cheaply", False))

    def _go(self, move: Callable[[], None]) -> None:
        """Let the person move the cursor: from now on that record is the one to stay with."""
        self._measure()
        before = self.row_id
        move()
        self._wanted = self.row_id
        self._wanted_at = self._order[self._view.place] if self._order else -1
        self._settle(before)

    def _settle(self, before: RecordId | None) -> None:
        """Post and draw what a move of the cursor changed."""
        now = self.row_id
        if now != before:
            if now is not None:
                self._changed = self._changed - {now}
            self.post_message(self.Highlighted())
        self._refresh_changed()

    def _mark(self, change: Callable[[], None]) -> None:
        before = self._marks.ids
        change()
        if self._marks.ids != before:
            self.post_message(self.MarksChanged())
            self._refresh_changed()

    def _shown_id(self, place: int) -> RecordId:
        return self._id_of(self._rows[self._order[place]])

    def _shown_ids(self) -> list[RecordId]:
        return [self._id_of(self._rows[at]) for at in self._order]

    def _find(self, record: RecordId | None, at: int) -> int:
        """Return the position of a record, or -1. `at` is its place in the rows when known, for speed."""
        if record is None:
            return -1
        if at >= 0:
            try:
                return self._order.index(at)
            except ValueError:
                return -1
        rows, id_of = self._rows, self._id_of
        return next((place for place, at in enumerate(self._order) if id_of(rows[at]) == record), -1)
