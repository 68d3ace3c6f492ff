"""One line of styled text with a left and a right end; repaints itself only when the text changed."""

from textual.content import Content
from textual.widget import Widget

Piece = tuple[str, str]
"""Safe text and its style; no text of a server may get here unless `safe_text` made it."""


def styled(*pieces: Piece | str) -> Content:
    """Put pieces together without ever reading them as markup."""
    return Content.assemble(*pieces)


class Line(Widget):
    """A fixed line: the header, the tabs, the keys. Never asks for a layout."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Line { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left = Content()
        self._right = Content()

    def show(self, left: Content, right: Content | None = None) -> None:
        """Show this text; the right end yields to the left one when there is no room for both."""
        right = right or Content()
        if not (left.is_same(self._left) and right.is_same(self._right)):
            self._left, self._right = left, right
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        room = width - self._left.cell_length - self._right.cell_length
        if room >= 0:
            return Content.assemble(self._left, " " * room, self._right)
        if room + self._right.cell_length >= 8 and self._left.cell_length < width:
            room = width - self._left.cell_length
            return Content.assemble(self._left, self._right.truncate(room, ellipsis=True))
        return self._left.truncate(width, ellipsis=True)
