"""A metric day by day: a line in the band of its interval. The plotting library loads with the first one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from rich.text import Text
from textual.containers import Container

from flagtui.app.shell.themes import PLAIN
from flagtui.app.widgets.glyphs import UNICODE, glyphs_for, terminal_encoding

PALETTE: Final = ("green", "blue", "magenta", "orange", "cyan")


@dataclass(frozen=True)
class Point:
    """One day of one variant, in percent over the baseline. None where the day is not known."""

    day: date
    lift: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Course:
    """One variant over the days. The name is safe to draw."""

    name: str
    points: tuple[Point, ...]


class SeriesPlot(Container):
    """Holds the plot. Drawn anew with every `show`; nothing is imported before the first."""

    DEFAULT_CSS = "SeriesPlot { height: 1fr; } SeriesPlot > * { height: 1fr; }"

    async def show(self, title: str, courses: Sequence[Course], days: Sequence[date]) -> None:
        """Draw these courses; `days` are all days of the experiment, known or not."""
        await self.remove_children()
        from textual_plotext import PlotextPlot

        plot = PlotextPlot()
        if self.app.theme == PLAIN.name:
            # A terminal's own colours have no numbers; the plot would take them all for black.
            plot.theme = "clear"
        draw(plot.plt, title, courses, days)
        await self.mount(plot)


def draw(plt: Any, title: str, courses: Sequence[Course], days: Sequence[date]) -> None:
    """The plot itself, with plotext's own calls. A line breaks where a day is missing."""
    plt.clear_figure()
    plt.theme("clear")
    plt.title(title)
    places = {day: place for place, day in enumerate(days, 1)}
    marker = "braille" if glyphs_for(terminal_encoding()) is UNICODE else "dot"
    for number, course in enumerate(courses):
        colour = PALETTE[number % len(PALETTE)]
        label: str | None = course.name
        for run in runs(course.points):
            at = [places[point.day] for point in run]
            for bounds in ([point.high for point in run], [point.low for point in run]):
                edge = [(x, y) for x, y in zip(at, bounds, strict=True) if y is not None]
                if edge:
                    plt.plot([x for x, _ in edge], [y for _, y in edge], color="gray+", marker=marker)
            plt.plot(at, [point.lift for point in run], color=colour, marker=marker, label=label)
            label = None
    if missing := sorted(places[p.day] for p in courses[0].points if p.lift is None) if courses else []:
        plt.scatter(missing, [0.0] * len(missing), color="orange", marker="x", label="not computed")
    plt.hline(0, "gray")
    ticks = _ticks(len(days))
    plt.xlim(1, max(2, len(days)))
    plt.xticks(ticks, [f"{days[tick - 1].day}.{days[tick - 1].month}." for tick in ticks])


def runs(points: Sequence[Point]) -> list[list[Point]]:
    """Days in a row that have values."""
    found: list[list[Point]] = [[]]
    for point in points:
        if point.lift is not None:
            found[-1].append(point)
        elif found[-1]:
            found.append([])
    return [run for run in found if run]


def picture(title: str, courses: Sequence[Course], days: Sequence[date], size: tuple[int, int]) -> str:
    """The plot as text without colour, `size` in cells."""
    import plotext

    plotext.clear_figure()
    draw(plotext, title, courses, days)
    plotext.plotsize(*size)
    return Text.from_ansi(plotext.build()).plain


def _ticks(count: int) -> list[int]:
    step = max(1, (count - 1) // 6)
    return list(range(1, count + 1, step))
