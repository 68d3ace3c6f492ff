"""Intervals as bars on a shared axis."""

import pytest

from flagtui.app.experiments.detail.metric_table import WIDEST, axis_of, bar, strokes_for
from flagtui.app.widgets.glyphs import ASCII, UNICODE

DRAWN = strokes_for(UNICODE)


def test_the_axis_holds_every_interval_and_zero() -> None:
    assert axis_of([(0.1, 0.3), (0.05, 0.2)]) == (0.0, 0.3)
    assert axis_of([(-0.2, -0.1)]) == (-0.2, 0.0)
    assert axis_of([]) == (-0.1, 0.1)
    assert axis_of([(0.0, 0.0)]) == (-0.1, 0.1)


def test_one_absurd_interval_does_not_flatten_the_others() -> None:
    assert axis_of([(-0.1, 0.2), (-40.0, 90.0)]) == (-WIDEST, WIDEST)
    assert bar((-40.0, 90.0), 25.0, (-WIDEST, WIDEST), 21, DRAWN) == "‹───────────────────›"


def test_ends_and_point_stand_where_their_values_are() -> None:
    assert bar((-0.2, 0.4), 0.1, (-0.5, 0.5), 21, DRAWN) == "      ├─────●─────┤  "
    assert bar((0.2, 0.4), 0.3, (-0.5, 0.5), 21, DRAWN) == "          │   ├─●─┤  "


def test_without_an_interval_only_zero_is_drawn() -> None:
    assert bar(None, None, (-0.5, 0.5), 5, DRAWN) == "  │  "


@pytest.mark.parametrize("width", [1, 2, 3, 40])
@pytest.mark.parametrize("interval", [(0.0, 0.0), (-9.0, -8.0), (8.0, 9.0), (0.3, -0.3)])
def test_a_bar_is_exactly_as_wide_as_asked(width: int, interval: tuple[float, float]) -> None:
    assert len(bar(interval, None, axis_of([interval]), width, DRAWN)) == width


def test_a_terminal_without_unicode_gets_plain_letters() -> None:
    assert bar((-0.2, 0.4), 0.1, (-0.5, 0.5), 21, strokes_for(ASCII)).isascii()
