"""Keys that do nothing here: which list they are for; the same toast is shown once."""

import pytest
from tests.doubles.whole_program import Program


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("tab", ["2", "4", "J"])
async def test_schedules_key_names_its_list_from_other_lists(program: Program, tab: str) -> None:
    await program.press(tab, "f7")
    assert program.notices[-1] == "F7: scheduled is for flags; 1 goes there"


@pytest.mark.asyncio(loop_scope="module")
async def test_repeated_toast_is_shown_once(program: Program) -> None:
    await program.press("2", "f7", "f7", "f7")
    assert program.notices == ["F7: scheduled is for flags; 1 goes there"]


@pytest.mark.asyncio(loop_scope="module")
async def test_activity_shows_the_position_of_the_cursor(program: Program) -> None:
    await program.press("4", "home")
    assert " 1/100 of " in program.screen
    await program.press("down", "down")
    assert " 3/100 of " in program.screen


@pytest.mark.asyncio(loop_scope="module")
async def test_function_keys_are_written_with_a_capital_letter(program: Program) -> None:
    await program.press("f7")
    assert "F7 Scheduled changes" in program.screen
    await program.press("slash")
    assert program.screen.splitlines()[-1].endswith("F1 help")
    await program.press("escape", "escape", "f6")
    assert "F6 Keys without a record" in program.screen


@pytest.mark.asyncio(loop_scope="module")
async def test_key_that_is_obeyed_has_no_toast(program: Program) -> None:
    await program.press("1", "enter", "f8")
    assert "R scan" in program.screen
    assert program.notices == []


@pytest.mark.asyncio(loop_scope="module")
async def test_digit_without_a_saved_search_explains_itself(program: Program) -> None:
    await program.press("7")
    assert program.notices == ["7: no saved search; Q saves the present one"]


@pytest.mark.asyncio(loop_scope="module")
async def test_results_key_without_live_experiments_explains_itself(program: Program) -> None:
    await program.press("2", "slash", *"is:draft", "enter", "R")
    assert program.notices == ["no experiment in view is running or paused"]


@pytest.mark.asyncio(loop_scope="module")
async def test_enter_opens_a_deleted_flag_and_refuses_its_changes(program: Program) -> None:
    await program.press("ctrl+r", "enter")
    assert " DELETED " in program.screen
    await program.press("space")
    assert program.notices[-1].endswith("the flag has been deleted; restore it first")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("key", ["space", "enter", "y", "x"])
async def test_key_for_a_record_explains_an_empty_list(program: Program, key: str) -> None:
    await program.press("1", "slash", *"zzzz", "enter", key)
    assert program.notices[-1].endswith(": no flags are shown; esc clears the search")


@pytest.mark.asyncio(loop_scope="module")
async def test_ctrl_c_closes_a_dialog_or_names_the_key(program: Program) -> None:
    await program.press("ctrl+c")
    assert program.notices == ["ctrl+c does not quit; q does"]
    for key in ("space", "colon", "question_mark"):
        await program.press(key)
        assert program.app.screen.is_modal
        await program.press("ctrl+c")
        assert not program.app.screen.is_modal
    assert program.notices == []
