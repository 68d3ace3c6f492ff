"""The behaviour of every list: search, keep an order, follow the cursor, copy, jump to a row."""

from collections.abc import Sequence
from typing import Final

from textual import events, on, work
from textual.timer import Timer

from flagtui.app.commands.command import SIGNS
from flagtui.app.commands.command_table import BY_ID
from flagtui.app.lists.marked_records import MarkedRecords, marked_piece
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.row_painter import SortSign
from flagtui.app.widgets.search_line import Completion, SearchLine
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.safe_text import safe_text
from flagtui.store.collection import IdRow
from flagtui.store.finder import Finder
from flagtui.store.load_progress import RecordId
from flagtui.store.query.line_edits import Chip, accept, complete, cycle, describe
from flagtui.store.sort_orders import Sort
from flagtui.text.empty_states import Words
from flagtui.text.styled import Notice, Piece

PAUSE: Final = 0.25
"""Seconds without a letter after which the server is searched."""
REST: Final = 0.12
"""Seconds the cursor stays before the pane beside the list follows: a held arrow key asks nothing."""


class ListScreen(MarkedRecords[IdRow]):
    """A finder, its rows and the line above them, as described; subclasses define source and preview."""

    def __init__(
        self, app_state: AppState, runner: ChangeRunner, finder: Finder[IdRow] | None = None
    ) -> None:
        super().__init__(app_state, runner, finder)
        self._resting: Timer | None = None
        self._chips: Sequence[Chip] = describe(self._finder.query)
        self._before_count: Sequence[Piece] = ()
        self._count = ""
        self._has_position = False
        self._sought: RecordId | None = None
        """The record to put the cursor on as soon as it has arrived."""

    def on_mount(self) -> None:
        self.apply_preferences()
        self._show_sort()
        self.follow(self._app_state.watch, self.update_from_state)

    def update_from_state(self) -> None:
        """Draw the current state; called after every change of it."""
        raise NotImplementedError

    def draw_preview(self, row: IdRow | None) -> None:
        """Draw the row's details beside the list."""
        raise NotImplementedError

    def load_all(self, row: IdRow) -> None:
        """Find out more for the preview, now that the cursor rests on the row."""

    def words_without(self, total: int) -> Words:
        """Return the text in place of rows; `total` counts those the line hides."""
        raise NotImplementedError

    def action_open(self) -> None:
        """Open the record under the cursor."""
        raise NotImplementedError

    async def search_server(self, word: str) -> None:
        """Ask the server for rows that contain the word while rows are missing."""

    def missing(self) -> int:
        """Return the number of rows that have not arrived."""
        return 0

    def reframe(self) -> None:
        self.draw_frame()
        self._show_counts(self._finder.find(self.search.value))

    # Searching

    def make_search(self) -> SearchLine:
        return SearchLine(self._find, self.leave_line, self._completions, placeholder=self.description.hint)

    def _find(self, line: str) -> None:
        if not self._finder.ranking.is_steady:
            self._search_server()
        order = self._finder.find(line)
        self.rows.show(self._finder.rows, order, anchor="top")
        self.search.set_problems([(p.start, p.end, p.reason) for p in self._finder.problems])
        self._chips = describe(self._finder.query)
        self._show_counts(order)

    @work(exclusive=True, group="search-server")
    async def _search_server(self) -> None:
        """Search the server too while pages are missing, once the typing pauses."""
        await self._app_state.session.clock.sleep(PAUSE)
        await self.search_server(self._finder.query.longest_word)

    def _completions(self, line: str, cursor: int) -> Sequence[Completion]:
        offers = self.description.completions(self._finder.rows)
        vocabulary = self.description.listing.vocabulary
        return [accept(line, cursor, completion) for completion in complete(line, cursor, offers, vocabulary)]

    def _show_counts(self, order: Sequence[int]) -> None:
        self._show_sort()
        total = self._finder.total
        apart = self._finder.apart(order)
        listed = len(order) - sum(apart.values())
        count = "" if not total else f"{total:,}" if listed == total else f"{listed:,} of {total:,}"
        if missing := self.missing():
            loaded = f"{total:,} of {total + missing:,}"
            count = loaded if listed == total else f"{listed:,} found · {loaded} loaded"
        if apart:
            others: list[str] = [f"{number:,} {word}" for word, number in apart.items()]
            count = ", ".join([count, *others] if listed else others)
        reason, marked = safe_text(self.search.reason, 60), self.marked
        end: list[Piece] = [(f"{reason}  ", "$warning")] if reason else []
        end += [marked_piece(marked, self.bulk_limit)] if marked else []
        self._before_count, self._count, self._has_position = end, count, not apart
        self._show_position()
        if not order:
            words = self.words_without(total)
            self.rows.explain(*words.lines, look=words.look)
        self.show_keys_for_record()

    def _show_position(self) -> None:
        """Draw `4/248`: the place of the cursor among the rows, where all of them are counted together."""
        is_placed = self._has_position and self.rows.position and not self.search.reason
        position = f"{self.rows.position:,}/" if is_placed else ""
        end = [*self._before_count, (f"{position}{self._count}", "$text-muted")]
        self.show_chips(self._chips, end, self._hidden_sort_words())

    # Following the cursor

    @on(RowList.Highlighted)
    def _on_moved(self) -> None:
        self._show_position()
        self.show_keys_for_record()
        self._look_soon()

    def on_resize(self, _event: events.Resize) -> None:
        # A pane that had no room was not kept up to date.
        self._look_soon()

    @on(RowList.MarksChanged)
    def _on_marked(self) -> None:
        self._show_counts(self._finder.find(self.search.value))
        self.show_keys_for_marks()

    @on(RowList.Opened)
    def _on_opened(self) -> None:
        self.action_open()

    def action_preview(self) -> None:
        super().action_preview()
        # A hidden pane was not kept up to date.
        self._look_soon()

    def leave_line(self) -> None:
        """Go on to the rows; the very next key is theirs."""
        # Leaving the line for the list chooses the record under the cursor, also once the line is cleared.
        if self.record is not None:
            self.rows.select(self.record.id)
        self.preferences.keep_line(self.search.value)
        self.set_focus(self.rows)

    def _look_soon(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST, self._preview)

    def _preview(self) -> None:
        if not self.query(RowList):
            # The program is ending, and the timer outlived what it draws.
            return
        row = self.record
        self.draw_preview(row)
        if row is not None:
            self.load_all(row)

    def redraw_ages(self) -> None:
        super().redraw_ages()
        self.draw_preview(self.record)

    # Keys

    def leaves_out(self, command_id: str) -> bool:
        """Return whether the line of keys leaves out a command: it lacks rows, a way back, or leads here."""
        if command_id == "app.back":
            return self.is_outermost
        command = BY_ID.get(command_id)
        if command is None:
            return False
        opens_this = command.handler == "show" and SIGNS.get(command.keys, command.keys) == self.tab
        return opens_this or self.lacks_rows(command)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow a filter key where the list has this filter, and `/` outside the search line."""
        if action == "search":
            return not isinstance(self.focused, SearchLine)
        filters = self.description.filters
        if action == "cycle" and parameters and parameters[0] not in {*filters, *filters.values()}:
            return False
        return super().check_action(action, parameters)

    def action_cycle(self, name: str) -> None:
        """Go to the next value of the filter of this key, or of this qualifier."""
        qualifier = self.description.filters.get(name, name)
        self.search.set_line(cycle(self.search.value, qualifier, self.description.listing.vocabulary))

    def action_query(self, key: int) -> None:
        if (query := self.saved_query(key)) is not None:
            self.search.set_line(query.line)
            self.reframe()

    def action_save_query(self) -> None:
        line = self.search.value.strip()
        if not line:
            show_toast(self.app, Notice("Type a search first; then it can get a name and a tab.", "warning"))
            return
        self._runner.run(self._save_query(line))

    async def _save_query(self, line: str) -> None:
        from flagtui.app.lists.list_choices import explain_saved, name_query

        kind, queries_of = self.description.name, self.preferences.queries_of
        if (name := await name_query(self._runner, line, queries_of(kind))) is not None:
            wrong = self.preferences.keep_query(name, line, kind)
            show_toast(self.app, explain_saved(name, queries_of(kind), wrong))
            self.reframe()

    def action_sort(self) -> None:
        sort, orders = self._finder.ranking.sort, self.description.visible_orders(self.rows.shown_columns)
        if not self._finder.is_sorted:
            self._sort_by(sort)
            return
        place = orders.index(sort.name) if sort.name in orders else -1
        self._sort_by(Sort(orders[(place + 1) % len(orders)]))

    def action_reverse(self) -> None:
        self._sort_by((sort := self._finder.ranking.sort).press(sort.name))

    @on(RowList.SortAsked)
    def _sort_asked(self, message: RowList.SortAsked) -> None:
        sort = self._finder.ranking.sort
        is_again = message.column == sort.name and not self._finder.is_sorted
        self._sort_by(sort if is_again else sort.press(message.column))

    def _sort_by(self, sort: Sort) -> None:
        self._finder.sort_by(sort)
        order = self._finder.find(self.search.value)
        self.rows.show(self._finder.rows, order)
        self._show_counts(order)
        self.keep_sort(sort)

    def _show_sort(self) -> None:
        """Draw the arrow of the order; none while rows are not in it."""
        ranking = self._finder.ranking
        sign = SortSign(self.description.column_of(ranking.sort.name), descending=ranking.is_descending)
        self.rows.set_sort(sign if self._finder.is_sorted else None)

    def _hidden_sort_words(self) -> str:
        """Return `sorted by created ↓` where no visible column has the order, else an empty text."""
        ranking, shown = self._finder.ranking, self.rows.shown_columns
        is_named = self.description.names_order and self._finder.is_sorted
        if not shown or self.description.column_of(ranking.sort.name) in shown or not is_named:
            return ""
        return f"sorted by {ranking.sort.name} {self.rows.arrow(descending=ranking.is_descending)}  "

    # Going to a record

    def go_to(self, record: RecordId) -> None:
        """Put the cursor on a record, and the focus on the list."""
        self.stand_on(record)
        self.set_focus(self.rows)

    def stand_on(self, record: RecordId) -> None:
        """Put the cursor on a record once it has arrived; a search that hides it is cleared with a toast."""
        self._sought = record
        self.seek()

    def seek(self) -> None:
        """Continue to look for the record for the cursor."""
        record, rows = self._sought, self.rows
        if record is None:
            return
        row = None if rows.select(record) else rows.row_of(record)
        if row is not None:
            line, words = self._finder.line_showing(row), self.search.value.strip()
            self.search.set_line(line)
            rows.select(record)
            name = self.description.key(row)
            cleared = f"the search {words} was cleared: it hid {name}"
            show_toast(self.app, Notice(f"the search is {line} now, to show {name}" if line else cleared))
        if row is not None or rows.row_id == record:
            self._sought = None
