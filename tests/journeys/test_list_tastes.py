"""The list as a person likes it: columns, named searches, preview, order, comparison with before."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.quiet import run_quietly
from tests.doubles.targeting import group
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.flag_form import fill

from flagtui.app.app import FlagTui
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.lists.list_screen import ListScreen
from flagtui.config.preferences import Preferences
from flagtui.config.settings import read_settings


@pytest.fixture
def kept(setting: Setting) -> Setting:
    """A settings file and a memory, as in a real run."""
    return replace(setting, preferences=from_disk(setting.folder))


def from_disk(folder: Path) -> Preferences:
    file = folder / "config.toml"
    settings = read_settings(file)
    return Preferences(file, folder / "memory", settings.columns, settings.queries, settings.preview)


def columns(program: Program) -> tuple[str, ...]:
    program.draw()
    return program.rows.shown_columns


async def test_columns_preview_order_and_lines_are_as_they_were_left(kept: Setting) -> None:
    file = kept.folder / "config.toml"
    file.write_text("# mine\npreview = false\n")
    async with running(replace(kept, size=WIDE, preferences=from_disk(kept.folder))) as program:
        own = ("state", "key", "word", "rollout", "type", "runtime", "tags", "name", "updated")
        assert columns(program) == own
        await program.press("c", "down", "space", "down", *["less_than_sign"] * 2, "enter")
        assert columns(program)[:4] == ("state", "key", "type", "word")
        assert "rollout" not in columns(program)
        await program.press("s", "S", "slash", *"nav", "enter", "Q", *"old ones", "enter")
        matches = program.rows.shown
        assert f"5 old ones {matches}" in words(program.screen.splitlines()[1])
        # A toast that was there for a second takes the first escape.
        program.app.clear_notifications()
        for key, line in (("escape", ""), ("5", "nav")):
            await program.press(key)
            assert program.front(ListScreen).search.value == line
        await program.press("slash", *"x", "enter")
        first = program.rows.row
    assert file.read_text().startswith("# mine\npreview = false\n")
    async with running(replace(kept, preferences=from_disk(kept.folder))) as program:
        assert columns(program)[:3] == ("state", "key", "type")
        assert not program.app.screen.has_class("-preview")
        assert f"5 old ones {matches}" in words(program.screen.splitlines()[1])
        await program.press("slash", "up", "up")
        assert program.front(ListScreen).search.value == "nav"
        await program.press("escape", "escape", "slash", *"x", "enter")
        assert program.rows.row == first
        assert "KEY ↓" in program.screen, program.screen.splitlines()[5]


async def test_search_without_a_tab_is_saved_with_a_reason(kept: Setting) -> None:
    async with running(replace(kept, preferences=from_disk(kept.folder))) as program:
        for letter in "abcdef":
            await program.press("slash", letter, "enter", "Q", letter, "enter", "escape", "escape")
        without_tab = "saved as f in your settings; other searches have all 5 tabs"
        assert program.notices[-2:] == ["saved as e", without_tab]
        await program.press("slash", *"other", "enter", "Q", "a", shows="replaces the search a ")


async def test_counts_are_whole_at_forty_columns(setting: Setting) -> None:
    async with running(replace(setting, size=(40, 10))) as program:
        assert program.screen.splitlines()[2].rstrip().endswith(" 1/248")
        await program.search("is:on")
        on = program.rows.shown
        assert program.screen.splitlines()[2].rstrip().endswith(f" 1/{on} of 248")


async def test_server_without_an_address_offers_no_links(setting: Setting) -> None:
    async with running(replace(setting, embedded_in="demo --nasty")) as program:
        await program.go_to("new-nav", "Y", shows="JSON the whole flag", lacks=("http", "curl"))
        await program.press(*"command", "enter", toast="flagtui --flag=new-nav demo --nasty")
        await program.press("o", toast="new-nav has no page: the server is inside this program")
        await program.press("colon", *"turn the flag on")
        program.see("flagtui demo --nasty flags disable new-nav --project 1")


async def test_archived_flags_come_when_somebody_looks_for_them(program: Program) -> None:
    request_count = len(program.wire.passed)
    await program.go_to("is:archived")
    shown = program.rows.shown
    assert shown > 0
    assert len(program.wire.passed) > request_count
    program.see(f"{shown} archived\n", "1 Flags 248 ")
    row = require(program.rows.row)
    assert row.archived
    await program.press("a", "y")
    assert not (await program.stored(row.key)).archived


async def test_a_flag_named_on_the_command_line_is_opened_first(setting: Setting, program: Program) -> None:
    missing = ["There is no flag no-such-flag in this project."]
    for key, expected in (("new-nav", []), ("no-such-flag", missing)):
        app = FlagTui(replace(program.app.app_state.session, flag=key))
        async with run_quietly(app, size=setting.size, notifications=True) as pilot:
            second = replace(program, app=app, pilot=pilot)
            await second.settle()
            assert second.notices[:1] == expected
            assert isinstance(app.screen, FlagScreen) == (not expected)
            assert ("WHO SEES IT" in second.screen) == (not expected)
            await second.press("escape")
            assert not isinstance(app.screen, FlagScreen)


async def test_hidden_order_is_named_and_unwritable_settings_reported(kept: Setting) -> None:
    kept.preferences.keep_sort("flags", "created")
    blocked = kept.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    unwritable = Preferences(blocked / "config.toml", kept.folder / "memory")
    async with running(replace(kept, size=WIDE, preferences=unwritable)) as program:
        program.see("sorted by created ↓", lacks="UPDATED ↓")
        await program.press("s", shows="UPDATED ↓", lacks="sorted by")
        await program.press("c", "down", "space", "enter")
        reason = f"cannot be written: {blocked / 'config.toml'}: Not a directory"
        program.see(toast=f"kept only until you quit; the settings file {reason}")
        assert "rollout" not in columns(program)


async def test_stale_order_has_no_arrow_and_is_sorted_again(program: Program) -> None:
    program.see("UPDATED ↓")
    await program.go_to("type:boolean", "down", "down", "space", "y", "escape", "escape")
    changed = program.rows.row_id
    program.see("UPDATED", lacks="UPDATED ↓")
    await program.press("s", "g", shows="UPDATED ↓")
    assert program.rows.row_id == changed
    await program.press("s", shows="KEY ↑")


async def test_each_list_is_compared_with_its_copy_of_a_moment(setting: Setting) -> None:
    async with running(replace(setting, snapshots=True)) as program:
        colleague = program.colleague()
        await program.press("3", "2", "1")
        await colleague.flags.update(program.row("new-nav").id, {"active": False, "name": "\x1b[31mred"})
        await colleague.flags.create({"key": "brand-new", "name": "", "filters": {"groups": [group(100)]}})
        page = await colleague.experiments.page({"limit": 1, "status": "running"})
        await colleague.experiments.pause(page.rows[0].id)
        event = await colleague.event_definitions.by_name("checkout completed")
        await colleague.event_definitions.update(event.id, {"tags": ["till"], "verified": False})
        await colleague.event_definitions.create("brand new")
        program.timing.now += 7_200
        await program.press("f5", "equals_sign", shows="No copy of this list is that old")
        assert program.last_line == "⏎ compare  esc close"
        await fill(program, "90min", shows=("+ brand-new is new", "~ new-nav", "on yes → no"), lacks="\x1b")
        await fill(program, "soon", shows="is not a valid time")
        await fill(program, "1s", shows="No changes.")
        await program.press("escape", front=FlagsScreen)
        await program.press("2", "f5", "equals_sign")
        await fill(program, "90min", shows="Changes in the experiments since")
        program.see(f"~ {page.rows[0].name} flag active yes → no, status running → paused")
        await program.press("escape", "3", "f5", "equals_sign")
        await fill(program, "90min", shows="+ brand new is new")
        program.see("~ checkout completed tags revenue checkout → till, verified yes → no")
