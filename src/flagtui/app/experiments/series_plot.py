"""A metric day by day as a widget: drawn anew at every size."""

from collections.abc import Sequence
from datetime import date

from textual.content import Content
from textual.widget import Widget

from flagtui.app.experiments.chart import Course, chart_lines
from flagtui.app.widgets.glyphs import glyphs_for, terminal_encoding
from flagtui.app.widgets.line import styled


class SeriesPlot(Widget):
    """Nothing until something is shown."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "SeriesPlot { height: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = ""
        self._courses: Sequence[Course] = ()
        self._days: Sequence[date] = ()

    def show(self, title: str, courses: Sequence[Course], days: Sequence[date]) -> None:
        """Draw these courses; `days` are all of the experiment, known or not. `title` is safe to draw."""
        self._title, self._courses, self._days = title, courses, days
        self.refresh()

    def render(self) -> Content:
        size = (self.content_size.width, self.content_size.height)
        if not self._courses or min(size) < 1:
            return Content()
        glyphs = glyphs_for(terminal_encoding())
        lines = chart_lines(self._title, self._courses, self._days, size, glyphs)
        return Content("\n").join(styled(*line) for line in lines)
