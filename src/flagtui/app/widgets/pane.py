"""A pane of lines beside a list; never asks for a layout, so a held arrow key costs nothing here."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from flagtui.app.widgets.line import joined
from flagtui.text.styled import Piece

PaneLine = list[Piece]


class Pane(Widget):
    """Draws lines of safe pieces; repaints only when they changed."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[PaneLine] = ()

    def show(self, lines: Sequence[PaneLine]) -> None:
        """Show these lines from now on."""
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render(self) -> Content:
        return joined(self._lines, self.content_size.width)
