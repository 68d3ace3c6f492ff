"""The activity around a moment: likely causes first, the cursor on the likeliest."""

import json
from pathlib import Path

import httpx
import pytest
from tests.doubles.expected import require
from tests.doubles.whole_program import WIDE, Program, Setting, running, words
from tests.journeys.timeline import on_activity, shown_rows

from flagtui.app.events.event_screen import EventScreen
from flagtui.models.json_value import JSON

pytestmark = pytest.mark.asyncio(loop_scope="module")


SIZE = WIDE


async def test_a_moment_ranks_what_can_have_caused_it(program: Program) -> None:
    screen = await on_activity(program)
    assert "UTC ↓" in program.screen
    await program.press("at")
    assert screen.search.value == "@ "
    assert screen.search.has_focus
    assert "@ needs a time such as 14:05" in program.screen
    await program.press(*"30m")
    assert "-60 … +15 min" in program.screen
    assert not screen.search.problems
    moment = program.timing.now - 30 * 60
    near = [row.at is not None and moment - 3_600 <= row.at <= moment + 900 for row in shown_rows(screen)]
    assert near[0]
    assert near == sorted(near, reverse=True)
    assert "6 min after 08:30" in program.screen
    await program.press("escape", "escape")
    assert screen.search.value == ""
    assert [row.place for row in shown_rows(screen)] == sorted(
        (row.place for row in shown_rows(screen)), reverse=True
    )
    await program.search("@ 04:30")
    suspects = shown_rows(screen)
    assert "UTC ↓" not in program.screen
    await program.press("s")
    assert "UTC ↓" in program.screen
    assert "outside" not in program.screen
    assert [row.place for row in shown_rows(screen)] == sorted((row.place for row in suspects), reverse=True)
    await program.press("s", "s", "s", "s")
    assert shown_rows(screen) == suspects


async def test_another_moment_jumps_to_its_best_candidate(program: Program) -> None:
    screen = await on_activity(program)
    await program.press("down", "down", "down")
    kept = screen.record
    await program.search("@ 08:58")
    assert screen.record == shown_rows(screen)[0]
    await program.press("down")
    assert screen.record == shown_rows(screen)[1]
    await program.search("@ 04:30")
    first = screen.record
    assert first == shown_rows(screen)[0]
    assert first is not None
    assert first.key == "pricing-page-test"
    # What narrows the same moment further leaves the reader where he is.
    await program.press("down")
    second = screen.record
    await program.search("@ 04:30 -by:wei")
    assert screen.record == second
    await program.search("")
    assert screen.record in (second, kept)


