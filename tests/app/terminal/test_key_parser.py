"""Keys as the terminal sends them, several in one packet."""

import pytest
from textual.events import Key

from flagtui.app.terminal.quiet_driver import OF_A_MAC, KeyParser


def keys_of(typed: str) -> list[tuple[str, str | None]]:
    return [(event.key, event.character) for event in KeyParser(False).feed(typed) if isinstance(event, Key)]


@pytest.mark.parametrize("character", "1234567890fb")
def test_escape_and_a_character_are_alt_and_the_character(character: str) -> None:
    assert keys_of(f"\x1b{character}j") == [(f"alt+{character}", character), ("j", "j")]


def test_escape_does_not_change_signs_and_characters_stay() -> None:
    assert keys_of("\x1b-\x1b=") == [("minus", "-"), ("equals_sign", "=")]
    typed = "¡™£¢∞§¶•ªº–≠"
    assert [character for _, character in keys_of(typed)] == [*typed]
    assert len(typed) == len(OF_A_MAC)
