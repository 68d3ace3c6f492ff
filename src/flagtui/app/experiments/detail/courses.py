"""A metric's stored days as courses to plot, and as a table for those who read numbers or have no colour."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from flagtui.app.experiments.chart import Course, Point
from flagtui.app.experiments.chart_axes import day_words
from flagtui.app.experiments.detail.judgement import Judgement, verdicts
from flagtui.app.experiments.detail.metric_findings import Metric, MetricReading
from flagtui.app.experiments.detail.metric_table import COLOURS
from flagtui.app.experiments.detail.numbers import lift_of
from flagtui.models.experiment_answers import MetricResult, Timeseries
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

DAY: Final = 12
WIDE: Final = 94
"""Cells from which the values are shown beside their difference."""
NARROW: Final = 64
"""Cells from which the interval is told in numbers."""
CUMULATIVE: Final = "% over the baseline, all days so far"


def courses_of(series: Timeseries) -> tuple[Course, ...]:
    """One for each variant, over every day of the experiment."""
    keys: dict[str, None] = {}
    for _day, result in series.days:
        for variant in result.variant_results if result else ():
            keys.setdefault(variant.key)
    return tuple(
        Course(safe_text(key, 24), tuple(_point(day, result, key) for day, result in series.days))
        for key in keys
    )


@dataclass(frozen=True)
class Widths:
    """Cells of each column; 0 leaves it out."""

    variant: int
    value: int
    delta: int
    interval: int


def widths_for(width: int) -> Widths:
    """The columns that fit."""
    if width >= WIDE:
        return Widths(16, 12, 12, 22)
    return Widths(14, 0, 10, 20) if width >= NARROW else Widths(9, 0, 9, 0)


def day_lines(metric: Metric, series: Timeseries, width: int) -> Iterator[list[Piece]]:
    """The newest day first."""
    cells = widths_for(width)
    values = f"{'BASELINE':>{cells.value}}{'VALUE':>{cells.value}}" if cells.value else ""
    ends = f"{'INTERVAL':<{cells.interval}}" if cells.interval else ""
    head = f"{'DAY':<{DAY}}{'VARIANT':<{cells.variant}}{values}{'Δ':>{cells.delta}}  {ends}CHANCE"
    yield [(head, "$text-muted")]
    for day, result in reversed(series.days):
        name = f"{day_words(day):>6}"
        if result is None:
            why = series.errors.get(day.isoformat(), "")
            words = f"failed: {safe_text(why, 80)}" if why else "not computed yet"
            yield [(f"{name:<{DAY}}", ""), (words, "$warning" if why else "$faint")]
            continue
        for one in verdicts(MetricReading(metric, result)):
            yield [(f"{name:<{DAY}}", ""), *_day_cells(one, cells)]
            name = ""


def _day_cells(one: Judgement, cells: Widths) -> Iterator[Piece]:
    yield f"{safe_text(one.variant, cells.variant - 1):<{cells.variant}}", ""
    if cells.value:
        yield f"{one.base:>{cells.value}}{one.value:>{cells.value}}", ""
    ends = ""
    if cells.interval and one.interval is not None:
        ends = f"{one.interval[0] * 100:+.1f} … {one.interval[1] * 100:+.1f} %".replace("-", "−")
    yield f"{one.delta:>{cells.delta}}  {ends:<{cells.interval}}{one.odds}", COLOURS.get(one.look, "")


def state_words(series: Timeseries) -> tuple[str, str]:
    """What there is to know about how complete the days are, and its colour."""
    days = series.days
    known = sum(result is not None for _day, result in days)
    if series.is_calculated_anew:
        return "being calculated anew…", "$warning"
    if known == 0 and series.status == "failed":
        first = next(iter(series.errors.values()), "")
        return f"no day could be calculated: {safe_text(first, 100)}", "$error"
    if known == 0:
        return "being calculated: the server has no day yet · R asks for it", "$warning"
    failed = f", {len(series.errors)} failed" if series.errors else ""
    return f"{known} of {len(days)} days{failed}", "$text-muted"


def _point(day: date, result: MetricResult | None, key: str) -> Point:
    variant = next((one for one in result.variant_results if one.key == key), None) if result else None
    if variant is None or result is None or result.baseline is None:
        return Point(day, None)
    lift = lift_of(variant, result.baseline)
    if lift is None:
        return Point(day, None)
    low, high = variant.interval or (None, None)
    return Point(day, lift * 100, *(None if bound is None else bound * 100 for bound in (low, high)))
