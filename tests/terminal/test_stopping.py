"""ctrl+z in a real terminal: the shell gets it back whole, and fg goes on where it was."""

import shlex
import sys
from pathlib import Path

from tests.doubles.terminal import Terminal

FLAGTUI = [sys.executable, "-m", "flagtui", "demo"]
CTRL_Z = "\x1a"


def surroundings(folder: Path) -> dict[str, str]:
    kinds = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")
    return {**dict.fromkeys(kinds, str(folder)), "FLAGTUI_NO_FIRST_FRAME": "1", "PS1": "shell> ", "ENV": ""}


def test_a_shell_gets_the_terminal_and_its_fg_brings_flagtui_back_also_behind_another_program(
    tmp_path: Path,
) -> None:
    with Terminal(["sh", "-i"], size=(100, 30), environment=surroundings(tmp_path)) as terminal:
        terminal.wait_for("shell>")
        terminal.press(f"sh -c '{shlex.join(FLAGTUI)}; echo it is over'\n")
        terminal.wait_for("synced")
        terminal.press(CTRL_Z)
        terminal.wait_for("Stopped")
        assert terminal.modes_on() <= {"2004"}
        terminal.press("fg\n")
        terminal.wait_until(lambda: terminal.sent.count(b"\x1b[?1049h") == 2, "the second start")
        terminal.wait_for("synced")
        terminal.press("q")
        terminal.wait_for_bytes(b"it is over\r\n")


def test_without_a_shell_it_goes_on_and_says_so(tmp_path: Path) -> None:
    with Terminal(FLAGTUI, size=(100, 30), environment=surroundings(tmp_path)) as terminal:
        terminal.wait_for("synced")
        terminal.press(CTRL_Z)
        terminal.wait_for("no shell waits")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
