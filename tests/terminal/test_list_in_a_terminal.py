"""The list, the search line and the terminal room in a real pseudo-terminal: bytes, signals, early keys."""

import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal
from tests.terminal.conftest import assert_restored

PROGRAM = [sys.executable, str(Path(__file__).parents[2] / "benchmarks" / "terminal" / "list_app.py")]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal([*PROGRAM, "1000"]) as terminal:
        terminal.wait_for("READY 1000/1000")
        yield terminal


def test_stopped_loop_still_restores_the_terminal_on_a_signal() -> None:
    with Terminal([*PROGRAM, "10"]) as terminal:
        terminal.wait_for("READY 10/10")
        terminal.press("\x18", until="stalled")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 128 + signal.SIGTERM
        assert_restored(terminal)


def test_vanished_terminal_ends_the_program_despite_ignored_hangups() -> None:
    with Terminal(["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *PROGRAM, "10"]) as terminal:
        terminal.wait_for("READY 10/10")
        terminal.hang_up()
        # Python ends with 120 when something is left that the terminal cannot take any more.
        assert terminal.wait_for_end() in (128 + signal.SIGTERM, 120)


@story
def test_keys_pressed_before_the_program_is_up_are_not_lost() -> None:
    with Terminal([*PROGRAM, "1000"]) as terminal:
        terminal.press("/check", until=r"READY (?!1000/)\d+/1000")
        assert terminal.lines[0].strip() == "check"


def test_keys_typed_after_a_query_and_enter_reach_the_list(terminal: Terminal) -> None:
    terminal.press("/checkq\x7f\r\x1b[Fx/\t", until="▌")
    assert terminal.lines[0].strip() == "check"


def test_a_cursor_step_sends_few_bytes(terminal: Terminal) -> None:
    before = len(terminal.sent)
    terminal.press("\x1b[B", until=re.escape(terminal.lines[3].split()[1]))
    assert len(terminal.sent) - before < 1000


def test_the_screen_is_the_same_with_and_without_the_encoder() -> None:
    seen = []
    for plain in ("0", "1"):
        with Terminal([*PROGRAM, "300"], environment={"FLAGTUI_PLAIN_DISPLAY": plain}) as terminal:
            terminal.wait_for("READY 300/300")
            for keys, until in (
                ("\x1b[6~", r"(?m)^  \S  mobile-tabs-59 "),
                ("/nav", r"READY (?!300/)"),
                ("\x7f" * 3, "READY 300/300"),
            ):
                terminal.press(keys, until=until)
            terminal.resize(100, 30)
            terminal.wait_for(r"(?ms)^.{90,}UPDATED$.*READY 300/300\Z")
            seen.append(terminal.text)
    assert seen[0] == seen[1]


def test_screen_is_redrawn_after_another_program() -> None:
    with Terminal([*PROGRAM, "100"]) as terminal:
        terminal.wait_for("READY 100/100")
        shown = terminal.text
        terminal.press("\x1bOQ", until="in the editor")
        terminal.screen.reset()
        terminal.press("\n", until="READY 100/100")
        assert terminal.text == shown
        assert terminal.press_to_end("\x11") == 0
        assert_restored(terminal)


def test_a_terminal_without_unicode_gets_ascii_only() -> None:
    ascii_only = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with Terminal([*PROGRAM, "50"], environment={**ascii_only, "PYTHONIOENCODING": "ascii"}) as terminal:
        terminal.wait_for("READY 50/50")
        assert terminal.text.isascii()
        assert re.search(r"[*o~] +\S+ +=", terminal.text)


@pytest.mark.parametrize(
    "environment",
    [{}, {"NO_COLOR": "1"}, {"TERM": "linux", "COLORTERM": ""}, {"TERM": "xterm-256color", "COLORTERM": ""}],
    ids=["true-colour", "no-colour", "16-colours", "256-colours"],
)
def test_the_cursor_line_looks_different_however_few_colours_there_are(environment: dict[str, str]) -> None:
    with Terminal([*PROGRAM, "50"], environment=environment) as terminal:
        terminal.wait_for("READY 50/50")
        cursor, other = ([terminal.screen.buffer[y][x] for x in range(1, 79)] for y in (2, 3))
        assert all((a.bg, a.reverse) != (b.bg, b.reverse) for a, b in zip(cursor, other, strict=True))
        assert all(cell.fg != cell.bg or cell.data == " " for cell in cursor if not cell.reverse)
