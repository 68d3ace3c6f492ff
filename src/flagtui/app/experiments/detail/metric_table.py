"""Metrics as a table: values, difference, interval on a common axis, and how sure it is."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len

from flagtui.app.widgets.glyphs import UNICODE, Glyphs, terminal_glyphs
from flagtui.app.widgets.line import cut, fill
from flagtui.changes.experiments.experiment_fields import baseline_of
from flagtui.details.metric_findings import Findings, MetricReading
from flagtui.models.experiment import Experiment
from flagtui.safe_text import safe_text
from flagtui.text.judgement import Judgement, confidence, is_frequentist, verdicts
from flagtui.text.long_lists import more_line, window
from flagtui.text.styled import Look, Piece

ROWS: Final = 60
"""Metrics that are drawn at a time, the chosen one among them."""
VARIANT_ROWS: Final = 20
"""Variants of one metric that are drawn."""
WIDEST: Final = 0.6
"""Relative difference at which the axis ends: one absurd interval must not flatten the others."""
Bounds = tuple[float, float]


class Strokes(msgspec.Struct, frozen=True):
    """Characters of an interval, one cell each."""

    left: str
    line: str
    point: str
    right: str
    zero: str
    more_left: str
    more_right: str


_DRAWN: Final = Strokes("├", "─", "●", "┤", "│", "‹", "›")
_TYPED: Final = Strokes("[", "-", "*", "]", "|", "<", ">")


def strokes_for(glyphs: Glyphs) -> Strokes:
    """Return the strokes that the terminal can draw."""
    return _DRAWN if glyphs is UNICODE else _TYPED


def strokes_here() -> Strokes:
    """Return the strokes that this terminal can draw."""
    return strokes_for(terminal_glyphs())


def axis_of(intervals: Iterable[Bounds]) -> Bounds:
    """Return the axis that shows all of these, zero among them, as far as `WIDEST` allows."""
    all_bounds = list(intervals)
    low = min((min(bounds) for bounds in all_bounds), default=0.0)
    high = max((max(bounds) for bounds in all_bounds), default=0.0)
    low, high = max(-WIDEST, min(0.0, low)), min(WIDEST, max(0.0, high))
    return (low, high) if high > low else (-0.1, 0.1)


def bar(interval: Bounds | None, point: float | None, axis: Bounds, width: int, strokes: Strokes) -> str:
    """Draw `   ├────●───┤` in exactly `width` cells; an end beyond the axis becomes an arrow."""
    cells = [" "] * width
    cells[_cell(0.0, axis, width)] = strokes.zero
    if interval is None:
        return "".join(cells)
    low, high = min(interval), max(interval)
    left, right = _cell(low, axis, width), _cell(high, axis, width)
    for place in range(left, right + 1):
        cells[place] = strokes.line
    cells[left] = strokes.more_left if low < axis[0] else strokes.left
    cells[right] = strokes.more_right if high > axis[1] else strokes.right
    middle = (low + high) / 2 if point is None else point
    if axis[0] <= middle <= axis[1]:
        cells[_cell(middle, axis, width)] = strokes.point
    return "".join(cells)


def _cell(value: float, axis: Bounds, width: int) -> int:
    share = (min(max(value, axis[0]), axis[1]) - axis[0]) / (axis[1] - axis[0])
    return round(share * (width - 1))


COLOURS: Final[dict[Look, str]] = {
    "good": "$success",
    "bad": "$error",
    "warn": "$warning",
    "muted": "$text-muted",
    "faint": "$faint",
}
VALUE: Final = 10
DELTA: Final = 10
ODDS: Final = 18
BAR_FROM: Final = 84
"""Cells from which the interval is drawn."""
VALUES_FROM: Final = 70
"""Cells from which values are shown beside their difference."""
WORDS_FROM: Final = 48
"""Cells from which reasons for a missing chance have room."""


class Shape(msgspec.Struct, frozen=True):
    """Widths of the parts of the table; 0 hides a part."""

    name: int
    value: int
    bar: int
    odds: int


def shape_for(width: int) -> Shape:
    """Return the table for this width."""
    if width < VALUES_FROM:
        odds = ODDS if width >= WORDS_FROM else 8
        return Shape(max(8, width - DELTA - odds - 4), 0, 0, odds)
    values = 2 * (VALUE + 1)
    fixed = values + DELTA + ODDS + 4
    if width < BAR_FROM:
        return Shape(max(14, width - fixed), VALUE, 0, ODDS)
    spare = width - fixed - 2
    wide = min(44, spare // 2)
    return Shape(min(40, spare - wide), VALUE, wide, ODDS)


def table_lines(findings: Findings, width: int, strokes: Strokes, chosen: int) -> Iterator[list[Piece]]:
    """Yield the heading, then a line for each metric and variant; metric `chosen` has the cursor's mark."""
    experiment = findings.experiment
    if experiment is None or not findings.readings:
        return
    shape = shape_for(width)
    shown = window(len(findings.readings), chosen, ROWS)
    readings = findings.readings[shown.start : shown.stop]
    if len({reading.as_of for reading in findings.readings}) == 1:
        # The line below the table names the day, where all are of one.
        readings = tuple(replace(reading, as_of="") for reading in readings)
    judgements = [list(verdicts(reading)) for reading in readings]
    axis = axis_of(
        judgement.interval for group in judgements for judgement in group if judgement.interval is not None
    )
    yield _heading(findings, judgements, shape, axis)
    if shown.start:
        yield [(f"  {shown.start:,} metrics above", "$faint")]
    role = "primary" if not shown.start else readings[0].metric.role
    for place, reading, group in zip(shown, readings, judgements, strict=True):
        if reading.metric.role != role:
            role = reading.metric.role
            yield [("  secondary", "$faint")]
        mark: Piece = ("▌ ", "$primary") if place == chosen else ("  ", "")
        yield from _metric_lines(reading, group, shape, (mark, axis, strokes))
        yield from _breakdown_lines(reading, shape, (mark, axis, strokes))
    if below := len(findings.readings) - shown.stop:
        yield [(f"  {below:,} metrics below", "$faint")]


