"""Every list alike: columns, order, query, cursor, saved search and marks are as they were left."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.slices import long
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from textual.widgets import OptionList

from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.dialogs.palette import PaletteScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.changes.journal_entries import Entry
from flagtui.config.preferences import Preferences
from flagtui.config.settings import read_settings
from flagtui.store.sort_orders import Sort

pytestmark = pytest.mark.asyncio(loop_scope="module")


SIZE = WIDE
LISTS = {
    "flags": ("1", "created", "is:on"),
    "experiments": ("2", "creator", "is:running"),
    "events": ("3", "property", "is:verified"),
    "activity": ("4", "email", "kind:rollout"),
    "journal": ("J", "moment", "kind:flags"),
    "deleted": ("1 ctrl+r", "id", "at:>1d"),
}
"""By list: the keys that show it, a column it does not show by itself, and a query that finds some."""


def from_disk(folder: Path) -> Preferences:
    settings = read_settings(folder / "config.toml")
    return Preferences(folder / "config.toml", folder / "memory", settings.columns, settings.queries)


@pytest.fixture
def kept(setting: Setting) -> Setting:
    """A settings file and a memory, as in a real run."""
    return replace(setting, preferences=from_disk(setting.folder))


def shown(program: Program) -> ListScreen[Entry]:
    screen = program.app.screen
    assert isinstance(screen, ListScreen)
    return screen


async def open_list(program: Program, name: str) -> ListScreen[Entry]:
    """The list, with something in it."""
    if name == "journal":
        assert program.app.app_state.workspace is not None
        here = program.app.app_state.signature(program.app.app_state.workspace)
        for place in range(4):
            program.journal.begin(Entry(str(place), 9.0 - place, 1, f"k{place}", "edit", here, "flag"))
            program.journal.finish(str(place), "saved")
    program.app.uncover_list()
    await program.settle()
    await program.press(*LISTS[name][0].split())
    assert shown(program).rows.shown > 1
    return shown(program)


@long
async def test_every_list_remembers(kept: Setting) -> None:
    async with running(kept) as program:
        left = {name: await like(program, name) for name in LISTS}
    async with running(replace(kept, preferences=from_disk(kept.folder))) as program:
        for name, (_key, column, query) in LISTS.items():
            order, count = left[name]
            screen = await open_list(program, name)
            assert column in [each.name for each in screen.columns_shown()], name
            assert screen._finder.sort == order, name
            assert "5 mine" in words(program.screen.splitlines()[1])
            await program.press("5")
            assert screen.search.value == query
            # The activity is read as far back as somebody looks.
            count = screen.rows.shown if name == "activity" else count
            assert f"5 mine {count:,}" in words(program.screen.splitlines()[1])


async def like(program: Program, name: str) -> tuple[Sort, int]:
    """Choose a column, an order, a search with a name, a row and a mark, and look at another list."""
    key, column, query = LISTS[name]
    screen = await open_list(program, name)
    await choose_column(program, column)
    assert column in [each.name for each in screen.columns_shown()], name
    await program.press("s", "S", "Q")
    assert "Type a search first" in program.notices[-1]
    order = screen._finder.sort
    await program.press("slash", *query, "enter", "Q", *"mine", "enter", "down", "x")
    left = (screen.rows.row_id, screen.rows.marks, screen.search.value, screen.rows.shown)
    assert left[1], "nothing is marked"
    if name not in ("journal", "deleted"):
        await program.press("2" if key == "1" else "1", key)
        assert shown(program) is screen
    assert (screen.rows.row_id, screen.rows.marks, screen.search.value, screen.rows.shown) == left
    return order, screen.rows.shown


async def choose_column(program: Program, name: str) -> None:
    screen = shown(program)
    place = [each.name for each in screen.all_columns() if each.name not in screen.description.always]
    await program.press("c", *["down"] * place.index(name), "space", "enter")


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


async def test_palette_reaches_commands_records_and_projects(program: Program) -> None:
    await program.press("colon", *"inbox")
    palette = program.app.screen
    assert isinstance(palette, PaletteScreen)
    first = str(palette.query_one(OptionList).get_option_at_index(0).prompt)
    assert first.startswith(next(each.help for each in COMMANDS if each.id == "events.inbox")[:30])
    await program.press("escape", "colon", *"Checkout red", "enter")
    assert shown(program).description.name == "experiments"
    assert "Checkout redesign" in str(shown(program).record)
    await program.press("colon", *"verify", "enter")
    assert shown(program).description.name == "events"
    assert "choose a row, then V" in program.notices[-1]
    assert program.wire.writes() == []
    for project in ("Mobile", "Web app"):
        await program.press("colon", *project, "enter")
        assert project in program.header
