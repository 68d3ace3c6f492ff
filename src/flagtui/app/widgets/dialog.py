"""A screen that is answered, over the one that was there, which is dimmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, Generic

from rich.style import Style as RichStyle
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding
from textual.color import Color
from textual.containers import Vertical
from textual.css.styles import RulesMap
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import Button, OptionList, Static

from flagtui.app.widgets.line import BETWEEN_KEYS, styled
from flagtui.app.widgets.screen_lifecycle import Lifecycle

DIM: Final = RichStyle(dim=True)
SHORT: Final = 20
"""Below so many lines of screen a dialog with many lines has no blank ones."""


class Dialog(Lifecycle[ScreenResultType], ModalScreen[ScreenResultType], Generic[ScreenResultType]):
    """There is one of its kind at a time."""

    IS_SINGLE = True
    leaves = "leave"
    """What Escape does: it goes `back` where that asks the question before."""
    is_typed = False
    """Whether a text is entered in it."""
    replaces_recalled = False
    """Whether typing replaces a recalled text, as it replaces every other value."""
    keep_text: Callable[[str], None] | None = None
    """Stores what is entered when the program ends; None for what may be lost."""
    around = (6, 3)
    """Lines of the box that its list does not have: with blank ones among them, and without."""
    # The screen copies what is selected first.
    BINDINGS = [
        Binding("ctrl+c", "app.simulate_key('escape')", show=False),
        Binding("ctrl+z", "app.suspend", show=False),
    ]

    @cached_property
    def _dimmed(self) -> DimmedScreen:
        return DimmedScreen()

    @property
    def question(self) -> object:
        """The question, equal in all dialogs that ask it; it need not name earlier answers."""
        return type(self)

    @property
    def entered(self) -> Any:
        """The choice or text so far, accepted or not; None for what the dialog began with."""
        return None

    def recall(self, entered: Any) -> None:
        """Begin with what was entered in the same question before."""

    def keep_edits(self, above: Sequence[Screen[Any]]) -> str:
        if self.keep_text is None or not (text := self.entered):
            return ""
        self.keep_text(text)
        return "an open question"

    def make_box(self, id: str, title: str, keys: str) -> Vertical:
        """Return the box of the dialog, with a safe title and its keys at the edges."""
        box = Vertical(id=id)
        box.border_title = styled((f" {title} ", "bold $primary"))
        box.border_subtitle = keys.replace("esc leave", f"esc {self.leaves}")
        return box

    def fit_list(self, count: int) -> None:
        """Give a list of so many lines the room that it has in the box: the frame cuts none of them off."""
        height, (spaced, close) = self.app.size.height, self.around
        # The last line of the screen, with the keys, stays.
        room = height * 80 // 100 if height >= SHORT else height - 1
        is_close = height < SHORT and spaced + count > room
        self.set_class(is_close, "-short")
        self.query_one(OptionList).styles.max_height = max(1, room - (close if is_close else spaced))

    def key_words(self) -> Sequence[str]:
        """Return the keys of the dialog with their words: `⏎ accept`, `esc leave`."""
        edges = (str(box.border_subtitle or "") for box in self.query(Vertical))
        return next(filter(None, edges), "").split(BETWEEN_KEYS)

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self._redraw_keys)

    def _redraw_keys(self) -> None:
        """Have the last line of the screens below show the keys that work now: those of a dialog in front."""
        for screen in self.app.screen_stack:
            if screen is not self:
                screen.bindings_updated_signal.publish(screen)

    def action_leave(self) -> None:
        self.dismiss(None)

    def render(self) -> RenderResult:  # type: ignore[override]  # a visual, as every other widget may
        below = super().render()
        if isinstance(below, BackgroundScreen):
            return self._dimmed.over(below.screen._compositor.render_strips, below.color)
        ground, stack = self.styles.background, self.app.screen_stack
        if ground.ansi is None or stack[0] is self or self not in stack:
            return below
        # The sixteen colours of a terminal cannot be mixed; the library leaves the screen below out.
        return self._dimmed.over(stack[stack.index(self) - 1]._compositor.render_strips, ground)


class AnswerButton(Button, inherit_css=False):
    """An answer to click or to stop at with Tab.

    The styles of the library's button, in all its variants, take an eighth of the time of the first question
    to read.
    """

    DEFAULT_CSS = """
    AnswerButton {
        width: auto;
        min-width: 16;
        height: auto;
        line-pad: 1;
        text-align: center;
        content-align: center middle;
        text-style: bold;
        pointer: pointer;
        &:hover { background: $surface-darken-1; }
        &.-active { tint: $background 30%; }
    }
    """


class DimmedScreen(Visual):
    """The screen below, tinted line by line; an unchanged line is not tinted again.

    A dialog is laid out several times until its text is there, and again for every letter typed into it. The
    library tints every cell below it each time, which is most of what a dialog costs.
    """

    def __init__(self) -> None:
        self._draw: Callable[[], list[Strip]] = list
        self._color = Color(0, 0, 0)
        self._lines: list[tuple[Strip, Strip]] = []
        """Each line as it is below, and tinted."""

    def over(self, draw: Callable[[], list[Strip]], color: Color) -> DimmedScreen:
        """Return the same over the lines that are drawn now, in a color that lets them through."""
        if color != self._color:
            self._color, self._lines = color, []
        self._draw = draw
        return self

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        lines = self._draw()[:height]
        cached = self._lines[: len(lines)]
        for place, line in enumerate(lines):
            if place == len(cached):
                cached.append((line, self._tint(line, width)))
            elif cached[place][0] != line:
                cached[place] = (line, self._tint(line, width))
        self._lines = cached
        return [tinted for _, tinted in cached]

    def _tint(self, line: Strip, width: int) -> Strip:
        if self._color.ansi is not None:
            return line.apply_style(DIM).crop(0, width)
        return Strip(BackgroundScreen.process_segments(line, self._color)).crop(0, width)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return len(self._lines)


class TooSmallScreen(Dialog[None]):
    """Covers everything, dialogs too: a question that cannot be read cannot be answered."""

    # In a cell or two a scroll bar and the text beside it would make room for each other for ever.
    DEFAULT_CSS = "TooSmallScreen { overflow: hidden hidden; }"
    BINDINGS = [Binding("q,ctrl+q", "app.quit", "quit")]

    def __init__(self, smallest: tuple[int, int]) -> None:
        super().__init__()
        self._smallest = smallest

    def compose(self) -> ComposeResult:
        columns, lines = self._smallest
        yield Static(f"flagtui needs {columns}×{lines}.\nMake the window larger,\nor press q.", markup=False)
