"""The page of a record: frame, tabs, following its record, scrolling, the way back."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self

from rich.cells import cell_len
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.lists.record_links import RecordKeys
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import TABS
from flagtui.app.widgets.line import Line, Spot, styled
from flagtui.app.widgets.panes import LineView
from flagtui.app.widgets.screen_lifecycle import is_living
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.store.collection import IdRow
from flagtui.store.kinds import KINDS
from flagtui.text.styled import Notice, Piece

if TYPE_CHECKING:
    from flagtui.changes.proposal import Report

Titles = Mapping[str, tuple[str, str]]
"""By tab: its title, and a short one for narrow screens."""


class RecordTabs(Line):
    """The titles, the current one on its own ground. A click opens one."""

    def __init__(self) -> None:
        super().__init__(id="record-tabs")

    def show_tabs(self, titles: Titles, current: str, width: int) -> None:
        """Draw the titles in so many cells."""
        pieces: list[Piece] = []
        end, spots = 0, list[Spot]()
        names = sum(cell_len(title) + 2 for title, _ in titles.values())
        is_roomy = names + len(titles) - 1 <= width
        for name, (title, short) in titles.items():
            shown = f" {title if names <= width else short} "
            pieces.append((shown, "bold $cursor-text on $row-cursor" if name == current else "$text-muted"))
            end += cell_len(shown)
            spots.append(Spot(end, f"open_tab('{name}')"))
            if is_roomy:
                pieces.append((" ", ""))
                end += 1
        self.show(styled(*pieces), spots=spots)


class RecordPane(Widget):
    """The content of a tab."""

    def move(self, way: str) -> None:
        """Move one of the ways `down`, `up`, `page_down`, `page_up`, `first` and `last`."""
        raise NotImplementedError

    def show(self, shown: Any) -> None:
        """Draw the current details."""

    def leave_typing(self) -> bool:
        """Move the focus out of an input line; return whether one had it."""
        return False


ENDS: Final = {"first": "home", "last": "end"}
"""What Textual calls these ways."""


class CursorPane(Vertical, RecordPane):
    """Lines with a cursor."""

    @property
    def view(self) -> LineView:
        return self.query_one(LineView)

    def focus(self, scroll_visible: bool = True) -> Self:
        self.view.focus(scroll_visible)
        return self

    def move(self, way: str) -> None:
        self.view.move(way)


class LinesPane(VerticalScroll, RecordPane, can_focus=True):
    """Lines that scroll."""

    def move(self, way: str) -> None:
        scroll(self, way)


def scroll(body: VerticalScroll, way: str) -> None:
    """Scroll one of the ways `down`, `up`, `page_down`, `page_up`, `first` and `last`."""
    getattr(body, f"scroll_{ENDS.get(way, way)}")(animate=False)


WIDE: Final = 110
"""Columns from which there is room beside a page."""


class RecordScreen(RecordKeys, FramedScreen, Generic[IdRow]):
    """Follows its record: saved and received values are drawn at once. Subclasses draw the content."""

    DEFAULT_CLASSES = "-record"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
    AUTO_FOCUS = ""
    tabs: ClassVar[Titles] = {"overview": ("Overview", "Over"), "json": ("JSON", "JSON")}

    def __init__(self, app_state: AppState, runner: ChangeRunner, row: IdRow, tab: str = "overview") -> None:
        super().__init__()
        self._tab = tab
        self.list_tab = TABS[self.kind]
        self._app_state = app_state
        self._runner = runner
        self._row: IdRow = row
        self._workspace = app_state.workspace
        """The project that the page is about."""
        self._is_listed = False
        """Whether the list has the record, or had it: others, such as deleted ones, are opened, too."""
        self._reads = app_state.reads
        self._drawn_for: object = None
        """The tab and the sizes that were drawn last."""

    @property
    def opened_for(self) -> object:
        return self._row.id

    @property
    def pane(self) -> RecordPane:
        """The tab that is open."""
        return self.query_one(f"#tab-{self._tab}", RecordPane)

    @property
    def tab_width(self) -> int:
        """The cells there are for the titles of the tabs."""
        return self.size.width - 6

    def look(self) -> object:
        """Request the missing details of the record."""
        raise NotImplementedError

    def take_row(self, before: IdRow) -> None:
        """Adopt a row that differs from `before`; the page is drawn afterwards."""
        raise NotImplementedError

    def draw_body(self) -> None:
        """Draw the current state."""
        raise NotImplementedError

    @property
    def page_link(self) -> str:
        """The address of the record's page in the product, for its name; empty if it has none."""
        return self._app_state.page_of(self.kind, self._row.id)

    def chosen(self) -> Sequence[IdRow]:
        return [self._row]

    at_cursor = chosen

    def on_report(self, report: "Report[Any, Any]") -> None:
        """Do nothing: a page has no marks."""

    def on_mount(self) -> None:
        self.follow(self._app_state.watch, self.update_from_state)
        if (workspace := self._app_state.workspace) is not None:
            self.follow(workspace.collection(self.kind).watch, self.update_from_state)
            self._is_listed = workspace.collection(self.kind).get(self._row.id) is not None
        self._open()
        self.look()

    def action_open_tab(self, tab: str) -> None:
        self._tab = tab
        self._open()

    def action_step_tab(self, step: int) -> None:
        names = [*self.tabs]
        self.action_open_tab(names[(names.index(self._tab) + step) % len(names)])

    def _open(self) -> None:
        for name in self.tabs:
            self.query_one(f"#tab-{name}").display = name == self._tab
        self.draw()
        self.call_after_refresh(self._draw_laid_out)
        self.pane.focus()

    def _draw_laid_out(self) -> None:
        """Draw again if the layout gave what is within another size."""
        if self._is_complete and self._drawn_for != self._layout:
            self.draw()

    @property
    def _is_complete(self) -> bool:
        """Whether nothing of the page is gone: half of it is when a size or data come as the program ends."""
        return self.is_attached and bool(self.query(KeyLine) and self.query(f"#tab-{self._tab}"))

    @property
    def _layout(self) -> tuple[str, Size, Size]:
        return self._tab, self.size, self.pane.size

    def on_screen_resume(self) -> None:
        """Close the page of a record that went while another screen was in front."""
        workspace = self._app_state.workspace
        if not self._was_on_top or not is_living(self) or workspace is None:
            return
        # Everything else was drawn below the other screen.
        if workspace.collection(self.kind).get(self._row.id) is None:
            self.update_from_state()

    def update_from_state(self) -> None:
        """Draw the current state; a record that is gone closes its page once that is in front."""
        workspace = self._app_state.workspace
        if not self.is_attached or workspace is None:
            return
        row = workspace.collection(self.kind).get(self._row.id)
        is_here = workspace is self._workspace
        if row is None and (self._is_listed or not is_here):
            if self.is_current and is_here and not self._runner.is_saving:
                name = getattr(self._row, KINDS[self.kind].label)
                words = f"{name} was deleted or archived elsewhere; its page is closed"
                self._runner.show_toast(Notice(words, "warning"))
            self.call_later(self.dismiss_here)
            return
        if row is not None:
            self._is_listed = True
            before, self._row = self._row, row
            if row != before:
                self.take_row(before)
                self.query_one(KeyLine).request_keys()
        if self._reads != self._app_state.reads:
            self._reads = self._app_state.reads
            self.look()
        self.draw_later()

    def on_resize(self) -> None:
        # What is within has its size only after the layout.
        self.call_after_refresh(self._draw_laid_out)

    def redraw_ages(self) -> None:
        """Draw every age again; called once a minute."""
        self.draw()

    def draw_later(self) -> None:
        """Draw once for all that has changed by then: drawing a heavy record takes long."""
        self.schedule(self.draw)

    def draw(self) -> None:
        """Draw the frame and its content."""
        if self._is_complete:
            self.draw_frame()
            self.query_one(RecordTabs).show_tabs(self.tabs, self._tab, self.tab_width)
            self.draw_body()
            self._drawn_for = self._layout

    def action_scroll(self, way: str) -> None:
        self.pane.move(way)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for a slash typed into a line, which is text; on the JSON tab it searches the JSON."""
        if action == "search_list" and (self._tab == "json" or isinstance(self.focused, Input)):
            return False
        return super().check_action(action, parameters)

    async def action_search_list(self) -> None:
        """Go back to the list of the record, into its search line."""
        await self.run_action(f"app.tab('{self.list_tab}')")
        if isinstance(front := self.app.screen, BrowseScreen):
            front.action_search()

    def action_back(self) -> None:
        if not self.pane.leave_typing():
            self.dismiss_here()

    def dismiss_here(self) -> None:
        """Close this screen and nothing else."""
        self.dismiss(None)
