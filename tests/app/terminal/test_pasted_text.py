"""Escape characters in pasted text: Textual reads what follows one as keys."""

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key, Paste

from flagtui.app.terminal.quiet_driver import BEGIN_PASTE, END_PASTE, PastedText

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
