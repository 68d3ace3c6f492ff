"""The frame of every list: header, tabs, search line, rows, preview, keys. Subclasses bring the rows."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label

from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header, Link, Location, Tab, Tabs
from flagtui.app.widgets.line import Line, styled
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.screen_lifecycle import OwnedScreen
from flagtui.app.widgets.search_line import SearchLine
from flagtui.config.preferences import LeftList
from flagtui.store.query.line_edits import Chip
from flagtui.text.styled import Piece

STANDARD = 76
"""Columns from which the filters have room beside the search line."""
WIDE = 110
"""Columns from which the preview has room beside the list."""


class ChipLine(Line):
    """The filters and the count: how many fit is known once it has its size. A click moves a filter on."""

    _places: Sequence[tuple[int, str]] = ()
    """How far from its right end each filter ends, in cells, and its label."""

    def show_chips(self, chips: Sequence[Chip], end: Sequence[Piece]) -> None:
        """Draw these filters, and what stands at the end."""
        pieces: list[Piece] = []
        left = sum(cell_len(text) for text, _style in end)
        places: list[tuple[int, str]] = []
        for chip in reversed(chips):
            places.append((left, chip.label))
            left += cell_len(f"{chip.label} {chip.value}  ")
        for chip in chips:
            style = "$primary" if chip.is_set else ""
            pieces += [(f"{chip.label} ", "$faint"), (f"{chip.value}  ", style)]
        self._places = [*places, (left, "")]
        self.show(styled(), styled(*pieces, *end))

    async def on_click(self, event: events.Click) -> None:
        from_end = self.content_size.width - 1 - (event.x - self.gutter.left)
        passed = [label for start, label in self._places if start <= from_end]
        if passed and passed[-1] and isinstance(self.screen, BrowseScreen):
            self.screen.move_filter(passed[-1])

    def on_resize(self, _event: events.Resize) -> None:
        if isinstance(self.screen, BrowseScreen):
            self.screen.reframe()


class BrowseScreen(OwnedScreen[None]):
    """Puts the frame together and keeps it true; subclasses say what is searched and drawn."""

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
    """Where what the keys change here is, for a screen that knows it better than their names do."""

    @abstractmethod
    def make_rows(self) -> RowList[Any]:
        """The list of this screen."""

    @abstractmethod
    def make_search(self) -> SearchLine:
        """The search line of this screen."""

    @abstractmethod
    def make_preview(self) -> Any:
        """The pane beside the list."""

    def compose(self) -> ComposeResult:
        yield Header()
        yield Tabs()
        with Horizontal(id="search-bar"):
            yield Label("/", id="search-prompt", markup=False)
            yield self.make_search()
            yield ChipLine(id="chips")
        with Horizontal(id="body"):
            rows = self.make_rows()
            if self.starts_at.record is not None:
                rows.prefer(self.starts_at.record)
            yield rows
            yield self.make_preview().add_class("-beside")
        yield KeyLine()

    @property
    def rows(self) -> RowList[Any]:
        return self.query_one(RowList)

    @property
    def search(self) -> SearchLine:
        return self.query_one(SearchLine)

    def on_mount(self) -> None:
        if self.starts_at.line:
            self.search.set_line(self.starts_at.line)

    def left(self) -> LeftList:
        """How the list is left now."""
        return LeftList(self.search.value, self.rows.row_id) if self.is_mounted else self.starts_at

    def show_frame(self, location: Location, link: Link, tabs: Sequence[Tab], current: str) -> None:
        """Draw the two lines above."""
        self.query_one(Header).show_location(location, link)
        self.query_one(Tabs).show_tabs(list(tabs), current)

    def show_chips(self, chips: Sequence[Chip], end: Sequence[Piece]) -> None:
        """`state any  type any  runtime any   2 marked  12 of 248`; `end` is what follows the chips.

        Where there is no room for all of it, chips that filter nothing go first.
        """
        line = self.query_one(ChipLine)
        room = line.size.width - sum(cell_len(text) for text, _ in end)
        shown = [chip for chip in chips if self.size.width >= STANDARD]
        while shown and sum(cell_len(f"{chip.label} {chip.value}  ") for chip in shown) > room:
            shown.remove(next((chip for chip in shown if not chip.is_set), shown[0]))
        line.show_chips(shown, end)

    def move_filter(self, label: str) -> None:
        """On to the next value of the filter with this label."""

    def on_resize(self, _event: events.Resize) -> None:
        self.reframe()

    def on_screen_resume(self) -> None:
        # What is known has gone on while another screen was in front.
        self.redraw_ages()

    def redraw_ages(self) -> None:
        """Draw every age again; called once a minute."""
        self.rows.redraw_ages()
        self.reframe()

    @abstractmethod
    def reframe(self) -> None:
        """Draw everything around the rows again: the size or what is known has changed."""

    def action_rows(self, what: str) -> None:
        """Hand a key to the list wherever the focus is, so that arrows work while typing a query."""
        action = getattr(self.rows, f"action_{what}")
        action()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash typed into the search line is text."""
        return not (action == "search" and isinstance(self.focused, SearchLine))

    def action_search(self) -> None:
        """Go to the line; what is typed takes the place of what was searched before, an arrow keeps it."""
        self.set_focus(self.search)
        self.search.select_all()

    def action_mark_shown(self) -> None:
        if self.rows.marks:
            self.rows.action_clear_marks()
        else:
            self.rows.action_mark_all()

    def action_preview(self) -> None:
        self.toggle_class("-preview")

    def leave_line(self) -> None:
        """Go on to the rows; the very next key is theirs."""
        self.set_focus(self.rows)

    def action_back(self) -> None:
        """One step outward: from the line to the rows, then out of the search, then out of what is left."""
        if self.focused is self.search:
            self.set_focus(self.rows)
        elif self.search.value:
            self.search.set_line("")
        else:
            self.leave_rows()

    def leave_rows(self) -> None:
        """The last step outward."""
        self.rows.action_clear_marks()
