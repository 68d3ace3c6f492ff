"""Lines in bands over the days, in characters: braille where the terminal has it, letters elsewhere."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

import msgspec
from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from flagtui.app.experiments.chart_canvas import (
    BAND,
    LEAST_ROWS,
    MISSING,
    QUIET,
    Canvas,
    Scale,
    day_ticks,
    frame_for,
    line_styles,
    scale_of,
    tick_label,
)
from flagtui.app.widgets.glyphs import Glyphs, terminal_glyphs
from flagtui.app.widgets.line import cells_of, cut, styled
from flagtui.text.styled import Piece

LEAST_MORE: Final = 10
"""Cells for the number of lines that the legend has no room for."""
ROWS_WITH_LEGEND: Final = 4
"""Rows of the plot below which the legend has no line of its own."""


class Point(msgspec.Struct, frozen=True):
    """One day of one variant, in percent over the baseline. None where the day is not known."""

    day: date
    lift: float | None
    low: float | None = None
    high: float | None = None


class Course(msgspec.Struct, frozen=True):
    """One variant over the days. The name is safe to draw."""

    name: str
    points: tuple[Point, ...]


Lines = list[list[Piece]]


def chart_lines(
    title: str, courses: Sequence[Course], days: Sequence[date], size: tuple[int, int], glyphs: Glyphs
) -> Lines:
    """Return the chart in exactly `size` cells, columns and rows. `title` is safe to draw."""
    width, height = size
    gone = _days_without(courses, days)
    name: Piece = (cut(title, width), "bold")
    legend = [*_legend(courses, glyphs, bool(gone), width)]
    head: Lines = [[name, ("   ", ""), *legend]]
    if cells_of(head[0]) > width:
        head = [[name], legend] if height - 4 >= ROWS_WITH_LEGEND else [[name]]
    rows = height - len(head) - 2
    scale = scale_of(_values(courses), rows)
    left = max(len(tick_label(value, scale.step)) for value in scale.ticks)
    room = (max(2, width - left - 2), max(LEAST_ROWS, rows))
    plot = Canvas(room, scale, len(days), glyphs, lines=len(courses))
    _draw(plot, courses, days, gone)
    return [*head, *_rows(plot, scale, left), *_day_axis(plot, days, left)][:height]


def _draw(plot: Canvas, courses: Sequence[Course], days: Sequence[date], gone: Sequence[int]) -> None:
    places = {day: place for place, day in enumerate(days)}
    for number, course in enumerate(courses):
        for run in runs(course.points):
            bounds = [
                (places[point.day], point.low, point.high)
                for point in run
                if point.low is not None and point.high is not None
            ]
            plot.band(bounds, number)
    for number, course in enumerate(courses):
        for run in runs(course.points):
            known_lifts = [(places[point.day], point.lift) for point in run if point.lift is not None]
            plot.line(known_lifts, number)
    plot.crosses(gone)


def runs(points: Sequence[Point]) -> list[list[Point]]:
    """Return sequences of consecutive days with values: a line breaks at a day without one."""
    sequences: list[list[Point]] = [[]]
    for point in points:
        if point.lift is not None:
            sequences[-1].append(point)
        elif sequences[-1]:
            sequences.append([])
    return [run for run in sequences if run]


def _days_without(courses: Sequence[Course], days: Sequence[date]) -> list[int]:
    measured = {point.day for course in courses for point in course.points if point.lift is not None}
    return [place for place, day in enumerate(days) if day not in measured] if courses else []


def _values(courses: Sequence[Course]) -> Iterator[tuple[float, float | None, float | None]]:
    for course in courses:
        for point in course.points:
            if point.lift is not None:
                yield point.lift, point.low, point.high


def _legend(courses: Sequence[Course], glyphs: Glyphs, has_gaps: bool, width: int) -> Iterator[Piece]:
    """Yield the legend: the lines, the grey interval around them, and crosses."""
    styles, frame = line_styles(glyphs), frame_for(glyphs)
    rest: list[Piece] = [(f"{frame.shade * 2} ", BAND), ("interval", QUIET)]
    if has_gaps:
        rest += [(f"   {frame.cross} ", MISSING), ("no value", QUIET)]
    room = width - cells_of(rest)
    each = max(6, room // max(1, len(courses)) - 5)
    for number, course in enumerate(courses):
        (marker, colour), name = styles[number % len(styles)], cut(course.name, each)
        room -= cell_len(name) + 5
        if room < (0 if number + 1 == len(courses) else LEAST_MORE):
            yield f"{len(courses) - number:,} more   ", QUIET
            break
        yield f"{marker} ", colour
        yield f"{name}   ", ""
    yield from rest


def _rows(plot: Canvas, scale: Scale, left: int) -> Iterator[list[Piece]]:
    frame = plot.frame
    labels = {
        plot.row_of(value): tick_label(value, scale.step).replace("−", frame.minus) for value in scale.ticks
    }
    for row, pieces in enumerate(plot.rows()):
        label = labels.get(row, "")
        yield [(f"{label:>{left}} ", QUIET), (frame.tick if label else frame.side, QUIET), *pieces]


def _day_axis(plot: Canvas, days: Sequence[date], left: int) -> Iterator[list[Piece]]:
    """Yield the line below, and the days as `25 Oct`, each below its place."""
    ticks = {plot.column_of(place): words for place, words in day_ticks(days, plot.width)}
    frame = plot.frame
    line = "".join(frame.foot if column in ticks else frame.bottom for column in range(plot.width))
    yield [(f"{'':{left + 1}}{frame.corner}{line}", QUIET)]
    words = [" "] * (left + 2 + plot.width)
    for column, label in ticks.items():
        begin = min(max(0, left + 2 + column - len(label) // 2), len(words) - len(label))
        words[begin : begin + len(label)] = label
    yield [("".join(words).rstrip(), QUIET)]


class SeriesPlot(Widget):
    """A plot that is empty until a series is shown."""

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
        glyphs = terminal_glyphs()
        lines = chart_lines(self._title, self._courses, self._days, size, glyphs)
        return Content("\n").join(styled(*line) for line in lines)
