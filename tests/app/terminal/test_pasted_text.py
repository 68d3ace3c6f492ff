"""Input: keys in packets, pastes, the rest of a lost paste, and keys that the watchdog reads."""

import os
import pty
import termios

import pytest
from tests.doubles.quiet import run_quietly
from tests.doubles.turned_clock import TurnedClock
from textual import events
from textual._xterm_parser import XTermParser
from textual.events import Key, Paste

from flagtui.app.terminal.lost_paste import PAUSE, LostPaste
from flagtui.app.terminal.quiet_driver import BEGIN_PASTE, END_PASTE, OF_A_MAC, QUIT, KeyParser, PastedText
from flagtui.app.terminal.terminal_app import TerminalApp
from flagtui.app.terminal.watchdog_process import holds_quit, read_attributes, write_attributes

HOSTILE = b"he\x1b[31mllo\nq \x1b]52;c;aGk=\x07\x1b\x1b[200~\x1b[20d"
"""Colours, a clipboard, and parts of the marks of a paste."""
TYPED = b"j" + BEGIN_PASTE + HOSTILE + END_PASTE + b"\x1b[Ak" + BEGIN_PASTE + b"2" + END_PASTE
PARTS = range(1, len(TYPED))


def events_of(*parts: bytes) -> list[str]:
    pasted, parser = PastedText(), XTermParser(False)
    passed = filter(None, map(pasted.sift, parts))
    events = [event for part in passed for event in parser.feed(part.decode())]
    return [
        event.text if isinstance(event, Paste) else event.key
        for event in events
        if isinstance(event, Paste | Key)
    ]


EXPECTED = ["j", HOSTILE.replace(b"\x1b", b"").decode(), "up", "k", "2"]


def test_paste_holds_no_keys_and_keys_outside_pass_at_once() -> None:
    assert events_of(TYPED) == EXPECTED
    pasted = PastedText()
    assert [pasted.sift(part) for part in (b"\x1b", b"[", b"A\x1b", b"j")] == [b"\x1b", b"[", b"A\x1b", b"j"]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7])
def test_paste_may_come_in_many_parts(size: int) -> None:
    assert events_of(*(TYPED[at : at + size] for at in range(0, len(TYPED), size))) == EXPECTED
    for place in PARTS:
        assert events_of(TYPED[:place], TYPED[place:]) == EXPECTED


def begin_lost_paste(clock: TurnedClock) -> LostPaste:
    paste = LostPaste(QUIT, END_PASTE, clock.monotonic)
    paste.begin()
    return paste


def test_lost_paste_ends_with_its_marker_or_a_pause() -> None:
    clock = TurnedClock(0.0)
    paste = begin_lost_paste(clock)
    for _ in range(3):
        assert paste.sift(b"dy") == b""
        clock.turn(PAUSE * 0.9)
    assert paste.sift(b"d" + END_PASTE + b"j") == END_PASTE + b"j"
    assert paste.sift(b"k") == b"k"
    clock = TurnedClock(0.0)
    paste = begin_lost_paste(clock)
    clock.turn(PAUSE)
    assert paste.sift(b"j") == END_PASTE + b"j"
    assert paste.sift(b"k") == b"k"


def test_input_passes_while_nothing_is_lost_and_ctrl_q_always() -> None:
    assert LostPaste(QUIT, END_PASTE).sift(b"dy") == b"dy"
    assert begin_lost_paste(TurnedClock(0.0)).sift(b"dy" + QUIT) == END_PASTE + QUIT


class Pressed(TerminalApp[None]):
    """Remembers what is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)


async def test_keys_read_before_the_loss_are_left_out() -> None:
    app = Pressed()
    async with run_quietly(app) as pilot:
        read = events.Key("d", "d"), events.Key("y", "y")
        app.forget_typed()
        for event in (*read, events.Key("j", "j")):
            app.post_message(event)
        await pilot.pause()
        assert app.keys == ["j"]


@pytest.mark.parametrize(("case", "keys", "quits"), [
    ("control character", b"\x11", True),
    ("among keys", b"jj\x11k", True),
    ("kitty", b"\x1b[113;5u", True),
    ("kitty with caps lock", b"\x1b[A\x1b[106;1;106uj\x1b[113;69u", True),
    ("kitty with num lock", b"\x1b[113::113;133:1u", True),
    ("q", b"q", False),
    ("kitty q", b"\x1b[113;1u", False),
    ("with shift", b"\x1b[113;6u", False),
    ("unfinished", b"\x1b[113;", False),
    ("mouse", b"\x1b[<113;5;5Mu", False),
    ("ctrl+s", b"\x1b[115;5u", False),
    ("without a key", b"\x1b[;5u", False),
])  # fmt: skip
def test_ctrl_q_is_found_among_keys(case: str, keys: bytes, quits: bool) -> None:
    assert bool(holds_quit(keys)) is quits


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


def keys_of(typed: str) -> list[tuple[str, str | None]]:
    return [(event.key, event.character) for event in KeyParser(False).feed(typed) if isinstance(event, Key)]


def test_escape_and_a_character_are_alt_and_the_character() -> None:
    for character in "1234567890fb":
        assert keys_of(f"\x1b{character}j") == [(f"alt+{character}", character), ("j", "j")]
    assert keys_of("\x1b-\x1b=") == [("minus", "-"), ("equals_sign", "=")], "signs are not changed by it"


def test_characters_of_a_mac_stay() -> None:
    typed = "¡™£¢∞§¶•ªº–≠"
    assert [character for _, character in keys_of(typed)] == [*typed]
    assert len(typed) == len(OF_A_MAC)
