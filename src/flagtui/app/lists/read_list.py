"""A list above the tabs: its rows are read when it opens, and on refresh."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from textual import work

from flagtui.api.errors import ApiError
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.header import Tab
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import OpenRecord
from flagtui.app.widgets.panes import Pane
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.store.collection import IdRow
from flagtui.text.empty_states import Words, no_match_words, trouble_words, waiting_words
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece


class ReadList(ListScreen[IdRow]):
    """Subclasses define the source of rows, the preview of a row, and its record."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self._found: Sequence[IdRow] = ()
        self._is_read = False
        self._words: Words | None = None
        """The text in place of rows."""
        self._read_for = app_state.reads, app_state.workspace

    @abstractmethod
    async def read(self) -> Sequence[IdRow] | Words:
        """Read all rows, or return why there are none. Raises ApiError."""

    @abstractmethod
    def about(self, row: IdRow) -> Iterable[list[Piece]]:
        """Return the preview of a row."""

    def count_words(self) -> str:
        """Return the text behind the title of the tab."""
        return f"{len(self._found):,}"

    def own_tabs(self) -> list[Tab]:
        is_counted = self._is_read and not (self.trouble and not self._found)
        return [Tab(self.tab, self.description.title, self.count_words() if is_counted else "")]

    @property
    def is_read(self) -> bool:
        return self._is_read

    def make_preview(self) -> Pane:
        return Pane()

    def draw_preview(self, row: IdRow | None) -> None:
        self.query_one(Pane).show([*self.about(row)] if row is not None else [])

    def on_mount(self) -> None:
        self.read_again()

    def update_from_state(self) -> None:
        """Update the screen after the app's state changed."""
        before, now = self._read_for, (self._app_state.reads, self._app_state.workspace)
        if before == now:
            return
        self._read_for = now
        if before[1] is not now[1]:
            self._leave_project()
        self.read_again()

    def _leave_project(self) -> None:
        """Leave the rows of one project: those of another are not read yet."""
        self._found, self._words, self._is_read = (), None, False
        self._finder.show(())
        self.rows.show((), ())
        self.reframe()

    @work(exclusive=True, group="load")
    async def read_again(self) -> None:
        """Read the rows again. The current ones stay if that fails."""
        self.trouble = None
        try:
            rows = await self.read()
        except ApiError as error:
            self.trouble, rows = error, trouble_words(error)
        self._is_read = True
        self._words = rows if isinstance(rows, Words) else None
        records = () if isinstance(rows, Words) else rows
        if self.trouble is None and records != self._found:
            self._found = records
            self._finder.show(records)
            self.rows.show(records, self._finder.find(self.search.value))
        self.reframe()
        self._look_soon()

    def on_saved(self, _report: object) -> None:
        """Read the rows again after a change, unless the list was closed meanwhile."""
        if self.is_attached:
            self.read_again()

    def words_without(self, total: int) -> Words:
        if total:
            return no_match_words(self.search.value, total)
        if self._words is not None or not self._is_read:
            return self._words or waiting_words(self.description.what)
        return Words((self.why_nothing(), "", f"{key_sign('app.back')} goes back"))

    def why_nothing(self) -> str:
        """Return the sentence in place of rows where there are none."""
        return self.description.nothing

    def action_open(self) -> None:
        if (target := self.needs_target(self.at_cursor())) is not None:
            self.post_message(OpenRecord(target))

    @property
    def is_outermost(self) -> bool:
        return False

    def leave_rows(self) -> None:
        if self.rows.marks:
            super().leave_rows()
        else:
            self.dismiss(None)
