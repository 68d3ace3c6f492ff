"""A screen line as cells, each with its pen: styles as a terminal understands them."""

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len, split_graphemes
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style

from flagtui.safe_text import is_flag_letter, split_joined
from flagtui.text.styled import CLOSE, open_link

_ATTRIBUTES: Final[dict[str, str]] = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "underline": "4",
    "blink": "5",
    "blink2": "6",
    "reverse": "7",
    "conceal": "8",
    "strike": "9",
    "underline2": "21",
    "frame": "51",
    "encircle": "52",
    "overline": "53",
}
"""Rich's name of an attribute and the code that turns it on."""
_SEEN_ON_BLANKS: Final = frozenset({"4", "7", "9", "21", "51", "52", "53"})
"""Attributes that show where there is no character."""
KEPT_STYLES: Final = 4096


@dataclass(frozen=True, eq=False)
class Pen:
    """A way to write a cell. There is one object for each, so `is` compares them.

    The colours are the codes that set them, empty for the terminal's own.
    """

    attributes: frozenset[str]
    colour: str
    background: str
    link: str = ""
    """Address that the cell links to; see `styled.py`."""
    blank: "Pen | None" = field(default=None, repr=False)
    """How a blank written with this pen looks; None when this pen is for blanks already."""

    @property
    def on_blank(self) -> "Pen":
        return self.blank or self

    @property
    def is_plain(self) -> bool:
        """Whether a blank in it shows nothing but the background."""
        return not self.link and not (self.attributes & _SEEN_ON_BLANKS)


class Pens:
    """Every pen in use. `system` is the range of colours the terminal can show."""

    def __init__(self, system: ColorSystem) -> None:
        self._system = system
        self._made: dict[tuple[frozenset[str], str, str, str], Pen] = {}
        self._by_style: dict[Style, Pen] = {}
        self._changes: dict[tuple[Pen, Pen], str] = {}
        self.default = self._make(frozenset(), "", "")

    def of(self, style: Style | None) -> Pen:
        """Return the pen for a Rich style, without its click actions."""
        if style is None:
            return self.default
        pen = self._by_style.get(style)
        if pen is None:
            if len(self._by_style) >= KEPT_STYLES:
                # Textual writes into a style where it is on the screen: there is no end to them.
                self._by_style.clear()
            pen = self._by_style[style] = self._read(style)
        return pen

    def change(self, old: Pen, new: Pen) -> str:
        """Return the output that switches a terminal from style `old` to `new`."""
        if old is new:
            return ""
        sent = self._changes.get((old, new))
        if sent is None:
            if len(self._changes) >= KEPT_STYLES:
                self._changes.clear()
            sent = self._changes[(old, new)] = link_change(old.link, new.link) + _shortest(old, new)
        return sent

    def _read(self, style: Style) -> Pen:
        attributes = frozenset(code for name, code in _ATTRIBUTES.items() if getattr(style, name))
        colour, background = self._codes(style.color, True), self._codes(style.bgcolor, False)
        return self._make(attributes, colour, background, style.link or "")

    def _codes(self, colour: Color | None, foreground: bool) -> str:
        if colour is None or colour.is_default:
            return ""
        return ";".join(colour.downgrade(self._system).get_ansi_codes(foreground))

    def _make(self, attributes: frozenset[str], colour: str, background: str, link: str = "") -> Pen:
        key = (attributes, colour, background, link)
        pen = self._made.get(key)
        if pen is None:
            shown = attributes & _SEEN_ON_BLANKS
            for_blank = (shown, colour if shown else "", background, link)
            blank = None if for_blank == key else self._make(*for_blank)
            pen = self._made[key] = Pen(attributes, colour, background, link, blank)
        return pen


def link_change(old: str, new: str) -> str:
    """Return the output that links cells to the address `new`, or nowhere, instead of `old`."""
    if old == new:
        return ""
    return open_link(new) if new else CLOSE


