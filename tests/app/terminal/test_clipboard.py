"""Copies reach the terminal's clipboard through tmux and screen, or are reported as lost."""

import re
from base64 import b64decode

import pytest
from tests.doubles.expected import require

from flagtui.app.terminal.clipboard import (
    LONGEST,
    SCREEN_CHUNK,
    clipboard_sequence,
    copied_hint,
    why_not_copied,
)

TEXT = "checkout-redesign ✓ " * 60
TOO_LONG = "too long for a terminal's clipboard"
OSC = re.compile(r"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")


def clipboard_of(sequence: str) -> str:
    """What a terminal that understands OSC 52 puts into its clipboard."""
    return b64decode(require(OSC.fullmatch(sequence))[1]).decode()


def test_terminal_gets_text_whole_and_screen_in_short_strings() -> None:
    assert clipboard_of(clipboard_sequence(TEXT, {"TERM": "xterm-256color"})) == TEXT
    sequence = clipboard_sequence(TEXT, {"STY": "1.pts", "TERM": "screen"})
    chunks = re.findall(r"\x1bP(.*?)\x1b\\", sequence, re.DOTALL)
    assert max(map(len, chunks)) <= SCREEN_CHUNK
    assert clipboard_of("".join(chunks)) == TEXT


@pytest.mark.parametrize("environment", [{"TMUX": "/tmp/tmux-0/default,1,0"}, {"TERM": "tmux-256color"}])
def test_tmux_gets_it_for_itself_and_to_hand_on(environment: dict[str, str]) -> None:
    own, passed = clipboard_sequence(TEXT, environment).split("\x1bPtmux;")
    assert clipboard_of(own) == TEXT
    assert passed.endswith("\x1b\\")
    assert clipboard_of(passed.removesuffix("\x1b\\").replace("\x1b\x1b", "\x1b")) == TEXT
    assert "set-clipboard" in copied_hint(environment)


@pytest.mark.parametrize(("text", "term", "why"), [
    ("x" * LONGEST, "xterm", ""),
    ("x" * (LONGEST + 1), "xterm", f"{TOO_LONG}: 74,995 bytes of at most 74,994"),
    ("é" * LONGEST, "xterm", f"{TOO_LONG}: 149,988 bytes of at most 74,994"),
    ("x", "linux", "this terminal has no clipboard"),
])  # fmt: skip
def test_what_cannot_arrive_is_said_instead_of_sent(text: str, term: str, why: str) -> None:
    assert why_not_copied(text, {"TERM": term}) == why
    assert why or len(clipboard_sequence(text, {"TERM": term})) <= 100_000
