"""Every list alike: rows are copied and filtered; the palette reaches commands, records and projects."""

import asyncio

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from textual.widgets import OptionList

from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.dialogs.palette import PaletteScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.record_search import RecordSearch
from flagtui.changes.journal_entries import Entry

pytestmark = pytest.mark.asyncio(loop_scope="module")


SIZE = WIDE
LISTS = {
    "flags": ("1",),
    "experiments": ("2",),
    "events": ("3",),
    "activity": ("4",),
    "journal": ("J",),
    "deleted": ("1", "ctrl+r"),
}
"""By list: the keys that show it."""


def list_screen(program: Program) -> ListScreen[Entry]:
    return program.front(ListScreen)


async def open_list(program: Program, name: str) -> ListScreen[Entry]:
    """The list, with something in it."""
    if name == "journal":
        here = program.signature
        for place in range(4):
            program.journal.begin(Entry(str(place), 9.0 - place, 1, f"k{place}", "edit", here, "flag"))
            program.journal.finish(str(place), "saved")
    program.app.uncover_list()
    await program.settle()
    await program.press(*LISTS[name])
    assert list_screen(program).rows.shown > 1
    return list_screen(program)


async def test_every_list_copies_the_current_row_and_filters_by_state(program: Program) -> None:
    for name in LISTS:
        screen = await open_list(program, name)
        if name != "deleted":
            await program.press("f")
            assert screen.search.value.startswith("is:"), name
            screen.search.set_line("")
        await program.press("Y", *"link", "enter")
        assert "http://127.0.0.1:1/project/1/" in program.notices[-1], name
    await program.press("Y", *"curl", "enter")
    assert "$FLAGTUI_API_KEY" in program.notices[-1]


def pane_text(program: Program) -> str:
    """The text of the preview, without line breaks."""
    region = list_screen(program).query_one(".-beside").region
    lines = program.screen.split("\n")[region.y : region.bottom]
    return words(" ".join(line[region.x : region.right] for line in lines))


async def check_pane(program: Program, name: str) -> bool:
    """Open the pane of a list after the cursor has moved; return whether it was open before."""
    screen = await open_list(program, name)
    pane = screen.query_one(".-beside")
    was_open = pane.display
    if was_open:
        await program.press("v")
    await program.press("g", "down", "v")
    assert pane.display, name
    assert screen.record is not None
    assert screen.description.key(screen.record)[:20] in pane_text(program), name
    return was_open


async def test_preview_shows_the_row_under_the_cursor(program: Program) -> None:
    for name in LISTS:
        if not await check_pane(program, name):
            await program.press("v")


async def test_preview_has_room_below_a_narrow_list(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        for name in LISTS:
            await check_pane(program, name)
            pane, rows = list_screen(program).query_one(".-beside"), list_screen(program).rows
            assert pane.region.y == rows.region.bottom, name
            assert rows.size.height > 2, name


async def test_palette_reaches_commands_records_and_projects(program: Program) -> None:
    await program.press("colon", *"inbox")
    palette = program.front(PaletteScreen)
    first = str(palette.query_one(OptionList).get_option_at_index(0).prompt)
    assert first.startswith(next(each.help for each in COMMANDS if each.id == "events.inbox")[:30])
    await program.press("escape", "colon", *"Checkout red", "enter")
    assert list_screen(program).description.name == "experiments"
    assert "Checkout redesign" in str(list_screen(program).record)
    await program.press("colon", *"verify", "enter")
    assert list_screen(program).description.name == "events"
    assert "choose a row, then V" in program.notices[-1]
    assert program.wire.writes() == []
    for project in ("Mobile", "Web app"):
        await program.press("colon", *project, "enter")
        assert project in program.header


async def test_keys_about_rows_are_refused_in_an_empty_project(setting: Setting) -> None:
    async with running(setting) as program:
        await program.press("p", *"mobile", "enter", "2", "L")
        assert "This project has no experiments." in program.screen
        assert program.last_line.startswith("n new  R results  / search")
        assert program.notices[-1] == "L: no experiments are shown"


async def test_palette_waits_for_records_and_admits_an_incomplete_search(setting: Setting) -> None:
    async with running(setting) as program:
        app_state = program.app.app_state
        search = RecordSearch(app_state, lambda link: None, lambda project: None)
        workspace, app_state.workspace = app_state.workspace, None
        task = asyncio.create_task(search.ask("team-invites"))
        await program.settle()
        assert not task.done()
        app_state.workspace = workspace
        app_state.notify_watchers()
        assert await task == "more"
        assert "team-invites-v3" in [place.name for place in search.places("team-invites")]
        await program.press("colon", *"zzzz")
        assert "no match for zzzz" in program.screen
        assert "could not be searched" not in program.screen
        program.wire.before = lambda request: httpx.ConnectError("down")
        await program.press("y")
        assert "no match for zzzzy here; the server could not be searched" in program.screen
        program.wire.before = lambda request: None
        await program.press("backspace")
        assert "no match for zzzz" in program.screen
        assert "could not be searched" not in program.screen
