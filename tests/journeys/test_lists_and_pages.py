"""Every list and page alike: rows are copied and filtered, the palette leads anywhere, pages come back."""

import asyncio

import httpx
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import stand_on
from tests.journeys.steps import click
from textual.widgets import OptionList

from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.dialogs.palette import PaletteScreen
from flagtui.app.experiments.experiment_screen import ExperimentScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.record_search import RecordSearch
from flagtui.app.records.json_pane import JsonPane
from flagtui.app.records.record_screen import RecordScreen
from flagtui.changes.journal_entries import Entry
from flagtui.models.rows import FlagRow
from flagtui.store.kinds import Kind

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
    assert program.front(ListScreen).rows.shown > 1
    return program.front(ListScreen)


async def test_every_list_copies_the_current_row_and_filters_by_state(shared: Program) -> None:
    for name in LISTS:
        screen = await open_list(shared, name)
        if name != "deleted":
            await shared.press("f")
            assert screen.search.value.startswith("is:"), name
            screen.search.set_line("")
        await shared.press("Y", *"link", "enter", toast="http://127.0.0.1:1/project/1/")
    await shared.press("Y", *"curl", "enter", toast="$FLAGTUI_API_KEY")


def pane_text(program: Program) -> str:
    """The text of the preview, without line breaks."""
    region = program.front(ListScreen).query_one(".-beside").region
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


async def test_preview_shows_the_row_under_the_cursor(shared: Program) -> None:
    for name in LISTS:
        if not await check_pane(shared, name):
            await shared.press("v")


async def test_preview_has_room_below_a_narrow_list(setting: Setting) -> None:
    async with running(replace(setting, size=(60, 15))) as program:
        for name in LISTS:
            await check_pane(program, name)
            pane, rows = program.front(ListScreen).query_one(".-beside"), program.front(ListScreen).rows
            assert pane.region.y == rows.region.bottom, name
            assert rows.size.height > 2, name


async def test_palette_reaches_commands_records_and_projects(shared: Program) -> None:
    await shared.press("colon", *"inbox")
    palette = shared.front(PaletteScreen)
    first = str(palette.query_one(OptionList).get_option_at_index(0).prompt)
    assert first.startswith(next(each.help for each in COMMANDS if each.id == "events.inbox")[:30])
    await shared.press("escape", "colon", *"Checkout red", "enter")
    assert shared.front(ListScreen).description.name == "experiments"
    assert "Checkout redesign" in str(shared.front(ListScreen).record)
    await shared.press("colon", *"verify", "enter")
    assert shared.front(ListScreen).description.name == "events"
    shared.see(toast="choose a row, then V", sent=0)
    for project in ("Mobile", "Web app"):
        await shared.press("colon", *project, "enter")
        assert project in shared.header


async def test_keys_about_rows_are_refused_in_an_empty_project(program: Program) -> None:
    await program.press(
        "p",
        *"mobile",
        "enter",
        "2",
        "L",
        shows=("This project has no experiments.", "n creates the first one"),
    )
    assert program.last_line.startswith("n new  R results  / search")
    program.see(toast="L: no experiments are shown")


async def test_palette_waits_for_records_and_admits_an_incomplete_search(program: Program) -> None:
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
    await program.press("colon", *"zzzz", shows="no match for zzzz", lacks="could not be searched")
    program.wire.cut()
    await program.press("y", shows="no match for zzzzy here; the server could not be searched")
    program.wire.heal()
    await program.press("backspace", shows="no match for zzzz", lacks="could not be searched")


PAGES = {"1": "pricing-page-test", "2": "Pricing page test"}
"""By the key of a list: a record of it."""


async def open_page(program: Program, key: str) -> RecordScreen[FlagRow]:
    await program.press(key)
    program.front(ListScreen).search.set_line(PAGES[key])
    await program.press("enter")
    return program.front(RecordScreen)


