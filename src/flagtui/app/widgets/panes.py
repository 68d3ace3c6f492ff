"""Many lines of text: panes that show them, and a view of a long text with a cursor."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Generic, TypeVar

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from flagtui.app.widgets.line import join_lines
from flagtui.text.styled import Piece, with_link

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
        return join_lines(self._lines, self.content_size.width)


Lines = Sequence[Sequence[Piece]]


SubjectT = TypeVar("SubjectT")


class AgedPane(Widget, Generic[SubjectT]):
    """Draws the details of one record at the current width, with a link, and ages as of a moment."""

    ALLOW_SELECT = False

    def __init__(self, lines: Callable[[SubjectT, float, int], Iterable[PaneLine]]) -> None:
        super().__init__()
        self._lines = lines
        self._shown: tuple[SubjectT | None, int, str] = (None, 0, "")
        self._now = 0.0

    @property
    def subject(self) -> SubjectT | None:
        """The details that are shown."""
        return self._shown[0]

    def show(self, subject: SubjectT | None, now: float, link: str = "") -> None:
        """Show this subject, with ages as of `now`, in Unix seconds; its name leads to `link`."""
        shown = (subject, int(now) // 60, link)
        if shown != self._shown:
            self._shown, self._now = shown, now
            self.refresh()

    def render(self) -> Content:
        subject, _minute, link = self._shown
        if subject is None:
            return Content("")
        width, height = self.content_size
        # Lines that do not fit are not even put into words.
        lines = islice(self._lines(subject, self._now, width), height)
        return join_lines(with_link(lines, link), width)


class LineView(Widget, can_focus=True):
    """Shows `lines`; `place` is the line under the cursor, -1 without lines."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineView { height: 1fr; width: 1fr; }"

    class Moved(Message):
        """The cursor is on another line."""

    class Chosen(Message):
        """A line was clicked twice."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
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
        target = self.place if place is None else place
        self.place = min(max(target, 0), len(lines) - 1)
        self._follow()
        self.refresh()

    def move(self, way: str) -> None:
        """Move one of the ways `down`, `up`, `page_down`, `page_up`, `first` and `last`."""
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
            self.post_message(self.Moved())

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
                self.post_message(self.Chosen())

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
