"""Over a slow link keys arrive together: each is obeyed before the next one is looked at, on every screen."""

from typing import Any

from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import Program, Setting, running
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


async def test_keys_after_the_line_go_to_the_list(shared: Program) -> None:
    word = "new"
    await shared.press("4")
    screen = await packet(shared, "slash", *word, "x", "backspace", "enter", "j")
    assert (screen.search.value, screen.rows.place, screen.focused) == (word, 1, screen.rows)
    screen = await packet(shared, "slash", "down", "k")
    assert (screen.search.value, screen.rows.place) == (word, 0)
    screen = await packet(shared, "slash", "escape", "x", "slash", "escape", "x")
    assert (screen.search.value, len(screen.rows.marks)) == (word, 2)
    screen = await packet(shared, "x", "slash", "home", "q", "delete")
    assert (screen.search.value, len(screen.rows.marks)) == (f"q{word[1:]}", 3)
    assert shared.last_line.endswith("esc out of the line  F1 help")
    await shared.press("f1", "slash", *"tick", shows="what is under the cursor  x: no changes are shown")
    await shared.press("escape", "backspace")
    screen = await packet(shared, "end", "q", "space", "left", "q", "escape", "escape", "escape")
    assert (screen.search.value, len(screen.rows.marks)) == ("", 0)


async def test_alt_is_two_keys_unless_it_is_bound(program: Program) -> None:
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


async def test_dialog_cursor_moves_before_enter_chooses(shared: Program) -> None:
    await shared.press("p")
    await packet(shared, "down", "enter")
    shared.see("Mobile #2")
    await shared.press("p")
    await packet(shared, *"we", "enter")
    shared.see("Web app #1")
    await shared.press("colon")
    await packet(shared, *"sort", "down", "up", "down", "enter")
    shared.see(lacks="Reverse the order")


async def test_share_typed_behind_an_arrow_stays(shared: Program) -> None:
    await shared.go_to("dashboards-grid-layout-next", "percent_sign")
    await packet(shared, "down", *"42")
    assert shared.app.screen.query_one(Input).value == "42"


async def test_escape_leaves_a_question_before_enter_answers_it(setting: Setting) -> None:
    rules = GuardRules(Level.STRICT)
    async with running(replace(setting, rules=rules)) as program:
        await program.go_to("new-nav", "space", *"new-nav", front=ConfirmScreen)
        # Enter is the list's by then, and opens the flag.
        assert isinstance(await packet(program, "escape", "enter"), FlagScreen)
        program.see(sent=0)
        assert (await program.stored("new-nav")).active


async def test_letters_and_enter_do_not_overtake_a_paste(shared: Program) -> None:
    await shared.press("T")
    shared.app.post_message(events.Paste("first \t\x1b[31mred\n second\r\n"))
    assert (await packet(shared, "x", "y")).query_one(Input).value == "first [31mred secondxy"


async def test_slash_in_a_record_searches_its_list_or_its_json(shared: Program) -> None:
    await shared.press("3", "enter")
    screen = await packet(shared, "slash", *"nav")
    assert (screen.current_tab(), screen.search.value, screen.focused) == ("3", "nav", screen.search)
    await shared.press("escape", "escape", "1", "enter", "shift+tab", shows="JSON")
    assert isinstance(await packet(shared, "slash", *"filters"), RecordScreen)


async def test_letters_after_a_key_without_meaning_are_not_commands(shared: Program) -> None:
    await shared.press("enter")
    assert isinstance(await packet(shared, "semicolon", *"eau"), RecordScreen)
    shared.see("; does nothing here; letters within a second of it are not commands")
    await shared.press("escape")
    await packet(shared, "semicolon")
    shared.timing.now += 1.0
    assert (await packet(shared, "x")).marked == 1
