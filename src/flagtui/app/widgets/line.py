"""One line of styled text with a left and a right end; repaints itself only when the text changed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.css.styles import RulesMap
from textual.dom import DOMNode
from textual.widget import Widget

from flagtui.safe_text import boundary
from flagtui.text.styled import Piece

BETWEEN_KEYS: Final = " · "
"""Between two keys at the edge of a dialog."""
APART: Final = 2
"""Cells between the two ends, so that they are never read as one."""
LONGEST_LABEL: Final = 24
"""Cells of a label with the room after it, or of a mark."""
_WORDS: Final = re.compile(r"[^ ]+ *")
LEAST: Final = 8
"""Cells of the right end that are worth drawing."""


def styled(*pieces: Piece | str) -> Content:
    """Put pieces together without ever reading them as markup."""
    return Content.assemble(*pieces)


class Lines(Content):
    """Lines as one text, whose height takes no wrapping in a width that has room for each of them."""

    __slots__ = ()

    def get_height(self, rules: RulesMap, width: int) -> int:
        if self.get_optimal_width(rules, width) <= width:
            return self.plain.count("\n") + 1
        return super().get_height(rules, width)


def join_lines(lines: Iterable[Sequence[Piece]], width: int = 0) -> Content:
    """Join lines; lines wider than `width` continue beside their label, or below their first word."""
    text = Content("\n").join([part for line in lines for part in _hung(line, width)] + [Content()])
    return Lines(text.plain, [*text.spans])


def hung(pieces: Sequence[Piece], width: int) -> Content:
    """Return one line; a wider one than `width` continues beside its label."""
    return Content("\n").join(_hung(pieces, width))


def _hung(pieces: Sequence[Piece], width: int) -> Iterator[Content]:
    line = styled(*pieces)
    width = max(0, width)
    if not pieces or not width or line.cell_length <= width:
        yield line
        return
    label = pieces[0][0]
    label = label if label.endswith(" ") else " " * (len(label) - len(label.lstrip()))
    indent = cell_len(label) if len(label) <= LONGEST_LABEL else 0
    breaks, used = [], indent
    for start, part in _parts(line.plain, indent, width - indent):
        if used + cell_len(part.rstrip()) > width and start > indent:
            breaks.append(start)
            used = indent
        used += cell_len(part)
    for place, content in enumerate(line.divide(breaks)):
        yield (Content(" " * indent) + content.rstrip() if place else content.rstrip())


def _parts(text: str, start: int, room: int) -> Iterator[tuple[int, str]]:
    """Yield words from `start` on with their places; a word wider than `room` comes in parts that fit."""
    for word in _WORDS.finditer(text, start):
        place, rest = word.start(), word[0]
        while room > 1 and cell_len(rest.rstrip()) > room and (part := fit_cells(rest, room).rstrip()):
            yield place, part
            place, rest = place + len(part), rest[len(part) :]
        yield place, rest


class Spot(NamedTuple):
    """A part of a line that can be clicked; it begins where the one before ends."""

    end: int
    """In cells."""
    action: str
    """What a click does; nothing where it is empty."""
    node: DOMNode | None = None
    """Where the action belongs, unless that is the screen."""


class Line(Widget):
    """A fixed line: the header, the tabs, the keys. Never asks for a layout."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Line { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left = Content()
        self._right = Content()
        self._spots: Sequence[Spot] = ()

    def show(self, left: Content, right: Content | None = None, spots: Sequence[Spot] = ()) -> None:
        """Show this text; the right end yields to the left one when there is no room for both."""
        right = right or Content()
        self._spots = spots
        if not (left.is_same(self._left) and right.is_same(self._right)):
            self._left, self._right = left, right
            self.refresh()

    async def on_click(self, event: events.Click) -> None:
        """Run the command of the part under the pointer."""
        at = event.x - self.gutter.left
        spot = next((spot for spot in self._spots if 0 <= at < spot.end), None)
        if spot is not None and spot.action:
            await self.app.run_action(spot.action, spot.node or self.screen)

    def render(self) -> Content:
        width, left, right = self.content_size.width, self._left.cell_length, self._right.cell_length
        if not left or not right or left + APART + right <= width:
            between = Content(" " * max(0, width - left - right))
            return Content.assemble(self._left, between, self._right).truncate(width, ellipsis=True)
        if (room := width - left - APART) >= LEAST:
            return Content.assemble(self._left, " " * APART, self._right.truncate(room, ellipsis=True))
        return self._left.truncate(width, ellipsis=True)


def cells_of(pieces: Iterable[Piece]) -> int:
    """Return the width of these pieces in cells."""
    return sum(cell_len(text) for text, _style in pieces)


def cut(text: str, width: int) -> str:
    """Cut safe text to at most `width` cells."""
    return text if cell_len(text) <= width else fit_cells(text, max(1, width - 1)).rstrip() + "…"


def fill(text: str, width: int) -> str:
    """Return safe text in exactly `width` cells: padded with blanks, or cut with an ellipsis."""
    return fit_cells(cut(text, width), width)


def shorten_longest(pieces: Sequence[Piece], room: int) -> Sequence[Piece]:
    """Return the pieces in `room` cells, the longest one cut; a part of the last, a count, would be wrong."""
    too_wide = cells_of(pieces) - room
    if too_wide <= 0 or len(pieces) < 2:
        return pieces
    place = max(range(len(pieces) - 1), key=lambda place: cell_len(pieces[place][0]))
    text, style = pieces[place]
    end = text[len(text.rstrip()) :]
    left = cut(text.rstrip(), max(1, cell_len(text) - too_wide - len(end)))
    # Part of a number would be another one: `at most 1…` of 100. Other words are not cut either.
    kept = left.removesuffix("…")
    whole = kept.rpartition(" ")[0].removesuffix(",")
    if whole.strip() and text[len(kept)] not in " ,":
        left = f"{whole}…"
    return (*pieces[:place], (left + end, style), *pieces[place + 1 :])


def cut_start(text: str, width: int) -> str:
    """Return the end of safe text in at most `width` cells, as for a path."""
    if cell_len(text) <= width:
        return text
    while cell_len(text) >= width:
        text = text[1:]
    return f"…{text}"


def fit_cells(text: str, width: int) -> str:
    """Return safe text in exactly `width` cells: padded with blanks, or cut before what does not fit.

    Rich counts the two letters of a flag apart, so a cut between them is moved here.
    """
    if width <= 0:
        return ""
    sized = set_cell_size(text, width)
    if sized.isascii() or not text.startswith(sized):
        return sized
    end = boundary(text, len(sized))
    return set_cell_size(text[:end], width) if end < len(sized) else sized
