"""Input of the watchdog process: keys in two notations, and terminal attributes as an argument."""

import os
import pty
import termios

import pytest

from flagtui.app.terminal.watchdog_process import holds_quit, read_attributes, write_attributes


@pytest.mark.parametrize(
    "keys",
    [b"\x11", b"jj\x11k", b"\x1b[113;5u", b"\x1b[A\x1b[106;1;106uj\x1b[113;69u", b"\x1b[113::113;133:1u"],
    ids=["control character", "among keys", "kitty", "kitty with caps lock", "kitty with num lock"],
)
def test_ctrl_q_is_found_among_keys(keys: bytes) -> None:
    assert holds_quit(keys)


@pytest.mark.parametrize(
    "keys",
    [b"q", b"\x1b[113;1u", b"\x1b[113;6u", b"\x1b[113;", b"\x1b[<113;5;5Mu", b"\x1b[115;5u", b"\x1b[;5u"],
    ids=["q", "kitty q", "with shift", "unfinished", "mouse", "ctrl+s", "without a key"],
)
def test_other_keys_are_no_ctrl_q(keys: bytes) -> None:
    assert not holds_quit(keys)


@pytest.mark.parametrize("canonical", [0, termios.ICANON], ids=["raw", "canonical"])
def test_terminal_attributes_survive_as_an_argument(canonical: int) -> None:
    keyboard, line = pty.openpty()
    try:
        attributes = termios.tcgetattr(line)
        attributes[3] = attributes[3] & ~termios.ICANON | canonical
        termios.tcsetattr(line, termios.TCSANOW, attributes)
        before = termios.tcgetattr(line)
        termios.tcsetattr(line, termios.TCSANOW, [*before[:3], before[3] ^ termios.ECHO, *before[4:]])
        termios.tcsetattr(line, termios.TCSANOW, read_attributes(write_attributes(before)))
        assert termios.tcgetattr(line) == before
    finally:
        os.close(keyboard)
        os.close(line)
