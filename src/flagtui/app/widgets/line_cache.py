"""Drawn lines of a widget that is nothing but its lines, kept until they are dirty."""

from collections.abc import Sequence

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class LineCache(StylesCache):
    """For widgets without border, outline, padding and opacity, whose lines have settled colours.

    Textual draws those around every line, and makes a new strip of it, which filters then go through anew: at
    forty lines a key that is a fifth of the work. Which lines are dirty is still Textual's to say.
    """

    def __init__(self) -> None:
        super().__init__()
        self._drawn_for: tuple[int, Color, Sequence[LineFilter]] | None = None

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """The lines from the widget, filtered; only dirty ones are asked for."""
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
