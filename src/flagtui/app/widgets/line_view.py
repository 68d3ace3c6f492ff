"""A long text with a cursor: draws the lines on screen and no others."""

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from flagtui.text.styled import Piece

Lines = Sequence[Sequence[Piece]]


class LineView(Widget, can_focus=True):
    """Shows `lines`; `place` is the line under the cursor, -1 without lines."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineView { height: 1fr; width: 1fr; }"

    class Moved(Message):
        """The cursor is on another line."""

        def __init__(self, view: "LineView") -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> "LineView":
            return self.view

    class Chosen(Moved):
        """A line was clicked twice."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Lines = ()
        self._top = 0
        self.place = -1

    @property
    def cursor_line(self) -> int:
        """The line under the cursor, counted from the first one shown; -1 without lines."""
        return self.place - self._top if self.place >= 0 else -1

    @property
    def height(self) -> int:
        """Lines that fit."""
        return max(1, self.size.height)

    def show(self, lines: Lines, place: int | None = None) -> None:
        """Show these lines with the cursor where it was, or at `place`."""
        self._lines = lines
        wanted = self.place if place is None else place
        self.place = min(max(wanted, 0), len(lines) - 1)
        self._follow()
        self.refresh()

    def move(self, way: str) -> None:
        """`down`, `up`, `page_down`, `page_up`, `first` or `last`."""
        steps = {"down": 1, "up": -1, "page_down": self.height - 1, "page_up": 1 - self.height}
        ends = {"first": -len(self._lines), "last": len(self._lines)}
        self.go_to(self.place + (steps | ends).get(way, 0))

    def go_to(self, place: int) -> None:
        """Put the cursor on a line; the ends stay the ends."""
        place = min(max(place, 0), len(self._lines) - 1)
        if place != self.place:
            self.place = place
            self._follow()
            self.refresh()
            self.post_message(self.Moved(self))

    def _follow(self) -> None:
        self._top = min(self._top, max(0, self.place))
        self._top = max(self._top, self.place - self.height + 1, 0)
        self._top = min(self._top, max(0, len(self._lines) - self.height))

    def on_resize(self, _event: events.Resize) -> None:
        self._follow()

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is not None and self._top + at.y < len(self._lines):
            self.go_to(self._top + at.y)
            if event.chain == 2:
                self.post_message(self.Chosen(self))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.go_to(self.place + 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.go_to(self.place - 3)

    def render(self) -> Content:
        width = self.content_size.width
        shown = []
        for place, line in enumerate(self._lines[self._top : self._top + self.height], self._top):
            text = Content.assemble(*line).truncate(width, ellipsis=True)
            if place == self.place:
                text = text.pad_right(max(0, width - text.cell_length)).stylize_before("on $row-cursor")
            shown.append(text)
        return Content("\n").join(shown)
