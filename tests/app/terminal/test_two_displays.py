"""Random partial frames of overlapping panes look on the terminal as if sent whole."""

import os
import random

import pytest
from rich.segment import Segment
from rich.style import Style
from tests.doubles import quiet
from tests.doubles.slices import at_most
from tests.doubles.two_displays import COMPARED, TwiceDisplayed
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

FRAMES = int(os.environ.get("FLAGTUI_FRAMES", at_most(40, 400)))
STYLES = [Style(color="#e6edf3"), Style(color="#58a6ff", bold=True), Style(bgcolor="#1f2733"), Style()]
# Without wide characters: whole frames leave halves of them behind at the edges of what is drawn again.
WORDS = ["nav", "checkout-v2", "naïve", "●", "é", "", "  ", "kill switch", "a" * 30]


class Pane(Widget):
    """Lines of words that scroll, with a line that stands out."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.top = self.cursor = 0
        self.spot = Region()

    def render_line(self, y: int) -> Strip:
        drawn = random.Random(self.top + y)
        count = range(drawn.randint(0, 6))
        pieces = [Segment(f"{drawn.choice(WORDS)} ", drawn.choice(STYLES)) for _ in count]
        strip = Strip(pieces).adjust_cell_length(self.size.width)
        if self.spot.y <= y < self.spot.bottom:
            before, _, after = strip.divide([self.spot.x, self.spot.right, self.size.width])
            strip = Strip.join([before, Strip([Segment("+" * self.spot.width, STYLES[1])]), after])
        return strip.apply_style(STYLES[2]) if y == self.cursor else strip


class Panes(TwiceDisplayed):
    CSS = """
        Screen { layers: base above; }
        Pane { height: 1fr; background: #0d1117; }
        #left { width: 3fr; }
        #right { width: 2fr; }
        #over { layer: above; width: 20; height: 5; offset: 30 3; }
    """

    def is_shown(self, pane: Pane) -> bool:
        return all(each.display for each in pane.ancestors_with_self)

    def compose(self) -> ComposeResult:
        yield Horizontal(Vertical(Pane(id="list"), id="left"), Vertical(Pane(id="side"), id="right"))
        yield Pane(id="over")


def change(app: Panes, dice: random.Random) -> None:
    """Do to one pane what a list, a preview or a question does."""
    # Textual overlooks a pane that goes while one that is not shown is refreshed.
    pane = dice.choice([pane for pane in app.query(Pane) if app.is_shown(pane)])
    match dice.randrange(6):
        case 0 | 1:
            pane.top += dice.choice([-2, -1, 1, 1, 3])
            pane.refresh()
        case 2:
            old, pane.cursor = pane.cursor, dice.randrange(max(1, pane.size.height))
            pane.refresh(*(Region(0, y, pane.size.width, 1) for y in (old, pane.cursor)))
        case 3:
            old_spot = pane.spot
            pane.spot = Region(dice.randrange(9), dice.randrange(8), dice.randint(1, 9), dice.randint(1, 4))
            pane.refresh(old_spot, pane.spot)
        case 4:
            app.query_one("#over").display = dice.random() < 0.5
        case 5:
            app.query_one("#right").display = dice.random() < 0.7


@pytest.mark.parametrize("width", [132, 110, 80, 60])
async def test_random_partial_frames_show_the_same_as_whole_ones(width: int) -> None:
    app, dice = Panes(), random.Random(width)
    async with app.run_test(size=(width, 20)):
        for _ in range(FRAMES // 4):
            for _ in range(dice.randint(1, 3)):
                change(app, dice)
            await quiet.settle(app)
            app.displays.compare(app)
    assert COMPARED[width] >= FRAMES // 4
