"""The last fence before the terminal: whatever got this far, it is text and nothing else."""

import re
from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from flagtui.text.styled import is_own

_OBEYED: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)
"""C0, DEL, C1, marks that reorder text, line separators, surrogates."""

_ASCII_DRAWN: Final[dict[str, str]] = {
    "─╌╍": "-",
    "━═": "=",
    "│┃║▏▌▐▕╎": "|",
    "┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋": "+",
    "▔▀": "^",
    "▁▂▃▄": "_",
    "▅▆▇█▓": "#",
    "●•◉": "*",
    "○◌◎": "o",
    "▶›→": ">",
    "◀‹←": "<",
    "▲↑": "^",
    "▼↓": "v",
    "…·": ".",
    "✓✔": "+",
    "✗×": "x",
    "⚠": "!",
}
_ASCII: Final = {ord(drawn): plain for group, plain in _ASCII_DRAWN.items() for drawn in group}


class ControlFence(LineFilter):
    """Deletes control characters and links from every segment; `removed` counts them and must stay 0.

    Links to pages of `own_host` stay, where there is one. With `ascii_only` it also swaps what the terminal's
    encoding cannot write, cell for cell.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self.removed = 0
        self.own_host = ""
        """Such as https://eu.posthog.com."""
        self._ascii_only = ascii_only

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [segment if _is_clean(segment) else self._clean(segment) for segment in segments]

    def _clean(self, segment: Segment) -> Segment:
        text, style, control = segment
        if control:
            return segment
        kept, count = _OBEYED.subn(lambda found: "?" * cell_len(found[0]), text)
        self.removed += count
        link = style.link if style is not None else None
        if style is not None and link is not None and not is_own(link, self.own_host):
            self.removed += 1
            style = style.update_link(None)
        return Segment(_in_ascii(kept) if self._ascii_only else kept, style)


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
    return "".join(
        character if character.isascii() else "?" * cell_len(character)
        for character in text.translate(_ASCII)
    )
