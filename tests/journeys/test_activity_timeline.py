"""The activity as a timeline: around a moment, as far back as one looks, live, and taken back safely."""

import shutil
import sqlite3
import stat
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.modes import NARROW_MODES
from tests.journeys.timeline import ask, listed, on_activity, rest, shown

from flagtui.app.activity.activity_screen import ActivityScreen
from flagtui.app.flags.flag_screen import FlagScreen

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def shared_setting(shared_setting: Setting) -> Setting:
    return replace(shared_setting, size=WIDE)


SIZES = ((132, 40), (80, 24), (60, 15), (40, 12))


@pytest.fixture
def setting(template: Path, tmp_path: Path) -> Setting:
    return Setting(template, tmp_path, size=WIDE)


async def test_scrolling_and_filtering_read_older_pages(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await on_activity(program)
        feed = screen.feed
        assert feed is not None
        pages = [line for line in program.wire.passed if line.endswith("/activity/")]
        assert len(feed.rows) == 100
        await program.press("G")
        assert len(feed.rows) == 200
        more = [line for line in program.wire.passed if line.endswith("/activity/")]
        assert len(more) == len(pages) + 1
        await ask(program, "flag:kill-search")
        assert feed.is_complete
        assert len({row.id for row in feed.rows}) == feed.total == len(feed.rows)


async def test_new_entries_come_in_above_without_moving_the_reader(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await on_activity(program)
        await program.press("down", "down", "down")
        before, stood_on = listed(program), screen.record
        colleague = program.colleague()
        await colleague.flags.update(program.row("new-nav").id, {"active": False})
        await colleague.flags.update(program.row("export-parquet").id, {"active": False})
        await program.app.server.polling.poll()
        await program.settle()
        assert listed(program) == before
        assert screen.record == stood_on
        assert "2 new above, g" in program.screen
        await program.press("g")
        assert listed(program)[1].endswith("turned off")
        assert "new above" not in program.screen
        # At the top they show at once, and the cursor still stays with its entry.
        top = screen.record
        await colleague.flags.update(program.row("new-nav").id, {"active": True})
        await program.app.server.polling.poll()
        await program.settle()
        assert "turned on" in listed(program)[1]
        assert screen.record == top
        assert screen.rows.place == 1


async def test_the_lookout_costs_nothing_more_while_nothing_happens(program: Program) -> None:
    await on_activity(program)
    before = len(program.wire.passed)
    await program.app.server.polling.poll()
    await program.settle()
    assert len(program.wire.passed) == before + 1


@pytest.mark.parametrize("mode", NARROW_MODES)
async def test_built_on_entry_is_refused_with_three_sides_others_revert(setting: Setting, mode: str) -> None:
    async with running(replace(setting, options=NARROW_MODES[mode])) as program:
        screen = await on_activity(program, "flag:billing-usage-alerts kind:rollout")
        flag = await program.stored("billing-usage-alerts")
        filters = dict(flag.filters)
        filters["groups"] = [{**group, "rollout_percentage": 77} for group in flag.filters["groups"]]
        await program.colleague().flags.update(flag.id, {"filters": filters}, version=flag.version)
        await program.press("z")
        assert program.app.screen is screen
        assert program.wire.writes() == []
        refusal = program.notices[-1]
        for side in ("100", "50", "77"):
            assert f'"rollout_percentage": {side}' in refusal
        await program.press("f5")
        await ask(program, "flag:billing-usage-alerts kind:rollout")
        await program.press("g")
        await rest(program)
        assert "rollout 100 % → 77 %" in words(program.screen)
        await program.press("z", "y")
        assert (await program.stored("billing-usage-alerts")).targeting.rollout == 100
        assert "rollout 77 % → 100 %" in words(program.screen)
        assert program.journal.entries()[0].ending == "saved"


@pytest.mark.parametrize("mode", NARROW_MODES)
async def test_a_flag_deleted_lately_is_found_looked_at_and_restored(setting: Setting, mode: str) -> None:
    async with running(replace(setting, options=NARROW_MODES[mode])) as program:
        record = program.row("export-parquet").id
        await program.go_to("export-parquet")
        await program.press("d", "y")
        screen = await on_activity(program)
        await program.press("f")
        assert screen.search.value == "is:deleted"
        await rest(program)
        assert "export-parquet" in listed(program)[1]
        assert "deleted and not restored" in words(program.screen)
        await program.press("enter")
        assert isinstance(program.app.screen, FlagScreen)
        await program.press("escape", "z")
        assert "Restore in TEST" in words(program.screen)
        await program.press("y")
        assert not (await program.stored("export-parquet")).deleted
        assert program.row("export-parquet").id == record
        assert record not in {row.flag_id for row in shown(screen)}


async def test_a_tab_is_found_again_as_it_was_left(program: Program) -> None:
    screen = await on_activity(program, "by:sam")
    await program.press("down", "down", "x")
    before, place = listed(program), screen.rows.place
    await program.press("1", "2", "3", "4")
    assert program.app.screen is screen
    assert (listed(program), screen.rows.place) == (before, place)
    assert screen.search.value == "by:sam"
    assert len(screen.rows.marks) == 1


async def test_entries_are_copied_as_plain_lines(program: Program) -> None:
    await on_activity(program, "flag:checkout-redesign by:sam")
    await program.press("x", "x", "y")
    lines = program.app.clipboard.split("\n")
    assert len(lines) == 2
    assert all("checkout-redesign  sam@acme.com" in line and " UTC  " in line for line in lines)
    assert lines == sorted(lines)


async def test_shown_entries_are_written_to_a_file_as_timeline(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await on_activity(program, "flag:checkout-redesign by:sam")
    assert isinstance(program.app.screen, ActivityScreen)
    shown = program.app.screen.rows.shown
    await program.press("ctrl+s")
    path = Path(program.notices[-1].removeprefix("written to ").split(": ")[0])
    assert program.notices[-1].endswith(f"{shown} changes")
    text, mode = path.read_text(), path.stat().st_mode  # noqa: ASYNC240  # nothing else runs here
    assert stat.S_IMODE(mode) == 0o600
    assert text.startswith("# Changes of flags in project 1: flag:checkout-redesign by:sam")
    assert text.count("`checkout-redesign`: ") == shown
    await program.press("x", "ctrl+s")
    assert program.notices[-1].endswith(": 1 change")


@pytest.mark.parametrize("mode", NARROW_MODES)
async def test_key_without_activity_access_is_shown_the_missing_scope(
    setting: Setting, tmp_path: Path, mode: str
) -> None:
    narrow = tmp_path / "narrow.db"
    shutil.copy(setting.template, narrow)
    with sqlite3.connect(narrow) as database:
        database.execute(
            "UPDATE api_keys SET scopes = ?",
            ('["feature_flag:read","feature_flag:write","project:read","user:read"]',),
        )
    database.close()
    async with running(replace(setting, template=narrow, options=NARROW_MODES[mode])) as program:
        await program.press("4")
        assert "activity_log:read" in program.screen
        asked = len([line for line in program.wire.passed if "activity" in line])
        await program.press("down", "x", "escape")
        assert len([line for line in program.wire.passed if "activity" in line]) == asked
        await program.press("1")
        assert "checkout-redesign" in program.screen


async def test_secret_payload_is_masked_and_open_payload_is_shown(setting: Setting) -> None:
    async with running(setting) as program:
        await on_activity(program, "flag:rate-limit-tier kind:payload")
        secret = program.row("rate-limit-tier")
        stored = await program.colleague().flags.get(secret.id)
        assert not stored.has_encrypted_payloads
        assert "••••" not in program.screen
        await ask(program, "kind:created")
        body = {
            "key": "sealed",
            "filters": {
                "groups": [{"properties": [], "rollout_percentage": 100}],
                "payloads": {"true": '"geheim"'},
            },
            "is_remote_configuration": True,
            "has_encrypted_payloads": True,
        }
        sealed = await program.colleague().flags.create(body)
        changed = {**sealed.filters, "payloads": {"true": '"heimlich"'}}
        await program.colleague().flags.update(
            sealed.id, {"filters": changed, "has_encrypted_payloads": True}, version=sealed.version
        )
        await program.press("f5")
        await ask(program, "flag:sealed kind:payload")
        assert "payload of true changed" in words(program.screen)
        assert "••••" in program.screen
        assert "heim" not in program.screen


async def test_nothing_that_colleagues_wrote_reaches_the_terminal(
    nasty_template: Path, tmp_path: Path
) -> None:
    async with running(Setting(nasty_template, tmp_path)) as program:
        await program.press("4")
        projects = await program.colleague().projects.list()
        program.app.show_project(max(project.id for project in projects))
        await program.settle()
        screen = program.app.screen
        assert isinstance(screen, ActivityScreen)
        for size in SIZES:
            await program.pilot.resize_terminal(*size)
            await program.press("g")
            for _ in range(4):
                await program.press("pagedown")
                await rest(program)
                drawn = program.screen.replace("\n", "")
                strange = {
                    each for each in drawn if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
                }
                assert strange - {"\u200d"} == set()
        assert program.app.fence.removed == 0
        await program.press("y")
        assert screen.rows.shown > 10
