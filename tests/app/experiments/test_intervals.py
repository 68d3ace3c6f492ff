"""Intervals as bars on a shared axis."""

import pytest

from flagtui.app.experiments.detail.metric_table import WIDEST, axis_of, bar, strokes_for
from flagtui.app.widgets.glyphs import ASCII, UNICODE

DRAWN = strokes_for(UNICODE)


def test_axis_holds_every_interval_but_absurd_ones() -> None:
    assert axis_of([(0.1, 0.3), (0.05, 0.2)]) == (0.0, 0.3)
    assert axis_of([(-0.2, -0.1)]) == (-0.2, 0.0)
    assert axis_of([]) == (-0.1, 0.1)
    assert axis_of([(0.0, 0.0)]) == (-0.1, 0.1)
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
