"""Keys pressed on the frame of the last run, before the program is loaded."""

from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import DEMO, SIZE


@story
def test_enter_on_the_first_frame_opens_its_row(kept: dict[str, str]) -> None:
    with Terminal(DEMO, size=SIZE, environment=kept, is_cold=True) as terminal:
        terminal.wait_for("ago, connecting")
        terminal.press("\r")
        terminal.wait_for("Overview")
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
