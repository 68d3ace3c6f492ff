"""The drawing half of a list of rows: the content of each line, and which lines must be repainted."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Generic

from textual import events
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from flagtui.app.widgets.column_layout import Column, RecordId, lay_out
from flagtui.app.widgets.glyphs import Glyphs, terminal_glyphs
from flagtui.app.widgets.row_painter import (
    BAR_WIDTH,
    THUMB_WIDTH,
    Ground,
    RowPainter,
    RowState,
    RowStyles,
    Rule,
    SortSign,
)
from flagtui.app.widgets.viewport import Marks, Viewport
from flagtui.models.rows import Row, StagedRow
from flagtui.safe_text import safe_text
from flagtui.text.styled import Look


class LineCache(StylesCache):
    """A line cache for widgets without border, outline, padding and opacity, whose colours are settled.

    Textual draws those around every line and creates a new strip, which filters then process again: at
    forty lines a key that is a fifth of the work. Textual still decides which lines are dirty.
    """

    def __init__(self) -> None:
        super().__init__()
        self._drawn_for: tuple[int, Color, Sequence[LineFilter]] | None = None

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Return the lines from the widget, filtered; only dirty ones are drawn."""
        width, background = widget.region.width, widget.background_colors[1]
        filters = widget.get_line_filters()
        if (width, background, filters) != self._drawn_for:
            self.clear()
            self._drawn_for = width, background, filters
        strips = [self._line(widget, y, background, filters) for y in crop.line_range]
        self._dirty_lines.difference_update(crop.line_range)
        return (
            strips if crop.column_span == (0, width) else [strip.crop(*crop.column_span) for strip in strips]
        )

    def _line(self, widget: Widget, y: int, background: Color, filters: Sequence[LineFilter]) -> Strip:
        kept = None if self.is_dirty(y) else self._cache.get(y)
        if kept is not None:
            return kept
        strip = widget.render_line(y)
        for line_filter in filters:
            strip = strip.apply_filter(line_filter, background)
        self._cache[y] = strip
        return strip


HEADER_LINES = 1
WORDS_INDENT = 4
MOST_WORDS = 600
"""Characters of one sentence in place of rows."""


