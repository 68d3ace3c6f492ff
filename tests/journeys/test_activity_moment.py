"""The activity around a moment: likely causes first, the cursor on the likeliest."""

import json
from pathlib import Path

import httpx
import pytest
from tests.doubles.expected import require
from tests.doubles.whole_program import WIDE, Program
from tests.journeys.steps import on_activity, shown_rows

from flagtui.app.events.event_screen import EventScreen
from flagtui.models.json_value import JSON

SIZE = WIDE


async def test_a_moment_ranks_what_can_have_caused_it(shared: Program) -> None:
    screen = await on_activity(shared)
    shared.see("UTC ↓")
    await shared.press("at")
    assert screen.search.value == "@ "
    assert screen.search.has_focus
    shared.see("@ needs a time such as 14:05")
    await shared.press(*"30m", shows="-60 … +15 min")
    assert not screen.search.problems
    moment = shared.timing.now - 30 * 60
    near = [row.at is not None and moment - 3_600 <= row.at <= moment + 900 for row in shown_rows(screen)]
    assert near[0]
    assert near == sorted(near, reverse=True)
    shared.see("6 min after 08:30")
    await shared.press("escape", "escape")
    assert screen.search.value == ""
    assert [row.place for row in shown_rows(screen)] == sorted(
        (row.place for row in shown_rows(screen)), reverse=True
    )
    await shared.search("@ 04:30")
    suspects = shown_rows(screen)
    shared.see(lacks="UTC ↓")
    await shared.press("s", shows="UTC ↓", lacks="outside")
    assert [row.place for row in shown_rows(screen)] == sorted((row.place for row in suspects), reverse=True)
    await shared.press("s", "s", "s", "s")
    assert shown_rows(screen) == suspects


async def test_another_moment_jumps_to_its_best_candidate(shared: Program) -> None:
    screen = await on_activity(shared)
    await shared.press("down", "down", "down")
    kept = screen.record
    await shared.search("@ 08:58")
    assert screen.record == shown_rows(screen)[0]
    await shared.press("down")
    assert screen.record == shown_rows(screen)[1]
    await shared.search("@ 04:30")
    first = screen.record
    assert first == shown_rows(screen)[0]
    assert first is not None
    assert first.key == "pricing-page-test"
    # What narrows the same moment further leaves the reader where he is.
    await shared.press("down")
    second = screen.record
    await shared.search("@ 04:30 -by:wei")
    assert screen.record == second
    await shared.search("")
    assert screen.record in (second, kept)


