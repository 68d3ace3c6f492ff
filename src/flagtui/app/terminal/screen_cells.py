"""A screen line as cells: one entry per terminal cell, the second half of a wide character being empty."""

import re
from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style

from flagtui.app.terminal.sgr import Pen, Pens

Cell = tuple[str, Pen]
Row = list[Cell | None]
"""None is a cell of which it is not known what the terminal shows."""
SECOND_HALF: Final = ""
KEPT_SEGMENTS: Final = 8192
_SURE_WIDTHS: Final = re.compile(
    "[ -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u2190-\\u2319"
    "\\u2336-\\u23e8\\u2400-\\u25fc\\u3041-\\u3096\\u30a0-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3]"
)
"""Scripts, punctuation and drawing characters of which terminals agree how wide they are."""


class CellMaker:
    """Turns segments into cells, and keeps what it made: most segments of a frame were in the one before."""

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
    """Whether every terminal moves its cursor on by as many cells as are counted for it here."""
    return len(text) == 1 and _SURE_WIDTHS.match(text) is not None


def _wide_cells(text: str, pen: Pen, blank: Pen) -> list[Cell]:
    cells: list[Cell] = []
    for start, end, width in split_graphemes(text)[0]:
        cluster = text[start:end]
        if width == 0:
            if cells and cells[-1][0]:
                cells[-1] = (cells[-1][0] + cluster, pen)
            continue
        cells.append((cluster, blank if cluster == " " else pen))
        cells.extend([(SECOND_HALF, pen)] * (width - 1))
    return cells
