"""Created, copied and restored records are under the cursor, whatever the search hides."""

from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.flag_form import fill
from tests.journeys.standing import stand_on_event

from flagtui.app.lists.list_screen import ListScreen


def was_told(program: Program, words: str) -> bool:
    return any(words in notice for notice in program.notices)


def stands_on(program: Program) -> str:
    """The name under the cursor of the list that is open."""
    screen = program.app.screen
    assert isinstance(screen, ListScreen)
    return "" if screen.record is None else str(screen.description.key(screen.record))


def line_of(program: Program) -> str:
    screen = program.app.screen
    assert isinstance(screen, ListScreen)
    return screen.search.value


async def test_new_copied_and_restored_flags_are_under_the_cursor(setting: Setting) -> None:
    async with running(setting) as program:
        await program.search("is:stale")
        await program.press("down", "down", "n", "enter")
        await fill(program, "brand-new")
        await program.press("ctrl+s", "y")
        assert (stands_on(program), line_of(program)) == ("brand-new", "")
        assert was_told(program, "the search is:stale was cleared: it hid brand-new")
        program.app.clear_notifications()
        await program.search("new-nav")
        await program.press("D", "enter", "enter", "ctrl+s")
        assert "Stays behind" in program.screen
        await program.press("y")
        assert (stands_on(program), line_of(program)) == ("new-nav-copy", "new-nav")
        assert not was_told(program, "the search")
        await program.search("")
        await program.go_to("export-parquet")
        await program.press("d", "y")
        await program.search("is:off")
        await program.press("ctrl+r", "z", "y", "escape")
        assert stands_on(program) == "export-parquet"
        assert was_told(program, "the search is:off was cleared: it hid export-parquet")
        await program.go_to("team-invites-v3")
        await program.press("a", "y")
        await program.search("is:archived team-invites-v3")
        await program.press("d", "y")
        await program.search("")
        await program.press("ctrl+r", "z", "y", "escape")
        assert stands_on(program) == "team-invites-v3"
        assert line_of(program) == "is:archived"
        assert was_told(program, "the search is is:archived now, to show team-invites-v3")


async def test_copied_and_restored_experiments_and_events_are_under_the_cursor(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("2")
        await program.search("is:stopped Logos")
        await program.press("enter", "D", "enter")
        await fill(program, "logos-three")
        await fill(program, "Third")
        await program.press("y", "escape")
        assert stands_on(program) == "Third"
        assert was_told(program, "the search is:stopped Logos was cleared: it hid Third")
        await program.press("d", "y")
        await program.search("is:running")
        await program.press("u", "y")
        assert stands_on(program) == "Third"
        await stand_on_event(program, "checkout completed")
        await program.press("d")
        await fill(program, "checkout completed")
        await program.search("is:hidden")
        await program.press("u", "y")
        assert stands_on(program) == "checkout completed"
        assert was_told(program, "the search is:hidden was cleared: it hid checkout completed")
