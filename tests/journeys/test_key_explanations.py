"""Keys: what the last line offers, which records they are for, and how those without an effect explain it."""

import re
from operator import attrgetter

import pytest
from tests.doubles.whole_program import Program, words

from flagtui.app.lists.list_screen import ListScreen

pytestmark = pytest.mark.asyncio(loop_scope="module")


DIALOGS = {
    "space": "y Turn OFF  esc cancel",
    "colon": "⏎ do it or go there  esc leave",
    "question_mark": "⏎ do it  / search  esc close",
    "c": "space check  < > move  ⏎ apply  esc leave",
}
"""By key that opens a dialog: its keys, on the last line."""


async def test_last_line_shows_the_keys_of_dialog_and_cursor(program: Program) -> None:
    await program.go_to("new-nav")
    before = program.last_line
    for opening, keys in DIALOGS.items():
        await program.press(opening)
        assert program.last_line == keys
        await program.press("ctrl+z", "ctrl+c")
        assert program.last_line == before
        assert program.notices == ["no shell could resume flagtui; it continues"]
    assert "⏎ open  " in before
    await program.press("x")
    assert "⏎ open at cursor  " in program.last_line
    await program.press("escape", "escape", "ctrl+c")
    assert "⏎ open  " in program.last_line
    assert program.notices[1:] == ["ctrl+c does not quit; q does"]


async def test_last_line_offers_escape_only_with_an_effect(program: Program) -> None:
    for tab, opening in (("1", "x"), ("4", "t"), ("1", "enter"), ("1", "J")):
        await program.press(tab)
        assert "esc back" not in program.last_line
        await program.press(opening)
        assert "esc back" in program.last_line
        await program.press("escape")
        assert "esc back" not in program.last_line


PURPOSES = (
    ("J", "f7", "F7: scheduled is for flags; 1 goes there"),
    ("2", "f7", "F7: scheduled is for flags; 1 goes there"),
    ("3", "a", "a: archive is for flags and experiments; letters within a second of it are not commands"),
    ("3", "%", "%: rollout is for flags; letters within a second of it are not commands"),
    ("1", "V", "V: verify is for event definitions; letters within a second of it are not commands"),
    ("2", "h", "h: history is for flags; letters within a second of it are not commands"),
    ("4", "space", "space: on/off is for flags; letters within a second of it are not commands"),
    ("4", "d", "d: delete is for records; letters within a second of it are not commands"),
)
"""A list, a key of another one, and what is said of it."""


async def test_key_of_another_list_names_it_once(program: Program) -> None:
    for tab, key, purpose in PURPOSES:
        program.app.clear_notifications()
        program.timing.now += 2
        await program.press(tab, key, key)
        assert program.notices == [purpose]
        await program.press(*["escape"] * (tab == "J"))


async def test_key_without_an_effect_explains_itself(program: Program) -> None:
    await program.press("7")
    assert program.notices == ["7: no saved search; Q saves the present one"]
    await program.go_to("zzzz")
    for key in ("space", "enter", "y", "x"):
        program.app.clear_notifications()
        await program.press(key)
        assert program.notices[-1].endswith(": no flags are shown; esc clears the search"), key
    await program.press("escape", "ctrl+r", "enter")
    assert " DELETED " in program.screen
    await program.press("space")
    assert program.notices[-1].endswith("the flag has been deleted; restore it first")
    await program.press("escape", "escape", "2")
    await program.go_to("is:draft", "R")
    assert program.notices[-1] == "no experiment in view is running or paused"


async def test_empty_search_keeps_the_keys_of_hidden_marks(program: Program) -> None:
    await program.press("x", "slash", *"zzzz", "enter")
    assert "1 marked" in program.screen
    assert "space o" in program.last_line
    for key in ("enter", "ctrl+a", "x"):
        await program.press(key)
        assert program.notices[-1].endswith(": no flags are shown; esc clears the search"), key
    assert "1 marked" in program.screen
    await program.press("space")
    assert program.app.screen.is_modal
    await program.press("escape", "escape", "escape")
    assert "space" in program.last_line


async def test_titles_name_function_keys_and_the_position(program: Program) -> None:
    await program.press("f7")
    assert "F7 Scheduled changes" in program.screen
    await program.press("slash")
    assert program.last_line.endswith("F1 help")
    await program.press("escape", "escape", "f6")
    assert "F6 Keys without a record" in program.screen
    await program.press("escape", "4", "home")
    assert re.search(r" 1/\d+( of |$)", program.screen.splitlines()[3])
    await program.press("down", "down")
    assert re.search(r" 3/\d+( of |$)", program.screen.splitlines()[3])


STATES = {
    "draft": (["L launch", "e edit"], ["pause", "resume", "finish", "ship"]),
    "running": (["space pause", "F finish", "W ship"], ["launch", "resume"]),
    "paused": (["space resume", "F finish"], ["launch", "pause"]),
    "stopped": (["W ship", "a archive"], ["launch", "pause", "resume", "finish"]),
}
"""By state of an experiment: what the last line offers, and what it leaves out."""


async def put_cursor_on(program: Program, **values: object) -> None:
    """Put the cursor on the first record of the list in front with these values."""
    front = program.front(ListScreen)
    is_meant = attrgetter(*values, "id")
    front.rows.select(next(row.id for row in front.rows._rows if is_meant(row)[:-1] == (*values.values(),)))
    await program.settle()


async def test_keys_follow_the_record_and_refusals_explain_why(program: Program) -> None:
    for is_on in (True, False):
        await put_cursor_on(program, active=is_on)
        assert f"space {'off' if is_on else 'on'} " in program.last_line
    await program.press("2")
    for status, (offered, left_out) in STATES.items():
        await put_cursor_on(program, status=status, archived=False)
        line = program.last_line
        assert [word for word in offered if word not in line] == []
        assert [word for word in left_out if word in line.split()] == []
    await program.press("colon", *"finish")
    assert "it has already ended F" in words(program.screen)
    await program.press("escape")
    await put_cursor_on(program, status="running", archived=False)
    await program.press("L")
    assert program.notices[-1] == "launch: it has already been launched"
    await program.press("space", "y")
    assert "space resume" in program.last_line
    await program.press("u", "y")
    assert "space pause" in program.last_line
