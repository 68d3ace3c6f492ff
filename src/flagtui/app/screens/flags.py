"""The flags of a project: find one while typing, see what it does, turn it off."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.timer import Timer

from flagtui.app.changing import Changing
from flagtui.app.commands import bindings_of
from flagtui.app.desk import Desk
from flagtui.app.editing import Editing
from flagtui.app.palette import Jump
from flagtui.app.screens.edit.keys import FlagKeys
from flagtui.app.screens.flag import FlagScreen
from flagtui.app.screens.list_keys import ListKeys
from flagtui.app.screens.lookups.keys import LookUpKeys
from flagtui.app.standing import link_of, location_of, words_without_rows
from flagtui.app.widgets.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.preview import Details, Preview
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.row_messages import SortAsked
from flagtui.app.widgets.row_painter import Sort as ShownSort
from flagtui.app.widgets.search_line import Completion, SearchLine
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.finder import Finder
from flagtui.store.query import accept, compile_query, complete, cycle, describe, parse
from flagtui.store.sorting import Sort

REST = 0.12
"""Seconds the cursor stays before the preview asks the server: a held arrow key asks nothing."""
POURING = 0.2
"""Seconds between drawings while pages arrive faster than anybody can read."""
ORDERS = ("updated", "key", "state", "rollout", "type", "created", "called")
HINT = "search   type:experiment  runtime:server  is:stale  by:me  tag:checkout"
SHOWN_ORDER = {"created": "updated", "called": "updated"}
"""Orders without a column of their own are shown at the column that is nearest in meaning."""


class FlagsScreen(LookUpKeys, FlagKeys, ListKeys):
    """Draws the collection of flags. Changes go to the App, where nothing that happens here cancels them."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("flags", "lists", "everywhere")]

    def __init__(self, desk: Desk, changing: Changing) -> None:
        super().__init__()
        self._desk = desk
        self._changing = changing
        self.editing = Editing(desk, changing)
        self._finder: Finder[FlagRow] = Finder(clock=desk.session.clock)
        self._resting: Timer | None = None
        self._drawn_version = 0
        self._drawing: Timer | None = None
        self._is_drawn = False
        self._settled_at = -1

    def make_rows(self) -> RowList[FlagRow]:
        return RowList(FLAG_COLUMNS, clock=self._desk.session.clock)

    def make_search(self) -> SearchLine:
        return SearchLine(self._find, self._completions, placeholder=HINT)

    def make_preview(self) -> Preview:
        return Preview()

    @property
    def preview(self) -> Preview:
        return self.query_one(Preview)

    @property
    def flag(self) -> FlagRow | None:
        """The flag under the cursor."""
        row: FlagRow | None = self.rows.row
        return row

    def on_mount(self) -> None:
        self.take_tastes()
        self._show_sort()
        self._desk.watch(self.believe)
        self.believe()

    def believe(self) -> None:
        """Called after every change at the desk. Pages that pour in are drawn a few times a second."""
        if not self.is_attached:
            return
        workspace = self._desk.workspace
        is_pouring = workspace is not None and workspace.flags_loading.is_running and len(workspace.flags) > 0
        if is_pouring and self._drawing is None and self._is_drawn:
            self._drawing = self.set_timer(POURING, self._draw)
        elif not is_pouring or not self._is_drawn:
            self._draw()

    def _draw(self) -> None:
        if self._drawing is not None:
            self._drawing.stop()
            self._drawing = None
        workspace = self._desk.workspace
        self._is_drawn = workspace is not None and len(workspace.flags) > 0
        if workspace is None:
            # Rows of the profile that was left must not stand under the badge of another.
            self._finder.show(())
            self.rows.show((), anchor="top")
            self._settled_at = -1
        else:
            self._finder.know_person(workspace.me)
            flags = workspace.flags
            self._finder.show(flags.rows)
            changed = _numbers(flags.changed_since(self._drawn_version))
            self._drawn_version = flags.version
            self.rows.set_pending(_numbers(flags.pending))
            order = self._finder.find(self.search.value)
            self.rows.show(
                self._finder.rows, order, anchor="keep" if self._settled_at >= 0 else "top", changed=changed
            )
            self._settle(flags.is_complete, self._desk.refreshes)
        self.reframe()
        self._inspect_soon()

    def _settle(self, is_complete: bool, refreshes: int) -> None:
        """Rows take their places when a load somebody asked for ends; otherwise nothing moves by itself."""
        self._finder.is_steady = is_complete
        if is_complete and self._settled_at != refreshes:
            self._settled_at = refreshes
            self._sort_by(self._finder.sort)

    def _find(self, line: str) -> None:
        order = self._finder.find(line)
        self.rows.show(self._finder.rows, order, anchor="top")
        self.search.set_problems([(p.start, p.end, p.reason) for p in self._finder.query.problems])
        self._show_counts(order)
        self.load_what_is_asked_for()

    def _completions(self, line: str, cursor: int) -> Sequence[Completion]:
        rows = self._finder.rows
        known = {
            "tag": sorted({tag for row in rows for tag in row.tags}),
            "by": ["me", *sorted({row.creator for row in rows if row.creator})],
        }
        return [accept(line, cursor, found) for found in complete(line, cursor, known)]

    def reframe(self) -> None:
        desk, now = self._desk, self._desk.session.clock()
        self.show_frame(location_of(desk), link_of(desk, now), self.tabs(), self.current_tab())
        self._show_counts(self._finder.find(self.search.value))

    def _show_counts(self, order: Sequence[int]) -> None:
        total = self._finder.total
        count = f"{total:,}" if len(order) == total else f"{len(order):,} of {total:,}"
        reason = self.search.reason
        self.show_chips(describe(self._finder.query), len(self.rows.marks), count, safe_text(reason, 60))
        if not order:
            words = words_without_rows(self._desk, self.search.value, total)
            self.rows.explain(*words.lines, look=words.look)

    # Following the cursor

    @on(RowList.Highlighted)
    def _moved(self) -> None:
        self._inspect_soon()

    @on(RowList.MarksChanged)
    def _marked(self) -> None:
        self._show_counts(self._finder.find(self.search.value))

    def _inspect_soon(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST, self._inspect)

    def _inspect(self) -> None:
        row, inspector = self.flag, self._desk.inspector
        now = self._desk.session.clock()
        if row is None or inspector is None:
            self.preview.show(None, now)
        elif self.preview.display:
            self.preview.show(inspector.known(row), now)
            self._look_closer(row)

    @work(exclusive=True, group="inspect")
    async def _look_closer(self, row: FlagRow) -> None:
        if self._desk.inspector is None:
            return
        details: Details
        async for details in self._desk.inspector.look(row):
            if self.flag is not None and self.flag.id == row.id:
                self.preview.show(details, self._desk.session.clock())

    # Keys

    def action_open(self) -> None:
        if self.flag is not None:
            self.app.push_screen(FlagScreen(self._desk, self._changing, self.flag))

    def action_open_tab(self, tab: str) -> None:
        if self.flag is not None:
            self.app.push_screen(FlagScreen(self._desk, self._changing, self.flag, tab))

    @on(RowList.Opened)
    def _opened(self) -> None:
        self.action_open()

    @on(SearchLine.Left)
    def _to_rows(self) -> None:
        # Leaving the line for the list chooses the flag under the cursor, also once the line is cleared.
        if self.flag is not None:
            self.rows.select(self.flag.id)
        self.set_focus(self.rows)

    def action_cycle(self, qualifier: str) -> None:
        self.search.set_line(cycle(self.search.value, qualifier))

    def action_back(self) -> None:
        if self.leave_search():
            return
        if self.search.value:
            self.search.set_line("")
        else:
            self.rows.action_clear_marks()

    def action_sort(self) -> None:
        place = ORDERS.index(self._finder.sort.name) if self._finder.sort.name in ORDERS else -1
        self._sort_by(Sort(ORDERS[(place + 1) % len(ORDERS)]))

    def action_reverse(self) -> None:
        self._sort_by(self._finder.sort.press(self._finder.sort.name))

    @on(SortAsked)
    def _sort_asked(self, asked: SortAsked) -> None:
        self._sort_by(self._finder.sort.press(asked.column))

    def _sort_by(self, sort: Sort) -> None:
        self._finder.sort_by(sort)
        self.keep_sort(sort)
        self._show_sort()
        self.rows.show(self._finder.rows, self._finder.find(self.search.value))

    def _show_sort(self) -> None:
        sort = self._finder.sort
        self.rows.set_sort(ShownSort(SHOWN_ORDER.get(sort.name, sort.name), descending=not sort.is_reversed))

    # Changes

    def chosen(self) -> list[FlagRow]:
        """The marked flags, else the one under the cursor."""
        marked: list[FlagRow] = self.rows.marked_rows()
        return marked or ([self.flag] if self.flag is not None else [])

    def agreed(self) -> None:
        self.rows.action_clear_marks()

    def action_undo(self) -> None:
        self._changing.undo()

    def jumps(self, words: str, limit: int) -> Iterable[Jump]:
        """Flags whose key or description has these words, for the palette."""
        found = filter(compile_query(parse(words), now=self._desk.session.clock()), self._finder.rows)
        for row in islice(found, limit):
            yield Jump(row.key, row.name or row.type, partial(self.go_to, row.id))

    def go_to(self, record: int) -> None:
        """Put the cursor on a flag, clearing the search when it hides it."""
        if not self.rows.select(record):
            self.search.set_line("")
            self.rows.select(record)
        self.set_focus(self.rows)


def _numbers(records: Collection[int | str]) -> frozenset[int]:
    return frozenset(record for record in records if isinstance(record, int))
