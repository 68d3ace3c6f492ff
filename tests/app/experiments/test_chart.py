"""Charts of days, bars of intervals, and cells of results."""

import math
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len
from tests.doubles.slices import cross

from flagtui.app.experiments.chart import Course, Point, chart_lines
from flagtui.app.experiments.chart_canvas import day_ticks, scale_of, tick_label
from flagtui.app.experiments.detail.metric_table import WIDEST, axis_of, bar, strokes_for
from flagtui.app.experiments.experiment_columns import experiment_columns
from flagtui.app.widgets.column_layout import Slot
from flagtui.app.widgets.glyphs import ASCII, UNICODE, Glyphs
from flagtui.models.rows import ExperimentRow
from flagtui.text.flag_sentences import plain
from flagtui.text.judgement import Leading

OCTOBER: Final = date(2026, 10, 25)
SIZES: Final = ((132, 40), (80, 17), (56, 9), (30, 8), (20, 5))
PERCENT = st.floats(-500, 500, allow_nan=False).map(lambda value: round(value, 3))


def days(count: int) -> list[date]:
    return [OCTOBER + timedelta(days=place) for place in range(count)]


def course(*lifts: float | None, half: float = 5.0, name: str = "test") -> Course:
    points = (
        Point(day, None) if lift is None else Point(day, lift, lift - half, lift + half)
        for day, lift in zip(days(len(lifts)), lifts, strict=True)
    )
    return Course(name, tuple(points))


def draw(
    *courses: Course, size: tuple[int, int] = (60, 16), glyphs: Glyphs = UNICODE, count: int = 0
) -> list[str]:
    shown = days(count or len(courses[0].points))
    return plain(chart_lines("Paid", courses, shown, size, glyphs)).split("\n")


def plot_of(lines: Sequence[str]) -> dict[str, str]:
    """The rows of the plot that have a number, by it."""
    return {number.strip(): row for number, edge, row in (line.partition("┤") for line in lines) if edge}


@given(st.lists(st.tuples(PERCENT, PERCENT, PERCENT), min_size=1, max_size=20), st.integers(3, 40))
def test_axis_holds_every_value_and_has_a_row_at_zero(
    values: list[tuple[float, float, float]], rows: int
) -> None:
    scale = scale_of(values, rows)
    assert all(scale.low - 1e-6 <= lift <= scale.high + 1e-6 for lift, _, _ in values)
    row = -scale.low / (scale.high - scale.low) * (rows - 1)
    assert math.isclose(row, round(row), abs_tol=1e-6)
    mantissa = scale.step / 10.0 ** math.floor(math.log10(scale.step) + 1e-9)
    assert any(math.isclose(mantissa, factor, rel_tol=1e-6) for factor in (1, 2, 5, 10))
    assert any(tick == 0 for tick in scale.ticks)


def test_absurd_intervals_are_cut_at_the_axis() -> None:
    scale = scale_of([(5.0, -900.0, 2_000.0), (6.0, 1.0, 11.0)], 13)
    assert -100 <= scale.low < scale.high <= 100
    assert scale_of([(300.0, 100.0, 500.0)], 13).high >= 300
    lines = draw(course(10.0, 10.0, half=1e12), glyphs=ASCII)
    assert all(":" in line or "*" in line or "-" in line for line in lines[2:-1])


def test_axis_numbers_have_a_sign_and_decimals_of_their_step() -> None:
    labels = {(20, 20): "+20 %", (0.0, 20): "0 %", (-40, 20): "−40 %", (0.5, 0.5): "+0.5 %"}
    labels |= {(-0.02, 0.01): "−0.02 %"}
    assert {place: tick_label(*place) for place in labels} == labels


def test_days_have_short_names_and_never_overlap() -> None:
    assert day_ticks(days(3), 60) == [(0, "25 Oct"), (1, "26 Oct"), (2, "27 Oct")]
    assert day_ticks(days(13), 70)[:2] == [(0, "25 Oct"), (2, "27 Oct")]
    assert day_ticks(days(60), 60)[-1] == (56, "20 Dec")
    for count, width in product((1, 2, 30, 400, 3_000), (2, 20, 60, 120)):
        assert (len(day_ticks(days(count), width)) - 1) * 9 <= width


@pytest.mark.parametrize(("size", "glyphs", "count"), cross(SIZES, [UNICODE, ASCII], [90, 1, 2]))
def test_a_chart_is_as_large_as_asked(size: tuple[int, int], glyphs: Glyphs, count: int) -> None:
    many = [course(*([3.0] * count), name=f"variant-名{number}") for number in range(12)]
    for courses in (many[:1], many):
        lines = draw(*courses, size=size, glyphs=glyphs)
        assert len(lines) == size[1]
        assert max(map(cell_len, lines[2:])) <= max(size[0], 11)
    if size[0] >= 56:
        assert max(map(cell_len, lines)) <= size[0]


