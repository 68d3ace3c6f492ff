"""`/` in a list that is searched already begins anew, and an arrow goes on with what was searched."""

from tests.doubles.whole_program import Setting, running

from flagtui.app.widgets.search_line import SearchLine


async def test_what_is_typed_takes_the_place_of_the_search_before(setting: Setting) -> None:
    async with running(setting) as program:
        line = program.app.screen.query_one(SearchLine)
        await program.press("slash", *"new-nav", "enter", "slash", *"kill")
        assert line.value == "kill"
        assert "kill-search-v2" in program.screen
        await program.press("enter", "slash", "enter")
        assert line.value == "kill"
        await program.press("slash", "right", *"-s")
        assert line.value == "kill-s"
        await program.press("enter", "slash", "end", "backspace")
        assert line.value == "kill-"
