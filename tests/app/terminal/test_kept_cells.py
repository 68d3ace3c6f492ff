"""Caches of drawn cells are bounded."""

from weakref import ref

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from flagtui.app.terminal.screen_cells import KEPT_STYLES, CellMaker, Pens, Row


def test_cells_that_are_alike_are_one_object() -> None:
    made, row = CellMaker(Pens(ColorSystem.TRUECOLOR)), Row([None] * 20)
    red = Style(color="#ff0000")
    made.lay(row, 0, [Segment("nav 日", red), Segment("a 日v", red), Segment("a", None)])
    texts = [cell[0] for cell in row[:12] if cell is not None]
    assert texts == ["n", "a", "v", " ", "日", "", "a", " ", "日", "", "v", "a"]
    assert row[1] is row[6]
    assert row[3] is row[7]
    assert row[4] is row[8]
    assert row[11] != row[1]


class Watched(Style):
    """A style of which it is known when it is let go."""


def test_styles_that_differ_invisibly_are_released() -> None:
    pens, drawn = Pens(ColorSystem.TRUECOLOR), set()
    given = []
    for place in range(3 * KEPT_STYLES):
        style = Watched(bold=True, meta={"offset": place})
        drawn.add(pens.of(style))
        given.append(ref(style))
    assert len(drawn) == 1
    assert 0 < sum(each() is not None for each in given) <= KEPT_STYLES