def _shortest(old: Pen, new: Pen) -> str:
    if (old.attributes, old.colour, old.background) == (new.attributes, new.colour, new.background):
        return ""
    whole = ["0", *sorted(new.attributes), *filter(None, (new.colour, new.background))]
    sent = f"\x1b[{';'.join(whole)}m"
    if old.attributes <= new.attributes:
        parts = sorted(new.attributes - old.attributes)
        if old.colour != new.colour:
            parts.append(new.colour or "39")
        if old.background != new.background:
            parts.append(new.background or "49")
        sent = min(sent, f"\x1b[{';'.join(parts)}m", key=len)
    return sent


Cell = tuple[str, Pen]
Row = list[Cell | None]
"""None is a cell whose content on the terminal is not known."""
SECOND_HALF: Final = ""
KEPT_SEGMENTS: Final = 8192
_SURE_WIDTHS: Final = (
    " ~\u00a1\u00ac\u00ae\u02ff\u0370\u0482\u048a\u052f\u2010\u2027\u2190\u2319"
    "\u2336\u23e8\u2400\u25fc\u3041\u3096\u30a0\u30ff\u4e00\u9fff\uac00\ud7a3"
)
"""First and last of each run of scripts, punctuation and drawing characters of which terminals agree how wide
they are. As a pattern it would take 5 ms of every start."""


class CellMaker:
    """Turns segments into cells and caches them: most segments of a frame were in the previous one."""

    def __init__(self, pens: Pens) -> None:
        self._pens = pens
        self._made: dict[tuple[str, Style | None], list[Cell]] = {}
        self._cells: dict[Cell, Cell] = {}
        """Cells that are alike are one object: a segment is a name for some of a few thousand."""

    def lay(self, row: Row, x: int, segments: Iterable[Segment]) -> None:
        """Write the segments over the row from cell `x`; what does not fit is cut off."""
        width = len(row)
        made = self._made
        for text, style, control in segments:
            if control or not text:
                continue
            cells = made.get((text, style))
            if cells is None:
                cells = self._make(text, style)
            row[x : x + len(cells)] = cells
            x += len(cells)
        del row[width:]

    def _make(self, text: str, style: Style | None) -> list[Cell]:
        pen = self._pens.of(style)
        blank = pen.on_blank
        if text.isascii():
            cells = [(c, blank if c == " " else pen) for c in text]
        else:
            cells = _wide_cells(text, pen, blank)
        if len(self._made) >= KEPT_SEGMENTS:
            self._made.clear()
            self._cells.clear()
        cells = [self._cells.setdefault(cell, cell) for cell in cells]
        self._made[(text, style)] = cells
        return cells


def mend_halves(row: Row) -> None:
    """Put a blank wherever only one half of a wide character is left."""
    texts = [cell[0] for cell in row if cell is not None]
    if SECOND_HALF not in texts and cell_len("".join(texts)) == len(texts):
        return
    last = len(row) - 1
    for x, cell in enumerate(row):
        if cell is None or (cell[0].isascii() and cell[0] != SECOND_HALF):
            continue
        before = row[x - 1] if x else None
        after = row[x + 1] if x < last else None
        if cell[0] == SECOND_HALF:
            if before is None or cell_len(before[0]) < 2:
                row[x] = (" ", cell[1].on_blank)
        elif cell_len(cell[0]) > 1 and (after is None or after[0] != SECOND_HALF):
            row[x] = (" ", cell[1].on_blank)


def moves_surely(text: str) -> bool:
    """Return whether every terminal moves its cursor by as many cells as are counted here."""
    return len(text) == 1 and (bisect(_SURE_WIDTHS, text) % 2 == 1 or text in _SURE_WIDTHS)


def _wide_cells(text: str, pen: Pen, blank: Pen) -> list[Cell]:
    cells: list[Cell] = []
    for cluster, width in _clusters(text):
        if width == 0:
            if cells and cells[-1][0]:
                cells[-1] = (cells[-1][0] + cluster, pen)
            continue
        cells.append((cluster, blank if cluster == " " else pen))
        cells.extend([(SECOND_HALF, pen)] * (width - 1))
    return cells


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield each drawn character with its width in cells.

    Rich counts the two letters of a flag emoji separately.
    """
    for part, is_joined in split_joined(text):
        if is_joined and is_flag_letter(part[0]):
            yield part, 2
        else:
            yield from ((part[start:end], width) for start, end, width in split_graphemes(part)[0])
