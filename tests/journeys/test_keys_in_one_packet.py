"""Over a slow link keys arrive together: each is obeyed before the next one is looked at, on every screen."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running, words
from textual import events
from textual.widgets import Input

from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.journal.journal_screen import JournalScreen
from flagtui.app.records.record_screen import RecordScreen
from flagtui.app.writing.question import ConfirmScreen
from flagtui.config.guard_rules import GuardRules, Level


async def packet(program: Program, *keys: str) -> Any:
    """Send keys all at once, as one read from the terminal does, and return the screen that they lead to."""
    for key in keys:
        await quiet.press(program.app, key)
    await program.settle()
    return program.app.screen


@pytest.mark.asyncio(loop_scope="module")
async def test_keys_after_the_line_go_to_the_list(program: Program) -> None:
    word = "new"
    await program.press("4")
    screen = await packet(program, "slash", *word, "x", "backspace", "enter", "j")
    assert (screen.search.value, screen.rows.place, screen.focused) == (word, 1, screen.rows)
    screen = await packet(program, "slash", "down", "k")
    assert (screen.search.value, screen.rows.place) == (word, 0)
    screen = await packet(program, "slash", "escape", "x", "slash", "escape", "x")
    assert (screen.search.value, len(screen.rows.marks)) == (word, 2)
    screen = await packet(program, "x", "slash", "home", "q", "delete")
    assert (screen.search.value, len(screen.rows.marks)) == (f"q{word[1:]}", 3)
    assert program.last_line.endswith("esc out of the line  F1 help")
    await program.press("f1", "slash", *"tick")
    assert "Mark or unmark what is under…  x: no changes are shown" in program.screen
    await program.press("escape", "backspace")
    screen = await packet(program, "end", "q", "space", "left", "q", "escape", "escape", "escape")
    assert (screen.search.value, len(screen.rows.marks)) == ("", 0)


async def test_alt_is_two_keys_unless_it_is_bound(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("slash", *"new")
        program.app.post_message(events.Key("alt+j", "j"))
        screen = await packet(program, "x")
        assert (screen.search.value, len(screen.rows.marks), screen.focused) == ("new", 1, screen.rows)
        program.app.post_message(events.Key("alt+shift+g", "G"))
        screen = await packet(program)
        assert screen.search.value == ""
        program.app.set_keymap({"lists.first": "alt+g"})
        await program.press("slash", *"new", "enter", "j")
        program.app.post_message(events.Key("alt+g", "g"))
        screen = await packet(program)
        assert (screen.search.value, screen.rows.place) == ("new", 0)
        await program.press("escape", "down", "space", "y", "u", "y", "J")
        screen = await packet(program, "slash", *"turn", "enter", "j")
        assert isinstance(screen, JournalScreen)
        assert (screen.search.value, screen.rows.place) == ("turn", 1)
        screen = await packet(program, "slash", "escape", "k", "slash", "down", "j")
        assert (screen.search.value, screen.rows.place) == ("turn", 1)
        assert isinstance(await packet(program, "slash", "q", *["escape"] * 3), FlagsScreen)


@pytest.mark.asyncio(loop_scope="module")
async def test_dialog_cursor_moves_before_enter_chooses(program: Program) -> None:
    await program.press("p")
    await packet(program, "down", "enter")
    assert "Mobile #2" in program.screen
    await program.press("p")
    await packet(program, *"we", "enter")
    assert "Web app #1" in program.screen
    await program.press("colon")
    await packet(program, *"sort", "down", "up", "down", "enter")
    assert "Reverse the order" not in program.screen


@pytest.mark.asyncio(loop_scope="module")
async def test_share_typed_behind_an_arrow_stays(program: Program) -> None:
    await program.go_to("dashboards-grid-layout-next", "percent_sign")
    await packet(program, "down", *"42")
    assert program.app.screen.query_one(Input).value == "42"


async def test_escape_leaves_a_question_before_enter_answers_it(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT)
    async with running(replace(setting, rules=rules)) as program:
        await program.go_to("new-nav", "space", *"new-nav")
        assert isinstance(program.app.screen, ConfirmScreen)
        # Enter is the list's by then, and opens the flag.
        assert isinstance(await packet(program, "escape", "enter"), FlagScreen)
        assert program.wire.writes() == []
        assert (await program.stored("new-nav")).active


@pytest.mark.asyncio(loop_scope="module")
async def test_letters_and_enter_do_not_overtake_a_paste(program: Program) -> None:
    await program.press("T")
    program.app.post_message(events.Paste("first \t\x1b[31mred\n second\r\n"))
    assert (await packet(program, "x", "y")).query_one(Input).value == "first [31mred secondxy"


@pytest.mark.asyncio(loop_scope="module")
async def test_slash_in_a_record_searches_its_list_or_its_json(program: Program) -> None:
    await program.press("3", "enter")
    screen = await packet(program, "slash", *"nav")
    assert (screen.current_tab(), screen.search.value, screen.focused) == ("3", "nav", screen.search)
    await program.press("escape", "escape", "1", "enter", "shift+tab")
    assert "JSON" in program.screen
    assert isinstance(await packet(program, "slash", *"filters"), RecordScreen)


@pytest.mark.asyncio(loop_scope="module")
async def test_letters_after_a_key_without_meaning_are_not_commands(program: Program) -> None:
    await program.press("enter")
    assert isinstance(await packet(program, "semicolon", *"eau"), RecordScreen)
    assert "; does nothing here; letters within a second of it are not commands" in words(program.screen)
    await program.press("escape")
    await packet(program, "semicolon")
    program.timing.now += 1.0
    assert (await packet(program, "x")).marked == 1
