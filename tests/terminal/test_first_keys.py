"""Keys pressed on the frame of the last run, before the program is loaded."""

import sys
from pathlib import Path

from tests.doubles.terminal import Terminal
from tests.terminal.conftest import Furnish

FLAGTUI = [sys.executable, "-m", "flagtui", "demo"]
SIZE = (100, 30)


def test_enter_on_the_first_frame_opens_its_row(tmp_path: Path, furnish: Furnish) -> None:
    home = furnish(tmp_path)
    with Terminal(FLAGTUI, size=SIZE, environment=home) as terminal:
        terminal.wait_for("synced")
        # Out of the tour, which is no frame to begin with.
        terminal.press("\x1bOR")
        terminal.wait_for("UPDATED")
        terminal.wait_for_rest(0.1)
        terminal.press("q")
        assert terminal.wait_for_end() == 0
    with Terminal(FLAGTUI, size=SIZE, environment=home, is_cold=True) as terminal:
        terminal.wait_for("ago, connecting")
        terminal.press("\r")
        terminal.wait_for("Overview")
        terminal.press("\x11")
        assert terminal.wait_for_end() == 0