class RowSurface(Widget, Generic[Row], can_focus=True):
    """Paints rows and remembers the painted lines, so that a change costs only the lines it touches.

    It has no virtual size, since setting one would ask for a layout, which repaints everything; the scroll
    bar is a part of the rows.
    """

    DEFAULT_CSS = """
    RowSurface { height: 1fr; width: 1fr; }
    """
    ALLOW_SELECT = False

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        *,
        id_of: Callable[[Row], RecordId] = attrgetter("id"),
        glyphs: Glyphs | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._styles_cache = LineCache()
        self.columns = tuple(columns)
        self._sort: SortSign | None = None
        self._id_of = id_of
        self._clock = clock
        self._row_styles = RowStyles(self)
        self._painter: RowPainter[Row] = RowPainter(self._row_styles, glyphs or terminal_glyphs())
        self._rows: Sequence[Row] = ()
        self._order: Sequence[int] = ()
        self._view = Viewport()
        self._marks = Marks()
        self._pending: Collection[RecordId] = ()
        self._changed: frozenset[RecordId] = frozenset()
        self._staged: Mapping[RecordId, StagedRow] = {}
        self._reasons: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        """The reasons, wrapped to the width."""
        self._words_look: Look = "muted"
        self._rule_words = ""
        self._painted: dict[int, object] = {}
        self._measured = (-1, -1)

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """Names of the columns this width has room for."""
        return tuple(placed.column.name for placed in self._painter.layout)

    @property
    def in_sight(self) -> list[Row]:
        """The rows on screen, top to bottom."""
        return [self._rows[self._order[place]] for place in self._view.rows_in_sight]

    def set_edits(self, pending: Collection[RecordId], staged: Mapping[RecordId, StagedRow]) -> None:
        """Set the ids of records with a pending edit, and those with a staged change, each with its base.

        They are drawn with the rows that are shown next.
        """
        self._pending, self._staged = pending, staged

    def arrow(self, *, descending: bool) -> str:
        """Return the sign of an order as the header draws it."""
        return self._painter.arrow(descending=descending)

    def set_sort(self, sort: SortSign | None) -> None:
        """Show the order of the rows in the header."""
        if sort != self._sort:
            self._sort = sort
            self._refresh_lines(0)

    def set_columns(self, columns: Iterable[Column[Row]]) -> None:
        """Show these instead, as many as there is room for."""
        self.columns = tuple(columns)
        self._measured = (-1, -1)
        self.refresh()

    def explain(self, *lines: str, look: Look = "muted") -> None:
        """Show why there are no rows, in their place, for as long as there are none."""
        reasons = tuple(safe_text(line, MOST_WORDS) for line in lines)
        if (reasons, look) == (self._reasons, self._words_look):
            return
        self._reasons, self._words_look = reasons, look
        self._wrap()
        self._refresh_changed()

    def _wrap(self) -> None:
        room = max(20, self.size.width - WORDS_INDENT - 1)
        self._words = tuple(part.plain for line in self._reasons for part in Content(line).wrap(room))

    def redraw_ages(self) -> None:
        """Draw the lines on screen again because time has passed."""
        self._painter.forget_rows()
        self.refresh()

    def redraw_row(self, record: RecordId) -> None:
        """Draw the line of one record again, where it is on screen: a cell shows more than the record has."""
        self._painter.forget_row(record)
        for line, content in [*self._painted.items()]:
            if isinstance(content, tuple) and self._id_of(content[0]) == record:
                del self._painted[line]
        self._refresh_changed()

    def render_line(self, y: int) -> Strip:
        self._measure()
        if y < HEADER_LINES:
            return self._painter.header(self._sort)
        line = y - HEADER_LINES
        self._painted[line] = content = self._content(line)
        if isinstance(content, Rule):
            return self._painter.rule(content)
        if isinstance(content, str):
            return self._painter.words(content, self._words_look, WORDS_INDENT)
        row, state = content
        return self._painter.row(self._id_of(row), row, state, self._clock())

    def notify_style_update(self) -> None:
        if self._row_styles.are_stale():
            self._painter.forget_rows()
            self.refresh()
        super().notify_style_update()

    def on_resize(self, event: events.Resize) -> None:
        self._measure()

    def on_focus(self) -> None:
        self._refresh_changed()

    def on_blur(self) -> None:
        self._refresh_changed()

    def _measure(self) -> None:
        """Fit columns and view to the widget's size; a paint may come before the message about a new size."""
        size = (self.size.width, self.size.height)
        if size == self._measured:
            return
        self._measured = size
        self._painter.measure(lay_out(self.columns, size[0] - BAR_WIDTH - THUMB_WIDTH), size[0])
        self._view.resize(size[1] - HEADER_LINES)
        self._wrap()
        self._painted.clear()

    def _content(self, line: int) -> tuple[Row, RowState] | str | Rule:
        """Return the content of a line: a row and its state, the dividing line, or words in place of rows."""
        place = self._view.place_at(line)
        if place is None and line == self._view.rule_line:
            return Rule(self._rule_words)
        if place is None:
            return self._words[line - 1] if not self._order and 0 < line <= len(self._words) else ""
        row = self._rows[self._order[place]]
        record = self._id_of(row)
        ground: Ground = "row"
        if place == self._view.place:
            ground = "cursor" if self.has_focus else "cursor-blurred"
        marked, pending = record in self._marks.ids, record in self._pending
        changed, staged = record in self._changed, self._staged.get(record)
        return row, RowState(ground, marked, pending, changed, staged, line in self._view.thumb)

    def _refresh_changed(self) -> None:
        """Request a repaint of the lines whose content differs from the painted one."""
        if not self.is_attached:
            return
        painted, content = self._painted, self._content
        self._refresh_lines(
            *(
                line + HEADER_LINES
                for line in range(self._view.height)
                if line not in painted or painted[line] != content(line)
            )
        )

    def _refresh_lines(self, *lines: int) -> None:
        if lines and self.is_attached:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in lines))
