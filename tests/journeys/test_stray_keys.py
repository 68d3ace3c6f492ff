"""A slash in a record goes to its list; letters after a key without a meaning are no commands."""

import pytest
from tests.doubles import quiet
from tests.doubles.whole_program import Program, words

from flagtui.app.lists.list_frame import BrowseScreen
from flagtui.app.records.record_screen import RecordScreen

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def packet(program: Program, *keys: str) -> None:
    """Send keys all at once, as one read from the terminal does; then wait for what they do."""
    for key in keys:
        await quiet.press(program.app, key)
    await program.settle()


async def test_slash_in_a_record_searches_its_list_or_its_json(program: Program) -> None:
    await program.press("2", "enter")
    assert isinstance(program.app.screen, RecordScreen)
    await packet(program, "slash", *"nav")
    front = program.app.screen
    assert isinstance(front, BrowseScreen)
    assert (front.current_tab(), front.search.value, front.focused) == ("2", "nav", front.search)
    await program.press("escape", "escape")
    await program.press("1", "enter", "shift+tab")
    assert "JSON" in program.screen
    await packet(program, "slash", *"filters")
    assert isinstance(program.app.screen, RecordScreen)


async def test_letters_after_a_key_without_meaning_are_not_commands(program: Program) -> None:
    await program.press("enter")
    await packet(program, "semicolon", *"eau")
    assert isinstance(program.app.screen, RecordScreen)
    assert "; does nothing here; letters within a second of it are not commands" in words(program.screen)
    await program.press("escape")
    assert isinstance(program.app.screen, BrowseScreen)
    await packet(program, "semicolon")
    program.timing.now += 1.0
    await packet(program, "x")
    front = program.app.screen
    assert isinstance(front, BrowseScreen)
    assert front.marked == 1


LETTERS = (
    ("3", "a", "a: archive is for flags and experiments"),
    ("3", "percent_sign", "%: rollout is for flags"),
    ("1", "V", "V: verify is for event definitions"),
    ("2", "h", "h: history is for flags"),
    ("4", "space", "space: on/off is for flags"),
    ("4", "d", "d: delete is for records"),
)


async def test_letter_of_another_list_names_it(program: Program) -> None:
    for tab, key, purpose in LETTERS:
        program.app.clear_notifications()
        program.timing.now += 2
        await program.press(tab, key)
        assert program.notices == [f"{purpose}; letters within a second of it are not commands"]