def test_days_bands_and_the_last_value_are_in_place() -> None:
    rows = plot_of(draw(course(0.0, 20.0, 40.0, half=0.0)))
    assert rows["+40 %"].endswith("●")
    assert "─" in rows["0 %"]
    lines = draw(course(10.0, 10.0, half=10.0), glyphs=ASCII)[1:]
    assert {line[:5].strip() for line in lines if ":" in line} == {"+20 %", "+15 %", "+5 %", ""}
    assert [line[:5].strip() for line in lines if "*" in line] == ["+10 %"]
    lines = draw(course(10.0), size=(40, 12))
    assert sum(line.count("●") for line in lines) == 2
    assert sum(not set(line).isdisjoint(map(chr, range(0x2801, 0x2900))) for line in lines[1:]) > 1


def test_line_breaks_at_missing_days_and_legend_explains_crosses() -> None:
    lines = draw(course(10.0, 10.0, None, 10.0, 10.0))
    assert lines[0] == "Paid   ● test   ⠕⠕ interval   × no value"
    assert plot_of(lines)["0 %"].count("×") == 1
    assert "no value" not in draw(course(10.0, 10.0))[0]


def test_lines_are_distinct_without_colour_and_unicode() -> None:
    two = draw(course(10.0, 20.0, name="blue"), course(-10.0, -20.0, name="green"))
    assert two[0].startswith("Paid   ● blue   ◆ green   ⠕⠕ interval")
    assert min("".join(two[1:]).count(sign) for sign in "●◆") > 1
    lines = draw(course(-10.0, None, 20.0), course(1.0, 2.0, 3.0, name="other"), glyphs=ASCII)
    assert all(line.isascii() for line in lines)
    assert lines[0].startswith("Paid   * test   o other   :: interval")


DRAWN = strokes_for(UNICODE)


def test_axis_holds_every_interval_but_absurd_ones() -> None:
    assert [axis_of([(0.1, 0.3), (0.05, 0.2)]), axis_of([(-0.2, -0.1)])] == [(0.0, 0.3), (-0.2, 0.0)]
    assert [axis_of([]), axis_of([(0.0, 0.0)])] == [(-0.1, 0.1)] * 2
    assert axis_of([(-0.1, 0.2), (-40.0, 90.0)]) == (-WIDEST, WIDEST)
    assert bar((-40.0, 90.0), 25.0, (-WIDEST, WIDEST), 21, DRAWN) == "‹───────────────────›"


def test_ends_and_point_are_at_their_values_in_any_alphabet() -> None:
    assert bar((-0.2, 0.4), 0.1, (-0.5, 0.5), 21, DRAWN) == "      ├─────●─────┤  "
    assert bar((0.2, 0.4), 0.3, (-0.5, 0.5), 21, DRAWN) == "          │   ├─●─┤  "
    assert bar(None, None, (-0.5, 0.5), 5, DRAWN) == "  │  "
    assert bar((-0.2, 0.4), 0.1, (-0.5, 0.5), 21, strokes_for(ASCII)).isascii()


@pytest.mark.parametrize("width", [1, 2, 3, 40])
@pytest.mark.parametrize("interval", [(0.0, 0.0), (-9.0, -8.0), (8.0, 9.0), (0.3, -0.3)])
def test_a_bar_is_exactly_as_wide_as_asked(width: int, interval: tuple[float, float]) -> None:
    assert len(bar(interval, None, axis_of([interval]), width, DRAWN)) == width


FORMS = ("b +43.8 % (−2.1 to +89.0 %) · win 95.8 %", "b +43.8 % · win 95.8 %", "b +43.8 %", "+43.8 %")


@pytest.mark.parametrize(
    ("width", "age", "form"),
    [(40, "", FORMS[0]), (39, "", FORMS[1]), (25, "3h", FORMS[2]), (9, "", FORMS[2]), (3, "", FORMS[3])],
)
def test_result_is_shown_in_its_longest_form(width: int, age: str, form: str) -> None:
    columns = experiment_columns(lambda row: Leading("", FORMS, age=age))
    result = next(column for column in columns if column.name == "result")
    assert result.draw(ExperimentRow(1, "One"), Slot(width, UNICODE, now=0.0))[0][0] == form


def test_state_of_an_experiment_has_one_word() -> None:
    state = next(column for column in experiment_columns() if column.name == "word")
    words = {
        (): "frozen",
        ("archived",): "archived",
        ("deleted",): "deleted",
        ("archived", "deleted"): "deleted",
    }
    for fields, word in words.items():
        row = replace(ExperimentRow(1, "One", status="exposure_frozen"), **dict.fromkeys(fields, True))
        assert state.draw(row, Slot(9, UNICODE, now=0.0))[0][0] == word
