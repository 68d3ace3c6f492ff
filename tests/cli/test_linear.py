"""The commands as lines and prompts: nothing is addressed on the screen, nothing is drawn in boxes."""

import re
import sys
from pathlib import Path

from tests.cli.conftest import KEY, Service
from tests.doubles.terminal import Terminal

KINDS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")


def test_commands_are_asked_for_and_answered_in_lines(tmp_path: Path, service: Service) -> None:
    environment = {kind: str(tmp_path) for kind in KINDS}
    environment |= {"FLAGTUI_HOST": service.address, "FLAGTUI_PROJECT": "1", "FLAGTUI_API_KEY": KEY}
    command = [sys.executable, "-m", "flagtui", "--linear"]
    with Terminal(command, size=(100, 200), environment=environment) as terminal:
        terminal.wait_for("flagtui>")
        terminal.press("flags list new-nav\r")
        terminal.wait_for("(?s)new-nav.*new-nav.*flagtui>")
        terminal.press("flags disable new-nav\r")
        terminal.wait_for(r"\[y/N\]")
        terminal.press("n\r")
        terminal.wait_for("(?s)y/N.*flagtui>")
        terminal.press("nothing like that\r")
        terminal.wait_for("(?s)No such command.*ended with 2")
        terminal.press("flags get 'new\r")
        terminal.wait_for("The line cannot be read")
        terminal.press("profiles\r")
        terminal.wait_for("There is no profile yet")
        terminal.press("quit\r")
        assert terminal.wait_for_end() == 0
        sent = bytes(terminal.sent)
        # Colours and the ends of lines alone.
        assert re.findall(rb"\x1b\[[\d;?]*[A-HJKSTfhlsu]", sent) == []
        assert re.findall("[\u2500-\u257f]", sent.decode()) == []
        assert KEY.encode() not in sent
