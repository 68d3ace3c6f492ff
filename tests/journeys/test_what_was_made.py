"""What was made, copied or restored is under the cursor, whatever the search would hide."""

import pytest
from tests.doubles.whole_program import Program, Setting, running
from tests.journeys.standing import stand_on_event, stand_on_experiment
from textual.widgets import Input

from flagtui.app.lists.list_screen import ListScreen


async def search(program: Program, line: str) -> None:
    program.app.screen.query_one("SearchLine").set_line(line)  # type: ignore[attr-defined]  # found by name
    await program.settle()


async def fill(program: Program, text: str) -> None:
    program.app.screen.query_one(Input).value = text
    await program.press("enter")


def stands_on(program: Program) -> str:
    """The name under the cursor of the list that is open."""
    screen = program.app.screen
    assert isinstance(screen, ListScreen)
    return "" if screen.record is None else str(screen.description.key(screen.record))


def line_of(program: Program) -> str:
    screen = program.app.screen
    assert isinstance(screen, ListScreen)
    return screen.search.value


def was_told(program: Program, words: str) -> bool:
    return any(words in notice for notice in program.notices)


@pytest.mark.parametrize(
    ("line", "told"), [("is:stale", "the search is:stale was cleared: it hid brand-new"), ("", "")]
)
async def test_a_new_flag_is_under_the_cursor(setting: Setting, line: str, told: str) -> None:
    async with running(setting) as program:
        await search(program, line)
        await program.press("down", "down", "n", "enter")
        await fill(program, "brand-new")
        await program.press("ctrl+s", "y")
        assert stands_on(program) == "brand-new"
        assert line_of(program) == ""
        assert was_told(program, told) if told else not was_told(program, "the search")


async def test_a_search_that_finds_it_stays(setting: Setting) -> None:
    async with running(setting) as program:
        await search(program, "new-nav")
        await program.press("D", "enter", "enter", "ctrl+s", "y")
        assert stands_on(program) == "new-nav-copy"
        assert line_of(program) == "new-nav"
        assert not was_told(program, "the search")


async def test_a_deleted_flag_that_comes_back_is_under_the_cursor(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("export-parquet")
        await program.press("d", "y")
        await search(program, "is:off")
        await program.press("ctrl+r", "z", "y", "escape")
        assert stands_on(program) == "export-parquet"
        assert was_told(program, "the search is:off was cleared: it hid export-parquet")
        await program.press("d", "y", "home", "u", "y")
        assert stands_on(program) == "export-parquet"


async def test_an_archived_flag_that_comes_back_is_asked_for(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("new-nav")
        await program.press("a", "y")
        await search(program, "is:archived new-nav")
        await program.press("d", "y")
        await search(program, "")
        await program.press("ctrl+r", "z", "y", "escape")
        assert stands_on(program) == "new-nav"
        assert line_of(program) == "is:archived"
        assert was_told(program, "the search is is:archived now, to show new-nav")


async def test_a_copy_of_an_experiment_is_under_the_cursor_also_behind_its_original(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_experiment(program, "Logos on pricing")
        await program.press("D", "enter", "enter", "enter", "y")
        assert stands_on(program) == "Logos on pricing (Copy)"
        await stand_on_experiment(program, "Logos on pricing")
        await search(program, "is:stopped Logos")
        await program.press("enter", "D", "enter")
        await fill(program, "logos-three")
        await fill(program, "Third")
        await program.press("y", "escape")
        assert stands_on(program) == "Third"
        assert was_told(program, "the search is:stopped Logos was cleared: it hid Third")


async def test_a_deleted_experiment_that_comes_back_is_under_the_cursor(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_experiment(program, "Logos on pricing")
        await program.press("d", "y")
        await search(program, "is:running")
        await program.press("u", "y")
        assert stands_on(program) == "Logos on pricing"


async def test_an_event_made_again_is_under_the_cursor(setting: Setting) -> None:
    async with running(setting) as program:
        await stand_on_event(program, "checkout completed")
        await program.press("d", *"checkout completed", "enter")
        await search(program, "is:hidden")
        await program.press("u", "y")
        assert stands_on(program) == "checkout completed"
        assert was_told(program, "the search is:hidden was cleared: it hid checkout completed")
