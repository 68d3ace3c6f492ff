"""Rows and the header line as strips, built once per row and state and kept."""

from collections.abc import Iterable, Iterator
from typing import Generic, Literal, NamedTuple

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.strip import Strip
from textual.widget import Widget

from flagtui.app.widgets.column_layout import Cell, CellPiece, Column, Placed, RecordId, Slot, fit
from flagtui.app.widgets.glyphs import Glyphs
from flagtui.models.rows import Row, StagedRow
from flagtui.safe_text import safe_text
from flagtui.text.styled import Look

Ground = Literal["row", "cursor", "cursor-blurred", "header"]
"""What a piece is drawn on."""

MANY_COLOURS = ("256", "truecolor")
FEW_COLOUR_CURSORS: dict[Ground, Style] = {
    "cursor": Style(reverse=True),
    "cursor-blurred": Style(underline=True),
}
"""With 16 colours the cursor's background is the grey of half the texts on it, so there it has none."""


class RowStyles:
    """Rich styles of one widget, by ground and look: rules for `.row-list--LOOK` below it.

    As component classes they would all be read again, and every line drawn, whenever the widget gets or loses
    the focus. They are read when first drawn with, and again when theme or colours are others.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[tuple[Ground, str], Style] = {}
        self._matched: dict[str, RenderStyles] = {}
        self._known_for: object = None

    def are_stale(self) -> bool:
        """Return whether theme or colours changed since the last look, and forget all styles if so."""
        app = self._widget.app
        looks = (app.theme, app.native_ansi_color, app.no_color)
        now = (*looks, *self._widget.background_colors, *self._widget.colors)
        if now == self._known_for:
            return False
        self._known.clear()
        self._matched.clear()
        self._known_for = now
        return True

    def of(self, ground: Ground, look: Look | Literal["mark"]) -> Style:
        """Return the style of a look on a ground, against which translucent colours are resolved."""
        style = self._known.get((ground, look))
        if style is None:
            style = self._known[(ground, look)] = self._blend(ground, look)
        return style

    def _blend(self, ground: Ground, look: str) -> Style:
        below, piece = self._rules(ground), self._rules(look)
        background = self._widget.background_colors[1] + below.background
        fallback = self._widget.colors[3]
        colour = _colour(piece, background) or _colour(below, background) or background + fallback
        text_style = below.text_style + piece.text_style
        if ground in FEW_COLOUR_CURSORS and self._widget.app.console.color_system not in MANY_COLOURS:
            return FEW_COLOUR_CURSORS[ground] + text_style
        return Style.from_color(colour.rich_color, background.rich_color) + text_style

    def _rules(self, name: str) -> RenderStyles:
        """Return the styles of a component class, as Textual computes them: with a node only for matching."""
        if name not in self._matched:
            node = DOMNode(classes=f"row-list--{name}")
            node._attach(self._widget)
            self._widget.app.stylesheet.apply(node)
            self._matched[name] = node.styles
        return self._matched[name]


def _colour(styles: RenderStyles, background: Color) -> Color | None:
    if not styles.has_rule("color"):
        return None
    if styles.has_rule("auto_color") and styles.auto_color:
        return background + background.get_contrast_text(styles.color.a)
    return background + styles.color


KEPT_STRIPS = 512
BAR_WIDTH = 1
"""Cells before the columns, for the mark."""
THUMB_WIDTH = 1
"""Cells behind the columns, for the scroll bar."""


class RowState(NamedTuple):
    """The state of a row on screen in addition to its record."""

    ground: Ground
    marked: bool
    pending: bool
    changed: bool
    staged: StagedRow | None = None
    has_thumb: bool = False
    """Whether the thumb of the scroll bar is at the end of the line."""


class Rule(Struct, frozen=True):
    """A line that divides the rows and describes those below it."""

    words: str


class SortSign(Struct, frozen=True):
    """The column the rows are ordered by, as the header shows it."""

    column: str
    descending: bool = False


class RowPainter(Generic[Row]):
    """Draws rows into the columns it was last given."""

    def __init__(self, styles: RowStyles, glyphs: Glyphs) -> None:
        self._styles = styles
        self._glyphs = glyphs
        self._kept: LRUCache[tuple[RecordId, RowState], tuple[Row, Strip]] = LRUCache(KEPT_STRIPS)
        self.layout: tuple[Placed[Row], ...] = ()
        self._width = self._filled = 0

    def measure(self, layout: tuple[Placed[Row], ...], width: int) -> None:
        """Draw into these columns and this many cells from now on."""
        self.layout = layout
        self._width = width
        self._filled = BAR_WIDTH + sum(placed.column.gap + placed.width for placed in layout)
        self._kept.clear()

    def forget_rows(self) -> None:
        """Forget every drawn row: time has passed, or the colours changed."""
        self._kept.clear()

    def forget_row(self, row_id: RecordId) -> None:
        """Forget one drawn row: a value outside its record has changed."""
        for key in [key for key in self._kept.keys() if key[0] == row_id]:  # noqa: SIM118
            self._kept.discard(key)

    def row(self, row_id: RecordId, row: Row, state: RowState, now: float) -> Strip:
        """Draw a row. A cached strip is used only for the very same record object."""
        kept = self._kept.get((row_id, state))
        if kept is not None and kept[0] is row:
            return kept[1]
        end = self._glyphs.thumb if state.has_thumb else ""
        strip = self._strip(self._row_pieces(row, state, now), state.ground, marked=state.marked, end=end)
        self._kept[(row_id, state)] = (row, strip)
        return strip

    def arrow(self, *, descending: bool) -> str:
        """Return the sign of an order."""
        return self._glyphs.descending if descending else self._glyphs.ascending

    def header(self, sort: SortSign | None) -> Strip:
        """Return the titles, with an arrow at the one sorted by."""
        return self._strip(self._header_pieces(sort), "header")

    def words(self, text: str, look: Look, indent: int) -> Strip:
        """Return a line of text in place of rows."""
        cell: Cell = ((" " * (indent - BAR_WIDTH), "plain"), (text, look))
        return self._strip(fit(cell, self._room, "left", self._glyphs.ellipsis), "row", is_full=True)

    def rule(self, rule: Rule) -> Strip:
        """Draw `──── outside the window ─────` across the whole list."""
        stroke, room = self._glyphs.track, self._room
        words = f" {safe_text(rule.words)} " if rule.words else ""
        cell: Cell = ((stroke * 4, "faint"), (words, "muted"), (stroke * room, "faint"))
        return self._strip(fit(cell, room, "left", stroke), "row", is_full=True)

    @property
    def _room(self) -> int:
        """Cells of a line that is not divided into columns, which may be narrower than the list."""
        return max(BAR_WIDTH, self._filled, self._width) - BAR_WIDTH

    def column_at(self, x: int) -> Column[Row] | None:
        """Return the column drawn at this cell."""
        edge = BAR_WIDTH
        for placed in self.layout:
            edge += placed.column.gap + placed.width
            if x < edge:
                return placed.column
        return None

    def _row_pieces(self, row: Row, state: RowState, now: float) -> Iterator[CellPiece]:
        for column, width in ((placed.column, placed.width) for placed in self.layout):
            if column.gap:
                yield " " * column.gap, "plain"
            slot = Slot(width, self._glyphs, now, state.pending, state.changed, state.staged)
            yield from fit(column.draw(row, slot), width, column.align, self._glyphs.ellipsis)

    def _header_pieces(self, sort: SortSign | None) -> Iterator[CellPiece]:
        for column, width in ((placed.column, placed.width) for placed in self.layout):
            title = column.title
            if sort is not None and sort.column == column.name:
                title += f" {self.arrow(descending=sort.descending)}"
            yield " " * column.gap, "plain"
            yield from fit(((title, "plain"),), width, column.align, self._glyphs.ellipsis)

    def _strip(
        self,
        pieces: Iterable[CellPiece],
        ground: Ground,
        *,
        marked: bool = False,
        is_full: bool = False,
        end: str = "",
    ) -> Strip:
        texts = [self._glyphs.mark if marked else " "]
        styles = [self._styles.of(ground, "mark" if marked else "plain")]
        for text, look in pieces:
            _join(texts, styles, text, self._styles.of(ground, look))
        if not is_full:
            texts[-1] += " " * max(0, self._width - self._filled - len(end))
            _join(texts, styles, end, self._styles.of(ground, "faint"))
        strip = Strip(map(Segment, texts, styles), max(self._width, self._filled))
        return strip if self._filled <= self._width else strip.crop(0, self._width)


def _join(texts: list[str], styles: list[Style], text: str, style: Style) -> None:
    """Add the text to the last piece when no one could see the difference: blanks show no colour."""
    if style is styles[-1] or text.isspace():
        texts[-1] += text
    elif text:
        texts.append(text)
        styles.append(style)
