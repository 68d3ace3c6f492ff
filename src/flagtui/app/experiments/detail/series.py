"""One metric day by day, on the whole screen: the plot, or the same as a table."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from typing import Final

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from flagtui.api.errors import ApiError, NotFound
from flagtui.api.operations import NOT_HERE
from flagtui.app.commands.command_table import bindings_of
from flagtui.app.experiments.chart import Course, Point, SeriesPlot
from flagtui.app.experiments.chart_canvas import day_words
from flagtui.app.experiments.detail.metric_table import COLOURS
from flagtui.app.records.record_screen import scroll
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.line import fill, join_lines, styled
from flagtui.details.experiment_inspector import ExperimentInspector
from flagtui.details.metric_findings import Metric, MetricReading
from flagtui.models.experiment_responses import Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.models.rows import ExperimentRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import signed_percent
from flagtui.text.judgement import Judgement, lift_of, verdicts
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_error
from flagtui.text.shared_messages import requested_recalculation
from flagtui.text.styled import Notice, Piece

DAY: Final = 12
WIDE: Final = 94
"""Cells from which the values are shown beside their difference."""
NARROW: Final = 64
"""Cells from which the interval is shown in numbers."""
CUMULATIVE: Final = "% over the baseline, all days so far"


def courses_of(series: Timeseries) -> tuple[Course, ...]:
    """Return a course for each variant over every day of the experiment."""
    keys: dict[str, None] = {}
    for _day, result in series.days:
        for variant in result.variant_results if result else ():
            keys.setdefault(variant.key)
    return tuple(
        Course(safe_text(key, 24), tuple(_point(day, result, key) for day, result in series.days))
        for key in keys
    )


class Widths(msgspec.Struct, frozen=True):
    """Cells of each column; 0 leaves it out."""

    variant: int
    value: int
    delta: int
    interval: int


def widths_for(width: int) -> Widths:
    """Return the columns that fit."""
    if width >= WIDE:
        return Widths(16, 12, 12, 22)
    return Widths(14, 0, 10, 20) if width >= NARROW else Widths(9, 0, 9, 0)


def day_lines(metric: Metric, series: Timeseries, width: int) -> Iterator[list[Piece]]:
    """Yield the newest day first."""
    cells = widths_for(width)
    values = f"{'BASELINE':>{cells.value}}{'VALUE':>{cells.value}}" if cells.value else ""
    ends = f"{'INTERVAL':<{cells.interval}}" if cells.interval else ""
    variants = [variant for _, result in series.days if result for variant in result.variant_results]
    odds = "P-VALUE" if any(variant.p_value is not None for variant in variants) else "CHANCE"
    head = f"{'DAY':<{DAY}}{'VARIANT':<{cells.variant}}{values}{'Δ':>{cells.delta}}  {ends}{odds}"
    yield [(head, "$text-muted")]
    for day, result in reversed(series.days):
        name = f"{day_words(day):>6}"
        if result is None:
            why = series.errors.get(day.isoformat(), "")
            words = f"failed: {safe_text(why, 80)}" if why else "not computed yet"
            yield [(f"{name:<{DAY}}", ""), (words, "$warning" if why else "$faint")]
            continue
        for judgement in verdicts(MetricReading(metric, result)):
            yield [(f"{name:<{DAY}}", ""), *_day_cells(judgement, cells)]
            name = ""


def _day_cells(judgement: Judgement, cells: Widths) -> Iterator[Piece]:
    yield f"{fill(safe_text(judgement.variant), cells.variant - 1)} ", ""
    if cells.value:
        yield f"{judgement.base:>{cells.value}}{judgement.value:>{cells.value}}", ""
    # Words for what is not known yet are longer than a chance: they take the room of the interval.
    ends = ""
    if cells.interval and judgement.interval is not None:
        sides = f"{' … '.join(map(signed_percent, judgement.interval))} %"
        ends = f"{sides:<{cells.interval}}"
    yield (
        f"{judgement.delta:>{cells.delta}}  {ends}{judgement.odds}",
        COLOURS.get(judgement.look, ""),
    )


def state_words(series: Timeseries) -> tuple[str, str]:
    """Return in words how complete the days are, and the colour of the words."""
    days = series.days
    calculated = sum(result is not None for _day, result in days)
    if series.is_recalculating:
        return "being recalculated…", "$warning"
    if calculated == 0 and series.status == "failed":
        first = next(iter(series.errors.values()), "")
        return f"no day could be calculated: {safe_text(first, 100)}", "$error"
    if calculated == 0:
        return (
            f"no day calculated yet · {key_sign('days.recalculate')} requests it",
            "$warning",
        )
    failed = f", {len(series.errors):,} failed" if series.errors else ""
    return f"{calculated:,} of {len(days):,} days{failed}", "$text-muted"


def _point(day: date, result: MetricResult | None, key: str) -> Point:
    variant = (
        next((candidate for candidate in result.variant_results if candidate.key == key), None)
        if result
        else None
    )
    if variant is None or result is None or result.baseline is None:
        return Point(day, None)
    lift = lift_of(variant, result.baseline)
    if lift is None:
        return Point(day, None)
    low, high = variant.interval or (None, None)
    return Point(day, lift * 100, *(None if bound is None else bound * 100 for bound in (low, high)))


class SeriesScreen(FramedScreen):
    """Reads the stored results of the server; computes nothing."""

    BINDINGS = bindings_of("days", "everywhere", without={"app.refresh"})
    AUTO_FOCUS = "VerticalScroll"
    list_tab = "2"

    def __init__(
        self,
        app_state: AppState,
        inspector: ExperimentInspector,
        row: ExperimentRow,
        metric: Metric,
        signs_in: Callable[[ApiError], Awaitable[bool]],
    ) -> None:
        super().__init__()
        self._signs_in = signs_in
        """Whether an error was for want of a key, and another one was given."""
        self._app_state = app_state
        self._inspector = inspector
        self._row = row
        self._metric = metric
        self._series: Timeseries | None = None

    def body(self) -> ComposeResult:
        yield Static(id="series-head")
        yield SeriesPlot(id="series-plot")
        with VerticalScroll(id="series-days"):
            yield Static(id="series-table")

    def on_mount(self) -> None:
        # Without colour the lines of several variants cannot be distinguished.
        self.set_class(self.app.no_color, "-table")
        self._frame("reading…", "$text-muted")
        self._read()

    def on_resize(self) -> None:
        if self._series is not None:
            self._show(self._series)

    @work(exclusive=True, group="inspect")
    async def _read(self) -> None:
        try:
            self._metric, self._series = await self._inspector.series(self._row, self._metric.uuid)
        except KeyError:
            self._frame("this metric is no longer in the experiment", "$warning")
            return
        except ApiError as error:
            self._frame(safe_text(why_no_days(error), 200), "$warning")
            self._sign_in(error)
            return
        self._show(self._series)
        self._plot(self._series)

    @work(group="choose", description="sign in")
    async def _sign_in(self, error: ApiError) -> None:
        if await self._signs_in(error):
            self._read()

    def _show(self, series: Timeseries) -> None:
        words, colour = state_words(series)
        self._frame(words, colour, CUMULATIVE)
        lines = day_lines(self._metric, series, self.size.width - 5)
        table = join_lines(lines)
        self.query_one("#series-table", Static).update(table)

    def _plot(self, series: Timeseries) -> None:
        courses, days = courses_of(series), [day for day, _ in series.days]
        plot = self.query_one(SeriesPlot)
        plot.set_class(not courses, "-empty")
        if courses:
            plot.show(f"{day_words(days[0])} to {day_words(days[-1])} {days[-1].year}", courses, days)

    def _frame(self, words: str, colour: str, about: str = "") -> None:
        self.draw_frame()
        name = safe_text(self._metric.name, 60)
        head = styled(
            (name, "bold"),
            (f"  {safe_text(self._row.name, 60)} #{self._row.id}\n", "$text-muted"),
            (words, colour),
            (f"   {about}" if about else "", "$faint"),
        )
        self.query_one("#series-head", Static).update(head)

    def action_table(self) -> None:
        self.toggle_class("-table")

    def action_read_again(self) -> None:
        self._read()

    @work(exclusive=True, group="recalculate")
    async def action_recalculate(self) -> None:
        try:
            state = await self._inspector.recalculate(self._row, self._metric)
        except ApiError as error:
            show_toast(self.app, explain_error(error, "the days are not recalculated"))
            self._sign_in(error)
            return
        show_toast(
            self.app, Notice(f"{requested_recalculation(state)} · {key_sign('days.read_again')} refreshes")
        )
        self._read()

    def action_scroll(self, way: str) -> None:
        scroll(self.query_one(VerticalScroll), way)


def why_no_days(error: ApiError) -> str:
    """Return the error and the next step, in two sentences."""
    # The experiment was read a moment ago, so it is the days that are not there.
    is_unknown = isinstance(error, NotFound) and "timeseries" in error.facts.path
    if is_unknown or isinstance(error, NOT_HERE):
        return "This server keeps no results by day, or not for keys. The browser may show them."
    return f"{error.what} {error.next}"
