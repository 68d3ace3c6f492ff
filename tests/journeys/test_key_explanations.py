"""Keys that do nothing here: which list they are for; the same toast is shown once."""

import pytest
from tests.doubles.whole_program import Program

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_key_of_another_list_names_it_once(program: Program) -> None:
    for tab in ("J", "2"):
        await program.press(tab, "f7")
        assert program.notices[-1] == "F7: scheduled is for flags; 1 goes there", tab
    program.app.clear_notifications()
    await program.press("f7", "f7", "f7")
    assert program.notices == ["F7: scheduled is for flags; 1 goes there"]
    program.app.clear_notifications()
    await program.press("slash", *"is:draft", "enter", "R")
    assert program.notices == ["no experiment in view is running or paused"]
    program.app.clear_notifications()
    await program.press("1", "enter", "f8")
    assert "R scan" in program.screen
    assert program.notices == []


async def test_key_without_an_effect_explains_itself(program: Program) -> None:
    await program.press("7")
    assert program.notices == ["7: no saved search; Q saves the present one"]
    await program.press("slash", *"zzzz", "enter")
    for key in ("space", "enter", "y", "x"):
        program.app.clear_notifications()
        await program.press(key)
        assert program.notices[-1].endswith(": no flags are shown; esc clears the search"), key
    await program.press("escape", "ctrl+r", "enter")
    assert " DELETED " in program.screen
    await program.press("space")
    assert program.notices[-1].endswith("the flag has been deleted; restore it first")


async def test_ctrl_c_closes_a_dialog_or_names_the_key(program: Program) -> None:
    await program.press("ctrl+c")
    assert program.notices == ["ctrl+c does not quit; q does"]
    for key in ("space", "colon", "question_mark"):
        await program.press(key)
        assert program.app.screen.is_modal
        await program.press("ctrl+c")
        assert not program.app.screen.is_modal
    assert program.notices == []


async def test_titles_name_function_keys_and_the_position(program: Program) -> None:
    await program.press("f7")
    assert "F7 Scheduled changes" in program.screen
    await program.press("slash")
    assert program.screen.splitlines()[-1].endswith("F1 help")
    await program.press("escape", "escape", "f6")
    assert "F6 Keys without a record" in program.screen
    await program.press("escape", "4", "home")
    assert " 1/100 of " in program.screen
    await program.press("down", "down")
    assert " 3/100 of " in program.screen
