"""A minute's tour in the demo: find, switch, prove, take back. A person who skips it is not asked again."""

from dataclasses import replace
from pathlib import Path

from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.lists.tour import Tour
from flagtui.config.preferences import Preferences


def tour(program: Program) -> Tour:
    found = program.app.screen_stack[1].query_one(Tour)
    found.look()
    return found


async def test_each_step_is_done_once_by_doing_it(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("f3")
        assert "1/4 find press / and type nav" in " ".join(program.screen.split())
        assert tour(program).step == "find"
        await program.press("space", "escape")
        assert tour(program).step == "find"
        await program.press("slash", *"nav")
        assert tour(program).step == "find"
        await program.press("enter")
        assert tour(program).step == "switch"
        await program.press("space", "escape")
        assert tour(program).step == "switch"
        await program.press("space", "y")
        assert tour(program).step == "prove"
        await program.press("J")
        assert tour(program).step == "undo"
        await program.press("escape", "u", "y")
        assert tour(program).step == ""
        assert "that was all" in program.screen
        assert program.row("new-nav").active


async def test_taking_back_at_once_counts_as_proof(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("f3", "slash", *"nav", "enter")
        assert tour(program).step == "switch"
        await program.press("space", "y")
        assert tour(program).step == "prove"
        await program.press("u", "y")
        tour(program)
        assert tour(program).step == ""


async def test_it_is_about_flags_whatever_list_was_left_in_front(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        await program.press("2", "f3")
        assert not program.app.screen.query(Tour)
        assert "1 goes there, then F3 begins it" in program.notices[-1]
        await program.press("1", "f3")
        assert program.app.screen.query(Tour)


async def test_it_can_be_skipped_at_any_time_and_is_not_offered_again(setting: Setting) -> None:
    preferences = Preferences(memory=Path(setting.folder) / "memory")
    async with running(replace(setting, preferences=preferences)) as program:
        await program.press("f3")
        assert "F3 ends it" in program.screen
        before = program.screen.splitlines()
        await program.press("f3")
        assert "F3 skips" not in program.screen
        assert len(program.screen.splitlines()) == len(before)
    assert Preferences(memory=Path(setting.folder) / "memory").remembered.toured