async def test_only_changes_of_the_window_are_exported_and_marked(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = await on_activity(program)
    await program.search("@ 08:58", "ctrl+s")
    centre = screen._finding.centre
    assert centre is not None
    inside = [row for row in shown_rows(screen) if centre.holds(row.at)]
    assert 0 < len(inside) < len(shown_rows(screen))
    assert program.notices[-1].endswith(f": {len(inside)} changes")
    (path,) = tmp_path.iterdir()  # noqa: ASYNC240  # nothing else runs here
    title, *lines = path.read_text().splitlines()
    assert title.startswith("# Changes in project 1: @ 08:58 (")
    assert "08:58 UTC, -60 … +15 min)" in title
    assert len([line for line in lines if line.startswith("- ")]) == len(inside)
    await program.press("ctrl+a")
    assert screen.rows.marks == {row.id for row in inside}
    await program.press("ctrl+a")
    assert not screen.rows.marks
    await program.search("@ 2020-01-01T00:00")
    assert shown_rows(screen)
    await program.press("ctrl+a")
    assert not screen.rows.marks
    assert "no changes in -60 … +15 min" in program.notices[-1]


async def test_rollout_in_the_window_shows_the_users_it_reached(setting: Setting) -> None:
    def refuse_counts(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(500) if "blast" in request.url.path else None

    async with running(setting) as program:
        program.wire.before = refuse_counts
        await on_activity(program, "@ 08:58 flag:billing")
        assert "users not counted" in words(program.screen)
        program.wire.before = lambda request: None
        await program.press("f5")
        screen = await on_activity(program, "@ 08:58 flag:billing")
        assert [row.key for row in shown_rows(screen)][:1] == ["billing-usage-alerts"]
        assert "± USERS" in program.screen
        assert "+258" in program.screen
        assert "about +258 of 515 users, as counted now" in words(program.screen)
        await program.search("flag:billing-usage-alerts")
        assert "± USERS" not in program.screen


async def test_moment_lists_every_kind_and_reverts_a_mixed_selection(setting: Setting) -> None:
    sent: list[JSON] = []

    def note(request: httpx.Request) -> None:
        if request.method == "PATCH":
            sent.append(json.loads(request.content))

    async with running(setting) as program:
        workspace = program.workspace
        event = (await workspace.client.event_definitions.page({"limit": 1})).rows[0]
        await workspace.client.event_definitions.update(event.id, {"description": "changed just now"})
        program.timing.now += 30
        program.wire.fail(note, is_done=False)
        screen = await on_activity(program, "@ 10m kind:event")
        [row] = shown_rows(screen)
        assert (row.kind, row.key, row.who) == ("events", event.name, "Alice")
        assert "what it changed is not logged" in words(program.screen)
        await program.press("z")
        assert "what it changed is not logged; change it by hand" in words(program.screen)
        await program.press("enter")
        assert isinstance(program.app.screen, EventScreen)
        await program.press("escape")
        await program.search("@ 30m kind:experiment")
        [row] = shown_rows(screen)
        assert (row.kind, row.key) == ("experiments", "Checkout redesign")
        await program.press("w")
        assert "it is no change of a flag" in words(program.screen)
        await program.search("")
        assert {row.kind for row in shown_rows(screen)} == {"flags"}

        await program.search("@ 08:58")
        keys = {event.name, "Checkout redesign", "billing-usage-alerts"}
        for row in shown_rows(screen)[:6]:
            await program.press(*(("x",) if row.key in keys else ("down",)))
        await program.press("z")
        text = words(program.screen)
        assert "Revert 1 of 2: Put back the previous values in TEST" in text
        assert "1 skipped, unchanged" in text
        assert event.name in text
        assert "what it changed is not logged" in text
        await program.press("y", "escape")
        text = words(program.screen)
        assert "Revert 2 of 2: Edit the experiment in TEST" in text
        assert "secondary metrics: − Times seen" in text
        assert "skipped" not in text
        await program.press("y")
        assert len(program.wire.writes()) == 3
        assert sent[-1] == {"metrics_secondary": []}
        await program.search("@ 10m kind:experiment")
        assert [row.who for row in shown_rows(screen)] == ["Mo", "Alice"]
        await program.press("z")
        assert "Checkout redesign already has the values to restore; nothing was sent." in words(
            program.screen
        )

        await program.search("flag:checkout-redesign kind:payload", "x", "x", "z")
        assert "Revert 1 of 2: " in words(program.screen)
        await program.press("y")
        assert "Revert 2 of 2: " in words(program.screen)


async def test_marks_survive_a_moment_that_moves_or_goes(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await on_activity(program, "@ 08:58")
        experiment = next(row for row in shown_rows(screen) if row.kind == "experiments")
        flag = next(row for row in shown_rows(screen) if row.kind == "flags")
        screen.rows.mark([experiment.id, flag.id])
        for line in ("@ 2025-01-01T14:05", "@ 0", ""):
            await program.search(line)
            assert screen.rows.marks == {experiment.id, flag.id}
            assert {row.id for row in screen.chosen()} == {experiment.id, flag.id}
        assert experiment not in shown_rows(screen)
        assert "2 marked" in program.screen
        await program.press("z")
        assert "Revert 1 of 2" in words(program.screen)
        await program.press("y", "y", "u")
        assert "Undo 1 of 2: " in words(program.screen)


async def test_marks_survive_a_feed_that_begins_again(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await on_activity(program, "")
        feed, oldest = require(screen.feed), shown_rows(screen)[-1].id
        screen.rows.mark([oldest])
        feed.rows = feed.rows[:3]
        feed.notify_watchers()
        await program.settle()
        assert screen.rows.marks == {oldest}
        assert [row.id for row in screen.chosen()] == [oldest]


async def test_reverts_of_later_questions_stay_marked(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await on_activity(program, "@ 08:58")
        experiment = next(row for row in shown_rows(screen) if row.kind == "experiments")
        flag = next(row for row in shown_rows(screen) if row.key == "billing-usage-alerts")
        screen.rows.mark([experiment.id, flag.id])
        await program.press("z")
        assert "Revert 1 of 2" in words(program.screen)
        await program.press("y")
        assert "Revert 2 of 2" in words(program.screen)
        await program.press("escape")
        assert len(program.wire.writes()) == 1
        assert screen.rows.marks == {experiment.id}
        await program.press("f5")
        assert screen.rows.marks == {experiment.id}
        await program.press("z", "y")
        assert not screen.rows.marks
