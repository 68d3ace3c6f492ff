"""Two emulated terminals fed by one run: one as Textual writes frames, one by changed cells only."""

from collections import Counter
from typing import Any, Final

import pyte
from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.segment import Segment
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.screen import Screen
from textual.strip import Strip

from flagtui.app.terminal.encoder import Encoder
from flagtui.app.terminal.output import KNOWN_FRAMES, patches_of
from flagtui.app.terminal.screen_cells import Pens, moves_surely

COMPARED: Final = Counter[int]()
"""How many times two screens were found equal, by their width."""

Look = tuple[object, ...]


class DisplaysDiffer(Exception):
    """Changed cells show something else than whole frames do. No assertion, so that no test can expect it."""


class TwoDisplays:
    """Takes every frame of an app and writes it both ways."""

    def __init__(self) -> None:
        self._console = Console(color_system="truecolor", force_terminal=True, legacy_windows=False)
        self._encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
        self._size = (0, 0)
        self._plain = self._changed = (pyte.Screen(1, 1), pyte.Stream())

    def take(self, frame: object, width: int, height: int) -> None:
        """Write a frame to both; a terminal of another size begins blank."""
        if not isinstance(frame, KNOWN_FRAMES):
            return
        if self._size != (width, height):
            self._size = (width, height)
            self._plain, self._changed = _terminal(width, height), _terminal(width, height)
        drawable = _drawable(frame)
        self._plain[1].feed(drawable.render_segments(self._console))
        self._changed[1].feed(self._encoder.encode(width, height, patches_of(drawable)))

    def compare(self, app: App[Any]) -> None:
        """Compare every cell of both with each other, and with the screen laid out and drawn anew.

        Raises DisplaysDiffer with the first line that differs.
        """
        plain, changed = self._plain[0], self._changed[0]
        drawn = _laid_out_anew(app)
        for y, text in enumerate(drawn if self._size == app.size else ()):
            if (expected := _looks(plain, y)) != (shown := _looks(changed, y)):
                at = next(
                    x for x, (cell, other) in enumerate(zip(expected, shown, strict=True)) if cell != other
                )
                raise DisplaysDiffer(
                    f"cell {at} of line {y} is {shown[at]}, not {expected[at]}\n"
                    f"whole frames:  {_text(plain, y)!r}\nchanged cells: {_text(changed, y)!r}"
                )
            if text != _text(changed, y):
                raise DisplaysDiffer(f"line {y} shows {_text(changed, y)!r}\nbut it is {text!r}")
        COMPARED[self._size[0]] += 1


class TwiceDisplayed(App[None]):
    """To mix into an app: two terminals watch it."""

    def __init__(self, *arguments: Any) -> None:
        self.displays = TwoDisplays()
        super().__init__(*arguments)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if not self._batch_count:
            self.displays.take(renderable, *self.size)


def _laid_out_anew(app: App[Any]) -> list[str]:
    """What each line of the screen says when nothing is remembered of the frames before."""
    visible_screen_stack.set(app._background_screens)
    compositor = Compositor()
    compositor.reflow(app.screen, app.size)
    strips = (_sure(strip) for strip in compositor.render_strips())
    return ["".join(segment.text for segment in strip) for strip in strips]


def _terminal(width: int, height: int) -> tuple[pyte.Screen, pyte.Stream]:
    screen = pyte.Screen(width, height)
    screen.set_mode(pyte.modes.LNM)
    stream = pyte.Stream(screen)
    stream.feed("\x1b[?7l")
    return screen, stream


def _drawable(frame: Any) -> Any:
    """The same frame without characters of whose width the emulator thinks otherwise than the program."""
    if isinstance(frame, LayoutUpdate):
        return LayoutUpdate([[_sure(strip) for strip in strips] for strips in frame.strips], frame.region)
    lines = {y for y, _, _ in frame.spans}
    chops = [
        {x: strip and _sure(strip) for x, strip in line.items()} if y in lines else line
        for y, line in enumerate(frame.chops)
    ]
    return ChopsUpdate(chops, frame.spans, frame.chop_ends)


def _sure(strip: Strip) -> Strip:
    if all(segment.text.isascii() for segment in strip):
        return strip
    return Strip([Segment(_sure_text(text), style, control) for text, style, control in strip])


def _sure_text(text: str) -> str:
    clusters = ((text[start:end], width) for start, end, width in split_graphemes(text)[0])
    return "".join(cluster if moves_surely(cluster) else "?" * width for cluster, width in clusters)


def _text(screen: pyte.Screen, y: int) -> str:
    return "".join(screen.buffer[y][x].data for x in range(screen.columns))


def _looks(screen: pyte.Screen, y: int) -> list[Look]:
    return [_look(screen.buffer[y][x]) for x in range(screen.columns)]


def _look(cell: Any) -> Look:
    """What a person sees of a cell: the colour of the character of a blank is nothing to be seen."""
    drawn = (cell.underscore, cell.reverse, cell.strikethrough)
    if cell.data == " ":
        return " ", cell.bg, *drawn, cell.fg if any(drawn) else ""
    return cell.data, cell.bg, *drawn, cell.fg, cell.bold, cell.italics
