"""The frame of every list: header, tabs, search line, rows, preview and keys, restored as they were left."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label

from flagtui.app.lists.list_description import QUERY_KEYS, ListDescription
from flagtui.app.shell.header import Tab
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.column_layout import Column
from flagtui.app.widgets.line import cells_of
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.screen_lifecycle import is_living
from flagtui.app.widgets.search_line import ChipLine, LineHistory, SearchLine
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.config.preferences import LeftList, Preferences
from flagtui.safe_text import safe_text
from flagtui.store.finder import Finder
from flagtui.store.query.line_edits import Chip
from flagtui.store.sort_orders import Sort
from flagtui.text.styled import Notice, Piece

if TYPE_CHECKING:
    from flagtui.config.settings import SavedQuery

STANDARD = 76
"""Columns from which the filters have room beside the search line."""
WIDE = 110
"""Columns from which the preview has room beside the list."""
FIRST_QUERY: Final = 5
"""The key of the first saved search; the tabs before it are the lists."""


class BrowseScreen(FramedScreen):
    """Puts the list into its frame and keeps both current; subclasses define search and drawing.

    Settings of a list are stored under its name, for the next run too.
    """

    DEFAULT_CLASSES = "-browse"
    # What the style sheets go by: Textual forgets a base class that is not the first one.
    HORIZONTAL_BREAKPOINTS = [
        (0, "-narrow"),
        (STANDARD, "-standard"),
        (WIDE, "-wide"),
        (160, "-wider"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
    AUTO_FOCUS = "RowList"
    starts_at = LeftList()
    """How the list was left at the end of the last run."""
    place = ""
    """The place of what the keys change here, for a screen that knows it better than their names do."""
    description: ListDescription[Any]
    tab: str
    """The key of its tab."""

    def __init__(self, app_state: AppState, runner: ChangeRunner, finder: Finder[Any] | None = None) -> None:
        super().__init__()
        self._app_state = app_state
        self._runner = runner
        self._row_list: RowList[Any] | None = None
        self._finder: Finder[Any] = finder or Finder(
            listing=self.description.listing, sort=self.description.sort, clock=app_state.session.clock.time
        )

    @abstractmethod
    def make_search(self) -> SearchLine:
        """Return the search line of this screen."""

    @abstractmethod
    def make_preview(self) -> Any:
        """Return the pane beside or below the list."""

    def body(self) -> ComposeResult:
        # Before there is anything in it whose styles it would change.
        self.set_class(self.preferences.shows_preview, "-preview", update=False)
        with Horizontal(id="search-bar"):
            yield Label("/", id="search-prompt", markup=False)
            yield self.make_search()
            yield ChipLine(id="chips")
        with Horizontal(id="body"):
            columns = self.all_columns()[: len(self.description.columns)]
            rows = RowList(columns, clock=lambda: self._app_state.session.now())
            if self.starts_at.record is not None:
                rows.prefer(self.starts_at.record)
            self._row_list = rows
            yield rows
            yield self.make_preview().add_class("-beside")

    @property
    def rows(self) -> RowList[Any]:
        # Every key and every count asks for them; a query walks the screen each time.
        return self._row_list if self._row_list is not None else self.query_one(RowList)

    @property
    def marked(self) -> int:
        """The number of marked records, visible or not."""
        return len(self._row_list.marks) if self._row_list is not None else 0

    @property
    def search(self) -> SearchLine:
        return self.query_one(SearchLine)

    def on_mount(self) -> None:
        if self.starts_at.line:
            self.search.set_line(self.starts_at.line)

    def left_list(self) -> LeftList:
        """Return the state of the list, to restore it later."""
        return LeftList(self.search.value, self.rows.row_id) if self.is_mounted else self.starts_at

    def show_chips(self, chips: Sequence[Chip], end: Sequence[Piece], order: str = "") -> None:
        """Draw these filters where there is room for any and no error, and the pieces at the end.

        `order` comes before them where all of it has room.
        """
        if order and cell_len(order) + cells_of(end) <= self.chip_room:
            end = [(order, "$primary"), *end]
        line, search = self.query_one(ChipLine), self.search
        has_reason = bool(search.reason)
        line.make_room(end, self.size.width, cell_len(search.value), has_reason=has_reason)
        line.show_chips(() if has_reason or self.size.width < STANDARD else chips, end)

    @property
    def chip_room(self) -> int:
        """The most cells that the end of the search line can have beside what is typed."""
        return self.query_one(ChipLine).most_cells(self.size.width, cell_len(self.search.value))

    def on_resize(self, _event: events.Resize) -> None:
        self.reframe()

    @on(ChipLine.Resized)
    def _on_chips_resized(self) -> None:
        self.reframe()

    def on_screen_resume(self) -> None:
        if is_living(self):
            self.draw_resumed()

    def draw_resumed(self) -> None:
        """Draw what has gone on while another screen was in front."""
        self.redraw_ages()

    def redraw_ages(self) -> None:
        """Draw every age again; called once a minute."""
        self.rows.redraw_ages()
        self.reframe()

    @abstractmethod
    def reframe(self) -> None:
        """Draw everything around the rows again: the size or the state has changed."""

    def action_rows(self, what: str) -> None:
        """Hand a key to the list wherever the focus is, so that arrows work while typing a query."""
        action = getattr(self.rows, f"action_{what}")
        action()

    def action_search(self) -> None:
        """Move to the search line; typed text replaces the previous query, an arrow keeps it."""
        self.set_focus(self.search)
        self.search.select_all()

    def action_preview(self) -> None:
        """Show or hide the preview: beside the list where there is room, below it where there is not."""
        if self.size.width < WIDE:
            self.toggle_class("-below")
        else:
            self.toggle_class("-preview")
            self.preferences.keep_preview(self.has_class("-preview"))

    @property
    def clears_on_escape(self) -> bool:
        return self.focused is not self.search and (bool(self.search.value) or self.marked > 0)

    @property
    def is_outermost(self) -> bool:
        """Whether Escape has nothing to clear or to leave."""
        return self.focused is not self.search and not self.clears_on_escape

    def action_back(self) -> None:
        """Go one step outward: from the line to the rows, out of the search, then out of the marks."""
        if self.focused is self.search:
            self.set_focus(self.rows)
        elif self.search.value:
            self.search.set_line("")
        else:
            self.leave_rows()

    def leave_rows(self) -> None:
        """Clear the marks, as the last step outward."""
        self.rows.action_clear_marks()

    # What is remembered

    @property
    def preferences(self) -> Preferences:
        """The preferences of the user for lists."""
        return self._app_state.session.preferences

    def all_columns(self) -> tuple[Column[Any], ...]:
        """Return every column, drawn with the data of this screen."""
        return (*self.description.columns, *self.description.more_columns)

    def columns_shown(self) -> tuple[Column[Any], ...]:
        """Return the columns chosen for this list, else its own."""
        names = self.preferences.columns.get(self.description.name, ())
        return self.description.columns_named(names, self.all_columns())

    def apply_preferences(self) -> None:
        """Put the list as the person left it."""
        preferences, name = self.preferences, self.description.name
        self.set_class(preferences.shows_preview, "-preview")
        self.rows.set_columns(self.columns_shown())
        self.search.history = LineHistory(tuple(reversed(preferences.remembered.history)))
        sort = preferences.remembered.sorts.get(name, "")
        if sort.removeprefix("-") in self.description.listing.orders:
            self._finder.sort_by(Sort(sort.removeprefix("-"), sort.startswith("-")))
        names = self.description.column_names
        if unknown := [each for each in preferences.columns.get(name, ()) if each not in names]:
            words = f"{name} has no column {safe_text(unknown[0], 40)}; use {', '.join(names)}"
            show_toast(self.app, Notice(words, "warning", "settings"))

    def keep_sort(self, sort: Sort) -> None:
        """Remember the sort order for the next run; the default needs no remembering."""
        own = sort_text(self.description.sort)
        if sort_text(sort) != self.preferences.remembered.sorts.get(self.description.name, own):
            self.preferences.keep_sort(self.description.name, sort_text(sort))

    def action_columns(self) -> None:
        self._runner.run(self.while_living(self._choose_columns()))

    async def _choose_columns(self) -> None:
        from flagtui.app.lists.list_choices import choose_columns

        shown, every = self.columns_shown(), self.all_columns()
        chosen = await choose_columns(self._runner, self.description, shown, every)
        if chosen is None:
            return
        wrong = self.preferences.keep_columns(self.description.name, chosen)
        self.rows.set_columns(self.columns_shown())
        if wrong:
            show_toast(self.app, Notice(wrong, "warning"))

    # Saved searches

    def own_tabs(self) -> list[Tab]:
        """Return the tabs before those of saved searches."""
        return super().frame_tabs()

    def frame_tabs(self) -> list[Tab]:
        """Return the lists, then the saved searches with how many rows each finds, where it can be read."""
        tabs = self.own_tabs()
        queries = self.preferences.queries_of(self.description.name)[:QUERY_KEYS]
        for key, query in enumerate(queries, FIRST_QUERY):
            number = self._finder.count(query.line)
            words = "" if number is None else f"{number:,}"
            tabs.append(Tab(str(key), safe_text(query.name, 24), words))
        return tabs

    def saved_query(self, key: int) -> "SavedQuery | None":
        """Return the saved search that this digit goes to."""
        named = self.preferences.queries_of(self.description.name)[:QUERY_KEYS]
        return next(iter(named[key - FIRST_QUERY :]), None)

    def current_tab(self) -> str:
        """Return the saved search in the line, else the list."""
        line = self.search.value.strip()
        for place, query in enumerate(self.preferences.queries_of(self.description.name)[:QUERY_KEYS]):
            if line and line == query.line.strip():
                return str(FIRST_QUERY + place)
        return self.tab


def sort_text(sort: Sort) -> str:
    """Return the sort order as it is remembered: a minus in front reverses it."""
    return f"{'-' if sort.is_reversed else ''}{sort.name}"
