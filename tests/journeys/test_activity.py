"""The project's activity and a flag's history: found, compared, live, written down, taken back."""

import shutil
import sqlite3
import stat
from pathlib import Path
from typing import Unpack

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.sights import Sight
from tests.doubles.targeting import asks_cohort, group
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.steps import listed_rows, on_activity, shown_rows

from flagtui.app.flags.flag_screen import FlagScreen

SIZE = WIDE


async def poll(program: Program, **sight: Unpack[Sight]) -> None:
    await program.app.server.polling.poll()
    await program.settle(**sight)


def beside(program: Program) -> str:
    """The pane beside the log."""
    return words("\n".join(line[88:] for line in program.screen.split("\n")))


async def test_the_log_is_told_in_words_found_and_opened(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        screen = await on_activity(program)
        program.see("checkout-redesign Alice condition 1: 25 % → 50 %")
        await program.press("down")
        assert "filters.groups[0].rollout_percentage - 25 + 50" in beside(program)
        assert screen.feed is not None
        read = program.wire.count("/feature_flags/activity/")
        assert len(screen.feed.rows) == 100
        await program.press("G")
        assert (len(screen.feed.rows), program.wire.count("/feature_flags/activity/")) == (200, read + 1)
        around = "changes of experiments and events are listed around a moment only"
        await program.search("kind:experiment", shows=around)
        await program.search("flag:kill-search", shows="rollout 100 % → 0 %, turned off")
        assert screen.feed.is_complete
        assert len({row.id for row in screen.feed.rows}) == screen.feed.total == len(screen.feed.rows)
        await program.search('"saved without a change" flag:new-nav')
        assert "what it changed is not logged; change it by hand" in beside(program)
        await program.press("z", toast="what it changed is not logged", sent=0)
        await program.search("by:sam flag:checkout-redesign")
        assert "Alice" not in "\n".join(program.screen.split("\n")[5:])
        await program.press("enter", shows="● checkout-redesign", front=FlagScreen)
        await program.press("1", shows="KEY")


async def test_versions_entries_and_deletions_are_taken_back(narrow_mode: Setting) -> None:
    async with running(narrow_mode) as program:
        await program.go_to("ai-summaries")
        before = await program.stored("ai-summaries")
        await program.press("h", shows="rollout 5 % → 10 %")
        await program.press("x", "down", "down", shows="v1 → v3")
        await program.press("z", shows="Restore an older version in TEST", sent=0)
        await program.press("y", shows="v4")
        after = await program.stored("ai-summaries")
        assert after.version == (before.version or 0) + 1
        assert after.targeting.rollout != before.targeting.rollout

        await program.press("escape")
        record = program.row("export-parquet").id
        await program.go_to("export-parquet", "d", "y")
        screen = await on_activity(program)
        await program.press("f", shows="deleted and not restored")
        assert screen.search.value == "is:deleted"
        assert "export-parquet" in listed_rows(program)[1]
        await program.press("enter", "J", "escape", "f5")
        assert isinstance(program.app.screen, FlagScreen), "no list has a deleted flag"
        await program.press("escape", "z", shows="Restore in TEST")
        await program.press("y")
        assert not (await program.stored("export-parquet")).deleted
        assert program.row("export-parquet").id == record
        assert record not in {row.flag_id for row in shown_rows(screen)}


async def test_changes_of_colleagues_arrive_above_and_their_secrets_masked(program: Program) -> None:
    colleague, flag = program.colleague(), await program.stored("new-nav")
    await colleague.flags.update(flag.id, {"filters": {"groups": [group(25, asks_cohort(3))]}})
    program.wire.hold("/cohorts/$")
    await quiet.press(program.app, "4")
    while not program.wire.passed[-1].endswith("/cohorts/"):
        await quiet.settle(program.app)
    program.see("condition 1: + cohort 3")
    await quiet.press(program.app, "j")
    await quiet.settle(program.app)
    await program.let_go(shows="condition 1: + Paying customers")
    await program.search("paying", shows=("1 of", "new-nav"))
    assert program.wire.count("/cohorts/") == 1

    screen = await on_activity(program)
    await program.search("", "escape", "down", "down", "down")
    before, stood_on = listed_rows(program), screen.record
    await colleague.flags.update(flag.id, {"active": False})
    await colleague.flags.update(program.row("export-parquet").id, {"active": False})
    await poll(program, shows="2 new above, g")
    assert (listed_rows(program), screen.record) == (before, stood_on)
    await program.press("g", lacks="new above")
    assert listed_rows(program)[1].endswith("turned off")
    # At the top they show at once, and the cursor still stays with its entry.
    top = screen.record
    await colleague.flags.update(flag.id, {"active": True})
    await poll(program)
    assert "turned on" in listed_rows(program)[1]
    assert (screen.record, screen.rows.place) == (top, 1)

    await on_activity(program, "flag:rate-limit-tier kind:payload")
    assert not (await colleague.flags.get(program.row("rate-limit-tier").id)).has_encrypted_payloads
    program.see(lacks="••••")
    filters = {"groups": [group(100)], "payloads": {"true": '"geheim"'}}
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    sealed = await colleague.flags.create({"key": "sealed", "filters": filters, **secret})
    changed = {**sealed.filters, "payloads": {"true": '"heimlich"'}}
    more = {"filters": changed, "has_encrypted_payloads": True}
    await colleague.flags.update(sealed.id, more, version=sealed.version)
    await program.press("f5")
    await program.search("flag:sealed kind:payload", shows=("payload of true changed", "••••"), lacks="heim")


async def test_entries_are_left_polled_copied_and_written_down(
    shared: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = await on_activity(shared, "flag:checkout-redesign by:sam")
    request_count = len(shared.wire.passed)
    await poll(shared)
    assert len(shared.wire.passed) == request_count + 1, "nothing happened"
    await shared.press("y", toast="clipboard: checkout-redesign, ")
    await shared.press("x", "x", "y")
    lines = shared.app.clipboard.split("\n")
    assert len(lines) == 2
    assert all("checkout-redesign  sam@acme.com" in line and " UTC  " in line for line in lines)
    assert lines == sorted(lines)
    # The message about the copy lies over the list until it goes.
    shared.app.clear_notifications()
    await shared.settle()
    before, place = listed_rows(shared), screen.rows.place
    await shared.press("1", "2", "4")
    assert shared.app.screen is screen
    assert (listed_rows(shared), screen.rows.place) == (before, place)
    assert screen.search.value == "flag:checkout-redesign by:sam"
    assert len(screen.rows.marks) == 2
    await shared.press("ctrl+s", toast=": 2 changes")
    screen.rows.action_clear_marks()
    await shared.press("ctrl+s")
    path = Path(shared.notices[-1].removeprefix("written to ").split(": ")[0])
    shared.see(toast=f"{screen.rows.shown} changes")
    text, mode = path.read_text(), path.stat().st_mode  # noqa: ASYNC240  # nothing else runs here
    assert stat.S_IMODE(mode) == 0o600
    assert text.startswith("# Changes of flags in project 1: flag:checkout-redesign by:sam")
    assert text.count("`checkout-redesign`: ") == screen.rows.shown


async def test_key_without_activity_access_is_shown_the_missing_scope(
    narrow_mode: Setting, tmp_path: Path
) -> None:
    narrow = tmp_path / "narrow.db"
    shutil.copy(narrow_mode.template, narrow)
    scopes = '["feature_flag:read","feature_flag:write","project:read","user:read"]'
    with sqlite3.connect(narrow) as database:
        database.execute("UPDATE api_keys SET scopes = ?", (scopes,))
    database.close()
    async with running(replace(narrow_mode, template=narrow)) as program:
        await program.press("4", shows=("Add activity_log:read to the key", "⚠ key lacks activity_log:read"))
        request_count = program.wire.count("activity")
        await program.press("down", "x", "escape")
        assert program.wire.count("activity") == request_count
        await program.press("1", shows="checkout-redesign")