async def test_page_returns_from_screens_above_it_and_its_link(shared: Program) -> None:
    screen = await open_page(shared, "2")
    await shared.press("end")
    before = shared.screen
    await shared.press("J", "escape")
    assert shared.app.screen is screen
    assert shared.screen == before
    await shared.press("question_mark", "escape", "colon", "escape")
    assert shared.app.screen is screen
    await shared.press("l")
    flag = shared.front(FlagScreen)
    await shared.press("l", front=ExperimentScreen)
    await shared.press("escape")
    assert shared.app.screen is flag
    await shared.press("escape")
    assert shared.app.screen is screen
    await shared.press("Y", *"id", "enter")
    assert str(screen.chosen()[0].id) in shared.notices[-1]
    await shared.press("escape", front=ListScreen)
    assert PAGES["2"] in shared.screen


async def test_page_brings_its_row_up_to_date_with_one_read(setting: Setting) -> None:
    async with running(replace(setting, size=(80, 24))) as program:
        names: dict[Kind, str] = {
            "flags": "new-nav",
            "experiments": "Chart colours",
            "events": "checkout_completed",
        }
        for kind, name in names.items():
            await program.press(LISTS[kind][0])
            rows = program.workspace.collection(kind)
            id = next(row.id for row in rows.rows if name in (getattr(row, "key", ""), row.name))
            changed = {"name" if kind == "flags" else "description": "Newer words"}
            newer = await program.workspace.operations(kind).update(id, changed)
            program.wire.passed.clear()
            await program.go_to(name, "enter", shows="Newer words")
            assert sum(line.endswith(f"s/{id}/") for line in program.wire.passed) == 1
            assert rows.get(id) == newer.row()
            await program.press("escape")


async def test_half_removed_page_ignores_a_size(setting: Setting) -> None:
    async with running(setting) as program:
        page = await open_page(program, "1")
        await page.pane.remove()
        page.on_resize()
        await quiet.settle(program.app)
        assert program.app.screen is page


async def test_page_is_copied_and_its_json_folds_and_searches(shared: Program) -> None:
    screen = await open_page(shared, "1")
    id = screen.chosen()[0].id
    await click(shared, "JSON")
    assert isinstance(screen.pane, JsonPane)
    await click(shared, "Overview")
    assert not isinstance(screen.pane, JsonPane)
    await shared.press("shift+tab")
    assert isinstance(screen.pane, JsonPane)
    shared.see(f'"id": {id}')
    await shared.press("enter", shows=" 1 line ")
    await shared.press("enter", "slash", *"created_at", "enter", shows="1 line has it")
    await shared.press("escape")
    assert shared.app.screen is screen
    await shared.press("escape", front=ListScreen)


async def test_refresh_reads_local_evaluation_data_again(shared: Program) -> None:
    failed = httpx.ConnectError("down")
    shared.wire.answer("/local_evaluation", failed)
    await shared.press("ctrl+g", shows="DATA not read")
    shared.wire.heal()
    await shared.press("f5", shows=" flags · ")
    assert "synced" in shared.header


async def test_what_was_removed_in_a_form_comes_back_with_undo(shared: Program) -> None:
    await shared.go_to("checkout-redesign", "e")
    before = words(shared.screen)
    await stand_on(shared, " 1 ", "d", shows="not saved yet")
    await shared.press("u", shows="no changes")
    assert words(shared.screen).split("no changes")[0][:400] == before[:400]
    await shared.press("u", toast="nothing was changed in this form", sent=0)


async def test_tabs_keys_and_filters_are_clicked(shared: Program) -> None:
    await click(shared, "3 Events")
    assert shared.front(ListScreen).description.name == "events"
    await click(shared, "1 Flags")
    assert shared.front(ListScreen).description.name == "flags"
    await click(shared, "? help")
    shared.see("Turn the flag on or off")
    await shared.press("escape")
    await click(shared, "⏎ open")
    shared.see(front=FlagScreen)
    await click(shared, "esc back")
    for key, chip, line in (("1", "type", "type:"), ("3", "state", "is:")):
        await shared.press(key)
        await click(shared, f"{chip} any")
        assert shared.front(ListScreen).search.value.startswith(line), key
