"""A minute's tour in the demo: filter, switch, prove, undo. A user who skips it is not asked again."""

from pathlib import Path

from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.lists.tour import STEPS, Tour
from flagtui.config.preferences import Preferences


def tour(program: Program) -> Tour:
    widget = program.app.screen_stack[1].query_one(Tour)
    widget.look()
    return widget


def words_of(program: Program) -> str:
    """What the tour says of this step, whole at the smallest size."""
    text = str(tour(program).render()).rstrip()
    assert text.endswith("F3 ends it")
    return text


async def test_each_tour_step_is_shown_whole_and_done_once(setting: Setting) -> None:
    find, switch, prove, undo = (step.line for step in STEPS)
    async with running(replace(setting, size=(60, 15))) as program:
        await program.press("f3")
        assert "1/4 find press / and type nav" in " ".join(program.screen.split())
        for keys in (("space", "escape"), ("slash", *"nav")):
            assert find in words_of(program)
            await program.press(*keys)
            assert tour(program).step == "find"
        await program.press("enter")
        for keys in (("space", "escape"), ("space", "y")):
            assert tour(program).step == "switch"
            assert switch in words_of(program)
            await program.press(*keys)
        assert tour(program).step == "prove"
        assert prove in words_of(program)
        await program.press("J")
        assert tour(program).step == "undo"
        assert undo in words_of(program)
        await program.press("escape", "u", "y")
        assert tour(program).step == ""
        assert "every command" in words_of(program)
        assert "that was all" in program.screen
        assert program.row("new-nav").active
        await program.press("f3", "f3", "slash", "enter")
        assert tour(program).step == "switch"
        await program.press("space", "y")
        assert tour(program).step == "prove"
        await program.press("u", "y")
        tour(program)
        assert tour(program).step == "", "what is taken back at once is proof, too"


async def test_tour_ends_at_any_time_and_is_not_offered_again(setting: Setting) -> None:
    memory = Path(setting.folder) / "memory"
    async with running(replace(setting, preferences=Preferences(memory=memory))) as program:
        await program.press("2", "f3")
        assert not program.app.screen.query(Tour)
        assert "1 goes there, then F3 begins it" in program.notices[-1]
        await program.press("1", "f3")
        assert "F3 ends it" in program.screen
        before = program.screen.splitlines()
        await program.press("f3")
        assert not program.app.screen.query(Tour)
        assert "F3 skips" not in program.screen
        assert len(program.screen.splitlines()) == len(before)
    assert Preferences(memory=memory).remembered.toured
