"""The list as a person likes it: columns, named searches, preview, order, copying and links."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.modes import MODES

from flagtui.app.app import FlagTui
from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.search_line import SearchLine
from flagtui.config.preferences import Preferences
from flagtui.config.settings import read_settings

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def kept(setting: Setting) -> Setting:
    """A settings file and a memory, as in a real run."""
    return replace(setting, preferences=from_disk(setting.folder))


@pytest.fixture(params=MODES)
def any_mode(kept: Setting, request: pytest.FixtureRequest) -> Setting:
    return replace(kept, options=MODES[request.param])


def from_disk(folder: Path) -> Preferences:
    file = folder / "config.toml"
    settings = read_settings(file)
    return Preferences(file, folder / "memory", settings.columns, settings.queries, settings.preview)


def columns(program: Program) -> tuple[str, ...]:
    return program.app.screen.query_one(RowList).shown_columns


async def test_columns_are_chosen_ordered_and_kept_in_the_settings_file(any_mode: Setting) -> None:
    (any_mode.folder / "config.toml").write_text("# mine\npreview = false\n")
    async with running(replace(any_mode, size=WIDE, preferences=from_disk(any_mode.folder))) as program:
        own = ("state", "key", "word", "rollout", "type", "runtime", "tags", "name", "updated")
        assert columns(program) == own
        await program.press("c", "down", "space", "down", *["less_than_sign"] * 2, "enter")
        assert columns(program)[:4] == ("state", "key", "type", "word")
        assert "rollout" not in columns(program)
    written = (any_mode.folder / "config.toml").read_text()
    assert written.startswith("# mine\npreview = false\n")
    async with running(replace(any_mode, preferences=from_disk(any_mode.folder))) as program:
        assert columns(program)[:3] == ("state", "key", "type")
        assert not program.app.screen.has_class("-preview")


async def test_a_search_gets_a_name_and_a_tab_with_its_count(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.press("Q")
        assert "Type a search first" in program.notices[-1]
        await program.press("slash", *"is:stale", "enter", "Q", *"old ones", "enter")
        found = program.app.screen.query_one(RowList).shown
        assert f"5 old ones {found}" in words(program.screen.splitlines()[1])
        await program.press("escape")
        assert program.app.screen.query_one(SearchLine).value == ""
        await program.press("5")
        assert program.app.screen.query_one(SearchLine).value == "is:stale"
    async with running(replace(any_mode, preferences=from_disk(any_mode.folder))) as program:
        assert f"5 old ones {found}" in words(program.screen.splitlines()[1])


async def test_preview_order_and_lines_are_as_they_were_left(kept: Setting) -> None:
    async with running(kept) as program:
        await program.press("v", "s", "S", "slash", *"nav", "enter", "slash", *"x", "enter")
        first = program.app.screen.query_one(RowList).row
    async with running(replace(kept, preferences=from_disk(kept.folder))) as program:
        assert not program.app.screen.has_class("-preview")
        await program.press("slash", "up", "up")
        assert program.app.screen.query_one(SearchLine).value == "nav"
        await program.press("escape", "escape", "slash", *"x", "enter")
        assert program.app.screen.query_one(RowList).row == first
        assert "KEY ↑" in program.screen, program.screen.splitlines()[5]


async def test_a_settings_file_that_cannot_be_written_is_said_and_nothing_is_lost(kept: Setting) -> None:
    blocked = kept.folder / "blocked"
    blocked.write_text("a file where a folder should be")
    unwritable = Preferences(blocked / "config.toml", kept.folder / "memory")
    async with running(replace(kept, preferences=unwritable)) as program:
        await program.press("c", "down", "space", "enter")
        assert "kept until you leave only" in program.notices[-1]
        assert "rollout" not in columns(program)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("id", "sent to the terminal's clipboard: {id}"),
        ("link", "http://127.0.0.1:1/project/1/feature_flags/{id}"),
        ("curl", "$FLAGTUI_API_KEY"),
        ("command", "flagtui --profile test --project 1 --flag=new-nav"),
        ("JSON", "new-nav as JSON"),
    ],
)
async def test_what_is_copied_is_chosen_from_a_menu(program: Program, chosen: str, expected: str) -> None:
    await program.go_to("new-nav")
    await program.press("Y", *chosen, "enter")
    assert expected.format(id=program.row("new-nav").id) in program.notices[-1]
    assert "phx_" not in program.app.clipboard
    if chosen == "JSON":
        assert '"key": "new-nav"' in program.app.clipboard


async def test_of_a_server_without_an_address_nothing_is_offered_that_leads_to_one(setting: Setting) -> None:
    async with running(replace(setting, embedded_in="demo --nasty")) as program:
        await program.go_to("new-nav")
        await program.press("Y")
        offered = words(program.screen)
        assert "JSON the whole flag" in offered
        assert "http" not in offered
        assert "curl" not in offered
        await program.press(*"command", "enter")
        assert "flagtui --flag=new-nav demo --nasty" in program.notices[-1]
        await program.press("o")
        assert "new-nav has no page: the server is inside this program" in program.notices[-1]
        await program.press("colon", *"turn the flag on")
        assert "flagtui demo --nasty flags disable new-nav --project 1" in words(program.screen)


async def test_a_link_is_shown_where_no_browser_should_open(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "somewhere")
    await program.go_to("new-nav")
    await program.press("o")
    assert f"/project/1/feature_flags/{program.row('new-nav').id}" in program.notices[-1]


async def test_archived_flags_come_when_somebody_looks_for_them(setting: Setting) -> None:
    async with running(setting) as program:
        asked = len(program.wire.passed)
        await program.press("slash", *"is:archived", "enter")
        shown = program.app.screen.query_one(RowList).shown
        assert shown > 0
        assert len(program.wire.passed) > asked
        assert f"{shown} archived\n" in program.screen
        assert "1 Flags 248 " in program.screen
        row = program.app.screen.query_one(RowList).row
        assert row is not None
        assert row.archived
        await program.press("a", "y")
        assert not (await program.stored(row.key)).archived


@pytest.mark.parametrize(("key", "is_there"), [("new-nav", True), ("no-such-flag", False)])
async def test_a_flag_named_on_the_command_line_is_opened_first(
    setting: Setting, key: str, is_there: bool
) -> None:
    async with running(setting) as program:
        app = FlagTui(replace(program.app.app_state.session, flag=key))
        async with app.run_test(size=setting.size, notifications=True) as pilot:
            second = replace(program, app=app, pilot=pilot)
            await second.settle()
            assert isinstance(app.screen, FlagScreen) == is_there
            told = [*second.notices, ""][0]
            assert told == ("" if is_there else "There is no flag no-such-flag in this project.")
            if is_there:
                assert "WHO SEES IT" in second.screen
                await second.press("escape")
                assert not isinstance(app.screen, FlagScreen)
