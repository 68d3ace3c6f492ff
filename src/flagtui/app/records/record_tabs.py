"""Tabs within the page of a record: their titles on one line, and what each of them shows."""

from collections.abc import Mapping

from rich.cells import cell_len
from textual import events
from textual.containers import VerticalScroll
from textual.widget import Widget

from flagtui.app.widgets.line import Line, styled
from flagtui.text.styled import Piece

Titles = Mapping[str, tuple[str, str]]
"""By tab: its title, and what it is called where there is little room."""


class RecordTabs(Line):
    """The titles, the current one on its own ground. A click opens one."""

    def __init__(self) -> None:
        super().__init__(id="record-tabs")
        self._places: list[tuple[int, str]] = []
        """Where each title ends, in cells, and its tab."""

    def show_tabs(self, titles: Titles, current: str, width: int) -> None:
        """Draw the titles in so many cells."""
        pieces: list[Piece] = []
        end, self._places = 0, []
        is_roomy = sum(cell_len(title) + 3 for title, _ in titles.values()) <= width
        for name, (title, short) in titles.items():
            shown = f" {title if is_roomy else short} "
            pieces.append((shown, "bold $cursor-text on $row-cursor" if name == current else "$text-muted"))
            end += cell_len(shown)
            self._places.append((end, name))
            if is_roomy:
                pieces.append((" ", ""))
                end += 1
        self.show(styled(*pieces))

    async def on_click(self, event: events.Click) -> None:
        at = event.x - self.gutter.left
        name = next((name for end, name in self._places if 0 <= at < end), "")
        if name:
            await self.app.run_action(f"open_tab('{name}')", self.screen)


class RecordPane(Widget):
    """What a tab shows."""

    def move(self, way: str) -> None:
        """`down`, `up`, `page_down`, `page_up`, `first` or `last`."""
        raise NotImplementedError

    def leave_typing(self) -> bool:
        """Out of a line to type in; true when it had the focus."""
        return False


class LinesPane(VerticalScroll, RecordPane, can_focus=True):
    """Lines that scroll."""

    def move(self, way: str) -> None:
        scroll(self, way)


def scroll(body: VerticalScroll, way: str) -> None:
    """`down`, `up`, `page_down`, `page_up`, `first` or `last`."""
    ways = {
        "down": body.scroll_down,
        "up": body.scroll_up,
        "page_down": body.scroll_page_down,
        "page_up": body.scroll_page_up,
        "first": body.scroll_home,
        "last": body.scroll_end,
    }
    ways[way](animate=False)