def _heading(
    findings: Findings, judgements: Sequence[Sequence[Judgement]], shape: Shape, axis: Bounds
) -> list[Piece]:
    experiment = findings.experiment or Experiment()
    first = next((group for group in judgements if group), [])
    base = _baseline(findings)
    other = _capitals(first[0].variant) if len(first) == 1 else "VARIANT"
    level = f"{confidence(experiment) * 100:g} %"
    text = "  " + fill("METRIC", shape.name)
    if shape.value:
        text += f" {_right(_capitals(base), shape.value)} {_right(other, shape.value)}"
    text += _right("Δ", DELTA)
    if shape.bar:
        ends = f"{axis[0] * 100:+.0f} … {axis[1] * 100:+.0f} %".replace("-", "−")
        whole = f"{level} INTERVAL {ends}"
        text += f"  {fill(whole if len(whole) <= shape.bar else f'{level}: {ends}', shape.bar)}"
    odds = "P-VALUE" if is_frequentist(experiment) else "CHANCE TO WIN"
    return [(f"{text}  {fill(odds, shape.odds).rstrip()}", "$text-muted")]


def _capitals(variant: str) -> str:
    """Return the name of a variant above its values."""
    return cut(safe_text(variant).upper(), VALUE)


def _baseline(findings: Findings) -> str:
    """Return the baseline variant: from the results, else from the settings, else the default."""
    results = (reading.result for reading in findings.readings)
    baseline = next((result.baseline.key for result in results if result and result.baseline), "")
    experiment = findings.experiment
    if baseline or experiment is None:
        return baseline or "baseline"
    return baseline_of(experiment.stats_config, [variant.key for variant in experiment.variants])


def _metric_lines(
    reading: MetricReading,
    judgements: Sequence[Judgement],
    shape: Shape,
    drawing: tuple[Piece, Bounds, Strokes],
) -> Iterator[list[Piece]]:
    mark, axis, strokes = drawing
    metric = reading.metric
    marks = [metric.kind, *["shared"] * metric.is_saved, *["lower wins"] * (metric.goal == "decrease")]
    kind = f"  ({', '.join(marks)})"
    name = safe_text(metric.name, 200)
    label = name + safe_text(kind, 60)
    is_cut = cell_len(label) > shape.name
    head: list[Piece] = [mark, (fill(name, shape.name), "")]
    if not is_cut:
        head = [mark, (name, ""), (fill(safe_text(kind, 60), shape.name - cell_len(name)), "$faint")]
    if not judgements:
        yield [*head, ("  ", ""), *_waiting(reading)]
        return
    if len(judgements) > 1:
        yield [*head, (_right(judgements[0].base, shape.value + 1) if shape.value else "", "")]
        head = []
    for judgement in judgements[:VARIANT_ROWS]:
        own: list[Piece] = head or [
            mark,
            (fill(f"  {safe_text(judgement.variant, 60)}", shape.name), "$text-muted"),
        ]
        base = judgement.base if head else ""
        yield [*own, *_cells(judgement, base, shape, axis, strokes), *_as_of(reading)]
    if (more := len(judgements) - VARIANT_ROWS) > 0:
        yield more_line(more, "variants", "")


def _breakdown_lines(
    reading: MetricReading, shape: Shape, drawing: tuple[Piece, Bounds, Strokes]
) -> Iterator[list[Piece]]:
    """Yield the variants of each breakdown, such as `pro · test`."""
    mark, axis, strokes = drawing
    parts = [*reading.result.breakdowns] if reading.result is not None else []
    for values, result in parts[:VARIANT_ROWS]:
        for judgement in verdicts(replace(reading, result=result)):
            name = fill(f"  {safe_text(f'{values} · {judgement.variant}', 60)}", shape.name)
            yield [mark, (name, "$faint"), *_cells(judgement, judgement.base, shape, axis, strokes)]
    if (more := len(parts) - VARIANT_ROWS) > 0:
        yield more_line(more, "breakdowns", "")


def _cells(judgement: Judgement, base: str, shape: Shape, axis: Bounds, strokes: Strokes) -> Iterator[Piece]:
    colour = COLOURS.get(judgement.look, "")
    if shape.value:
        yield f" {_right(base, shape.value)} {_right(judgement.value, shape.value)}", ""
    yield _right(judgement.delta, DELTA), colour
    if shape.bar:
        yield "  ", ""
        yield bar(judgement.interval, judgement.lift, axis, shape.bar, strokes), colour
    yield f"  {fill(judgement.odds, shape.odds)}", colour


def _waiting(reading: MetricReading) -> Iterator[Piece]:
    if reading.is_awaited:
        yield "being calculated…", "$text-muted"
    elif reading.trouble:
        yield safe_text(reading.trouble, 120), "$warning"
    else:
        yield "no numbers yet", "$faint"


def _as_of(reading: MetricReading) -> Iterator[Piece]:
    if reading.as_of:
        yield f" as of {safe_text(reading.as_of, 12)}", "$faint"
    elif reading.is_awaited:
        yield " …", "$faint"


def _right(text: str, width: int) -> str:
    return " " * max(0, width - cell_len(text)) + text
