"""Rows and the header line as strips, built once per row and state and kept."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from flagtui.app.widgets.cells import Cell, CellPiece, fit
from flagtui.app.widgets.column_layout import Column, Placed, RecordId, Slot
from flagtui.app.widgets.glyphs import Glyphs
from flagtui.app.widgets.row_styles import Ground, RowStyles
from flagtui.safe_text import safe_text
from flagtui.text.styled import Look

R = TypeVar("R")

KEPT_STRIPS = 512
BAR_WIDTH = 1


class RowState(NamedTuple):
    """What is true of a row on screen besides its record."""

    ground: Ground
    marked: bool
    pending: bool
    changed: bool


@dataclass(frozen=True)
class Rule:
    """A line that divides the rows, with what is below it in words."""

    words: str


@dataclass(frozen=True)
class SortSign:
    """The column the rows are ordered by, as the header shows it."""

    column: str
    descending: bool = False


class RowPainter(Generic[R]):
    """Draws rows into the columns it was last told of."""

    def __init__(self, styles: RowStyles, glyphs: Glyphs) -> None:
        self._styles = styles
        self._glyphs = glyphs
        self._kept: LRUCache[tuple[RecordId, RowState], tuple[R, Strip]] = LRUCache(KEPT_STRIPS)
        self._layout: tuple[Placed[R], ...] = ()
        self._width = self._filled = 0

    @property
    def layout(self) -> tuple[Placed[R], ...]:
        return self._layout

    def measure(self, layout: tuple[Placed[R], ...], width: int) -> None:
        """Draw into these columns and this many cells from now on."""
        self._layout = layout
        self._width = width
        self._filled = BAR_WIDTH + sum(placed.column.gap + placed.width for placed in layout)
        self._kept.clear()

    def forget_rows(self) -> None:
        """Draw every row anew: time has passed, or the colours are others."""
        self._kept.clear()

    def row(self, row_id: RecordId, row: R, state: RowState, now: float) -> Strip:
        """One row. A kept strip is used only for the very same record object."""
        kept = self._kept.get((row_id, state))
        if kept is not None and kept[0] is row:
            return kept[1]
        strip = self._strip(self._row_pieces(row, state, now), state.ground, marked=state.marked)
        self._kept[(row_id, state)] = (row, strip)
        return strip

    def header(self, sort: SortSign | None) -> Strip:
        """The titles, with an arrow at the one sorted by."""
        return self._strip(self._header_pieces(sort), "header")

    def words(self, text: str, look: Look, indent: int) -> Strip:
        """A line of text in place of rows."""
        cell: Cell = ((" " * (indent - BAR_WIDTH), "plain"), (text, look))
        return self._strip(fit(cell, max(0, self._filled - BAR_WIDTH), "left", self._glyphs.ellipsis), "row")

    def rule(self, rule: Rule) -> Strip:
        """`──── outside the window ─────`, across the whole list."""
        stroke, room = self._glyphs.track, max(0, self._filled - BAR_WIDTH)
        words = f" {safe_text(rule.words)} " if rule.words else ""
        cell: Cell = ((stroke * 4, "faint"), (words, "muted"), (stroke * room, "faint"))
        return self._strip(fit(cell, room, "left", stroke), "row")

    def column_at(self, x: int) -> Column[R] | None:
        """The column drawn at this cell."""
        edge = BAR_WIDTH
        for placed in self._layout:
            edge += placed.column.gap + placed.width
            if x < edge:
                return placed.column
        return None

    def _row_pieces(self, row: R, state: RowState, now: float) -> Iterator[CellPiece]:
        for column, width in ((placed.column, placed.width) for placed in self._layout):
            if column.gap:
                yield " " * column.gap, "plain"
            slot = Slot(width, self._glyphs, now, state.pending, state.changed)
            yield from fit(column.draw(row, slot), width, column.align, self._glyphs.ellipsis)

    def _header_pieces(self, sort: SortSign | None) -> Iterator[CellPiece]:
        for column, width in ((placed.column, placed.width) for placed in self._layout):
            title = column.title
            if sort is not None and sort.column == column.name:
                title += f" {self._glyphs.descending if sort.descending else self._glyphs.ascending}"
            yield " " * column.gap, "plain"
            yield from fit(((title, "plain"),), width, column.align, self._glyphs.ellipsis)

    def _strip(self, pieces: Iterable[CellPiece], ground: Ground, *, marked: bool = False) -> Strip:
        texts = [self._glyphs.mark if marked else " "]
        styles = [self._styles.of(ground, "mark" if marked else "plain")]
        for text, look in pieces:
            _join(texts, styles, text, self._styles.of(ground, look))
        texts[-1] += " " * max(0, self._width - self._filled)
        strip = Strip(map(Segment, texts, styles), max(self._width, self._filled))
        return strip if self._filled <= self._width else strip.crop(0, self._width)


def _join(texts: list[str], styles: list[Style], text: str, style: Style) -> None:
    """Add the text to the last piece when no one could see the difference: blanks show no colour."""
    if style is styles[-1] or text.isspace():
        texts[-1] += text
    elif text:
        texts.append(text)
        styles.append(style)
