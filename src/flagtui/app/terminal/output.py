"""Write what Textual draws to the terminal: text and nothing else, as patches for the encoder."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.screen_cells import Pens
from flagtui.safe_text import split_joined
from flagtui.text.styled import is_own

_OBEYED: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)
"""C0, DEL, C1, marks that reorder text, line separators, surrogates."""

_ASCII_DRAWN: Final[dict[str, str]] = {
    "─╌╍−–—": "-",
    "━═": "=",
    "│┃║▏▌▐▕╎": "|",
    "┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋": "+",
    "▔▀": "^",
    "▁▂▃▄□": "_",
    "▅▆▇█▓■": "#",
    "●•◉": "*",
    "○◌◎◔◆": "o",
    "▶›→≥": ">",
    "◀‹←≤": "<",
    "▲↑": "^",
    "▼↓": "v",
    "…·": ".",
    "✓✔": "+",
    "✗×": "x",
    "⚠": "!",
    "±": "~",
    "Δ": "d",
    "χ": "X",
    "²": "2",
    "“”": '"',
    # A question mark would name the key of the help.
    "⏎": "$",
}
_ASCII: Final = {ord(drawn): plain for group, plain in _ASCII_DRAWN.items() for drawn in group}


class JoinedCharacter(Segment):
    """A character of several code points. A cut through it leaves blanks, as through a wide character.

    Rich cuts segments between any two code points, and so parts emoji that are joined.
    """

    __slots__ = ()

    def split_cells(self, cut: int) -> tuple[Segment, Segment]:
        text, style, _control = self
        width = cell_len(text)
        if not 0 < cut < width:
            nothing = Segment("", style)
            return (nothing, self) if cut <= 0 else (self, nothing)
        return Segment(" " * cut, style), Segment(" " * (width - cut), style)


class ControlFence(LineFilter):
    """Deletes control characters and links from every segment; `removed` counts them and must stay 0.

    Links to pages of `own_host` stay. `ascii_only` also replaces characters that the terminal's
    encoding lacks, cell for cell.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self.removed = 0
        self.own_host = ""
        """Such as https://eu.posthog.com."""
        self._ascii_only = ascii_only

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        cleaned: list[Segment] = []
        for segment in segments:
            if _is_clean(segment):
                cleaned.append(segment)
            else:
                cleaned.extend(self._clean(segment))
        return cleaned

    def _clean(self, segment: Segment) -> Iterable[Segment]:
        """Return the drawable segments, with each joined character in a segment of its own."""
        text, style, control = segment
        if control:
            return [segment]
        kept, count = _OBEYED.subn(lambda match: "?" * cell_len(match[0]), text)
        self.removed += count
        link = style.link if style is not None else None
        if style is not None and link is not None and not is_own(link, self.own_host):
            self.removed += 1
            style = style.update_link(None)
        if self._ascii_only:
            return [Segment(_in_ascii(kept), style)]
        return [
            (JoinedCharacter if is_joined else Segment)(part, style) for part, is_joined in split_joined(kept)
        ]


class FilterChain(LineFilter):
    """Filters one after the other, as one: every line becomes a new strip once, not once for each."""

    def __init__(self, filters: Iterable[LineFilter]) -> None:
        super().__init__()
        self.filters = tuple(filters)

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for line_filter in self.filters:
            segments = line_filter.apply(segments, background)
        return segments


def _is_clean(segment: Segment) -> bool:
    style: Style | None = segment.style
    return segment.text.isascii() and segment.text.isprintable() and (style is None or style.link is None)


def _in_ascii(text: str) -> str:
    parts = split_joined(text.translate(_ASCII))
    return "".join(_part_in_ascii(part, is_joined=is_joined) for part, is_joined in parts)


def _part_in_ascii(part: str, *, is_joined: bool) -> str:
    drawn = "".join(each if each.isascii() else "?" * cell_len(each) for each in part)
    # Terminals draw a joined emoji in fewer cells than its parts.
    return "?" * cell_len(part) if is_joined and len(drawn) != cell_len(part) else drawn


try:
    from textual._compositor import ChopsUpdate, LayoutUpdate
except ImportError:  # A later Textual without them: frames are sent as Textual sends them.
    KNOWN_FRAMES: tuple[type, ...] = ()
else:
    KNOWN_FRAMES = (LayoutUpdate, ChopsUpdate)

SWITCH: Final = "FLAGTUI_PLAIN_DISPLAY"
"""Set to anything but 0: send frames as Textual does, for terminals the encoder does not suit."""

_PRIVATE_NAMES: Final = (
    "_display",
    "_batch_count",
    "_running",
    "_closed",
    "_driver",
    "_begin_update",
    "_end_update",
)


def make_encoder(app: App[Any], environment: Mapping[str, str] = os.environ) -> Encoder | None:
    """Create the encoder of this terminal; None if it is switched off or Textual has another version."""
    is_known = KNOWN_FRAMES and all(hasattr(app, name) for name in _PRIVATE_NAMES)
    if not is_known or os.name == "nt" or environment.get(SWITCH, "0") not in {"", "0"}:
        return None
    # GNU screen, unlike every other, erases in the terminal's own background.
    return Encoder(Pens(_colours(app.console)), erases="STY" not in environment)


def patches_of(frame: object) -> Iterator[Patch]:
    """Yield the pieces of a frame that were drawn again.

    Of a partial frame, only the pieces that its spans touch are valid: elsewhere, a widget outside of
    the frame is missing, and the widget below it was drawn instead.
    """
    if isinstance(frame, LayoutUpdate):
        for y, strips in enumerate(frame.strips, frame.region.y):
            yield Patch(y, frame.region.x, chain.from_iterable(strips))
    elif isinstance(frame, ChopsUpdate):
        for y, start, stop in frame.spans:
            for end, (x, strip) in zip(frame.chop_ends[y], frame.chops[y].items(), strict=False):
                if strip is not None and x < stop and end > start:
                    yield Patch(y, x, strip)


def _colours(console: Console) -> ColorSystem:
    return COLOR_SYSTEMS.get(console.color_system or "truecolor", ColorSystem.TRUECOLOR)