async def test_only_changes_of_the_window_are_exported_and_marked(
    shared: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    screen = await on_activity(shared)
    await shared.search("@ 08:58", "ctrl+s")
    centre = require(screen._finding.centre)
    inside = [row for row in shown_rows(screen) if centre.holds(row.at)]
    assert 0 < len(inside) < len(shown_rows(screen))
    shared.see(toast=f": {len(inside)} changes")
    (path,) = tmp_path.iterdir()  # noqa: ASYNC240  # nothing else runs here
    title, *lines = path.read_text().splitlines()
    assert title.startswith("# Changes in project 1: @ 08:58 (")
    assert "08:58 UTC, -60 … +15 min)" in title
    assert len([line for line in lines if line.startswith("- ")]) == len(inside)
    await shared.press("ctrl+a")
    assert screen.rows.marks == {row.id for row in inside}
    await shared.press("ctrl+a")
    assert not screen.rows.marks
    await shared.search("@ 2020-01-01T00:00")
    assert shown_rows(screen)
    await shared.press("ctrl+a")
    assert not screen.rows.marks
    shared.see(toast="no changes in -60 … +15 min")


async def test_rollout_in_the_window_shows_the_users_it_reached(program: Program) -> None:
    program.wire.answer("blast", httpx.Response(500))
    await on_activity(program, "@ 08:58 flag:billing")
    program.see("users not counted")
    program.wire.heal()
    await program.press("f5")
    screen = await on_activity(program, "@ 08:58 flag:billing")
    assert [row.key for row in shown_rows(screen)][:1] == ["billing-usage-alerts"]
    program.see("± USERS", "+258", "about +258 of 515 users, as counted now")
    await program.search("flag:billing-usage-alerts", lacks="± USERS")


async def test_moment_lists_every_kind_and_reverts_a_mixed_selection(program: Program) -> None:
    sent: list[JSON] = []

    def note(request: httpx.Request) -> None:
        if request.method == "PATCH":
            sent.append(json.loads(request.content))

    workspace = program.workspace
    event = (await workspace.client.event_definitions.page({"limit": 1})).rows[0]
    await workspace.client.event_definitions.update(event.id, {"description": "changed just now"})
    program.timing.now += 30
    program.wire.fail(note, is_done=False)
    screen = await on_activity(program, "@ 10m kind:event")
    [row] = shown_rows(screen)
    assert (row.kind, row.key, row.who) == ("events", event.name, "Alice")
    program.see("what it changed is not logged")
    await program.press("z", shows="what it changed is not logged; change it by hand")
    await program.press("enter", front=EventScreen)
    await program.press("escape")
    await program.search("@ 30m kind:experiment")
    [row] = shown_rows(screen)
    assert (row.kind, row.key) == ("experiments", "Checkout redesign")
    await program.press("w", shows="it is no change of a flag")
    await program.search("")
    assert {row.kind for row in shown_rows(screen)} == {"flags"}

    await program.search("@ 08:58")
    keys = {event.name, "Checkout redesign", "billing-usage-alerts"}
    for row in shown_rows(screen)[:6]:
        await program.press(*(("x",) if row.key in keys else ("down",)))
    await program.press("z", shows="Revert 1 of 2: Revert a change in TEST")
    program.see("1 skipped", event.name, "what it changed is not logged")
    await program.press("y", "escape", shows="Revert 2 of 2: Edit the experiment in TEST")
    program.see("secondary metrics: − Times seen", lacks="skipped")
    await program.press("y", sent=3)
    assert sent[-1] == {"metrics_secondary": []}
    await program.search("@ 10m kind:experiment")
    assert [row.who for row in shown_rows(screen)] == ["Mo", "Alice"]
    await program.press("z", shows="Checkout redesign already has the values to restore; nothing was sent.")

    await program.search("flag:checkout-redesign kind:payload", "x", "x", "z", shows="Revert 1 of 2: ")
    await program.press("y", shows="Revert 2 of 2: ")


async def test_marks_survive_a_moment_that_moves_or_goes(program: Program) -> None:
    screen = await on_activity(program, "@ 08:58")
    experiment = next(row for row in shown_rows(screen) if row.kind == "experiments")
    flag = next(row for row in shown_rows(screen) if row.kind == "flags")
    screen.rows.mark([experiment.id, flag.id])
    for line in ("@ 2025-01-01T14:05", "@ 0", ""):
        await program.search(line)
        assert screen.rows.marks == {experiment.id, flag.id}
        assert {row.id for row in screen.chosen()} == {experiment.id, flag.id}
    assert experiment not in shown_rows(screen)
    program.see("2 marked")
    await program.press("z", shows="Revert 1 of 2")
    await program.press("y", "y", "u", shows="Undo 1 of 2: ")


async def test_marks_survive_a_feed_that_begins_again(program: Program) -> None:
    screen = await on_activity(program, "")
    feed, oldest = require(screen.feed), shown_rows(screen)[-1].id
    screen.rows.mark([oldest])
    feed.rows = feed.rows[:3]
    feed.notify_watchers()
    await program.settle()
    assert screen.rows.marks == {oldest}
    assert [row.id for row in screen.chosen()] == [oldest]


async def test_reverts_of_later_questions_stay_marked(program: Program) -> None:
    screen = await on_activity(program, "@ 08:58")
    experiment = next(row for row in shown_rows(screen) if row.kind == "experiments")
    flag = next(row for row in shown_rows(screen) if row.key == "billing-usage-alerts")
    screen.rows.mark([experiment.id, flag.id])
    await program.press("z", shows="Revert 1 of 2")
    await program.press("y", shows="Revert 2 of 2")
    await program.press("escape", sent=1)
    assert screen.rows.marks == {experiment.id}
    await program.press("f5")
    assert screen.rows.marks == {experiment.id}
    await program.press("z", "y")
    assert not screen.rows.marks
