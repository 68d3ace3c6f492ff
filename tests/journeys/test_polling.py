"""Polling of the list in front: interval, cost, painting, and failures."""

import math
import re

import httpx
import pytest
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.expected import require
from tests.doubles.slices import one_in
from tests.doubles.turned_clock import TurnedClock, pass_time, start_polling
from tests.doubles.whole_program import Program, Setting, running
from tests.doubles.wire import Wire
from tests.journeys.flag_form import fill
from tests.journeys.steps import another_key, revoke
from textual import events

from flagtui.api.errors import ServerFault
from flagtui.app.shell.sign_in import SignInScreen
from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen

MINUTE = 60.0


async def test_poll_paints_only_changes_and_reports_failures(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    await program.press("j", "j", "x", "k")
    rows: RowList[object] = program.rows
    clock = await start_polling(program, MINUTE)
    stood_on, marks, before = rows.row_id, rows.marks, program.screen.splitlines()
    line = next(place for place, text in enumerate(before) if " team-invites-v3 " in text)
    row = program.row("team-invites-v3")
    drawn = watch_drawing(rows, monkeypatch)

    assert clock.next_alarm == MINUTE
    assert await pass_time(program, clock, MINUTE - 1) == 0
    assert await pass_time(program, clock, 1) == 1
    assert (drawn, program.screen.splitlines()) == ([], before)

    await program.colleague().flags.update(row.id, {"active": False})
    assert await pass_time(program, clock, MINUTE) == 1
    after = program.screen.splitlines()
    # The titles lose the arrow while the changed row keeps its place.
    assert drawn == [0, line - rows.region.y]
    changed = [place for place, text in enumerate(after) if text != before[place]]
    assert changed == [rows.region.y, line]
    assert after[line].split()[0] == "○•"
    assert (rows.row_id, rows.marks) == (stood_on, marks)

    program.wire.cut()
    await pass_time(program, clock, MINUTE)
    program.see("offline, data", "new-nav")
    program.wire.heal()
    await pass_time(program, clock, MINUTE)
    program.see("● synced just now")


@pytest.mark.parametrize("change", [{"name": "other"}, {"deleted": True}], ids=str)
async def test_open_question_warns_of_a_change_that_a_poll_finds(
    program: Program, change: dict[str, object]
) -> None:
    clock = await start_polling(program, MINUTE)
    await program.go_to("new-nav", "space", shows="Newer changes  none")
    await program.colleague().flags.update(program.row("kill-search-v2").id, change)
    await pass_time(program, clock, MINUTE)
    program.see("Newer changes  none", lacks="changed elsewhere")
    await program.colleague().flags.update(program.row("new-nav").id, change)
    await pass_time(program, clock, MINUTE)
    program.see("! changed elsewhere since this question was asked", lacks=("Newer", "Last change"))


async def pass_alarm(program: Program, clock: TurnedClock) -> float:
    """Let the time until the next poll pass, and return it."""
    pause = require(clock.next_alarm)
    await pass_time(program, clock, pause)
    return pause


async def test_polls_are_rare_when_idle_and_immediate_on_return(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    waits = list[float]()
    for _ in range(16):
        waits.append(require(clock.next_alarm))
        assert await pass_time(program, clock, waits[-1]) == 1
    assert waits[:3] == [MINUTE] * 3
    assert waits == sorted(waits)
    assert waits[-1] == 10 * MINUTE
    for back in (events.Key("j", "j"), events.AppFocus()):
        assert await pass_time(program, clock, 5 * MINUTE) == 0
        program.app.post_message(back)
        assert await pass_time(program, clock, 0) == 1
        assert clock.next_alarm == MINUTE
        program.app.post_message(events.Key("k", "k"))
        assert await pass_time(program, clock, 0) == 0
        for _ in range(16 if isinstance(back, events.Key) else 0):
            await pass_alarm(program, clock)


async def test_outages_are_counted_down_and_retried_within_ten_seconds(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    await program.go_to("team-invites-v3")
    program.wire.cut()
    await program.press("f5")
    began, reads = clock.now, list[float]()
    assert re.search(r"offline, data <1 min old, retrying in \d+ s$", program.header)
    clock.turn((clock.next_alarm or 0.0) - 3.0)
    program.app.ages.pass_second()
    await program.settle(shows="retrying in 3 s")
    while clock.now < began + 4 * MINUTE:
        pause = clock.next_alarm or 0.0
        if await pass_time(program, clock, pause):
            reads.append(pause)
    early = [pause for pause in reads if pause < MINUTE]
    assert all(5 <= pause <= 10.2 for pause in early[1:])
    assert 2 * MINUTE - 10.2 <= sum(early) <= 2 * MINUTE + 10.2
    assert reads[len(early) :] == [MINUTE, MINUTE]
    program.wire.heal()
    await pass_alarm(program, clock)
    program.see("● synced just now")
    await pass_time(program, clock, MINUTE / 2)
    program.wire.cut()
    await program.press("enter", shows="▲ offline")
    assert (clock.next_alarm or 0.0) <= 10.2, "a second outage is like the first"
    program.wire.heal()
    row = program.row("team-invites-v3")
    program.wire.passed.clear()
    await pass_time(program, clock, 10.2)
    assert f"GET /api/projects/1/feature_flags/{row.id}/" in program.wire.passed
    await program.press("escape")
    program.wire.answer("", httpx.Response(503, headers={"Retry-After": "37"}))
    program.app.post_message(events.AppFocus())
    await pass_time(program, clock, MINUTE)
    program.see("503, data", "retrying in 40 s")
    assert clock.next_alarm == 37


async def test_page_alone_that_failed_is_read_again_until_it_succeeds(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    for key, part in (("team-invites-v3", ""), ("new-nav", "activity/")):
        await program.go_to(key)
        program.wire.answer(f"/feature_flags/{program.row(key).id}/{part}$", httpx.Response(500))
        await program.press("enter", shows="a read failed, retrying in 5 s")
        assert [await pass_alarm(program, clock) for _ in range(4)] == [5, 7.5, 10, 10]
        program.wire.heal()
        await pass_alarm(program, clock)
        program.see("● synced just now")
        assert clock.next_alarm == MINUTE
        await program.press("escape")
        # A failure right after would count as the same outage.
        await pass_time(program, clock, MINUTE)
    with program.workspace.client.link.retry_in(12, ServerFault("The server failed.")):
        await program.settle(shows="a read failed, retrying in 12 s")


async def test_lost_write_that_was_found_is_no_failed_read(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    await program.go_to("new-nav", "space")
    clock.turn(1)
    program.wire.lose("PATCH")
    await program.press_without_waiting("y")
    while not program.wire.count("PATCH") or program.app.runner.is_saving:
        clock.turn(0)
        await program.pilot.pause()
    await program.settle(shows="● synced just now", toasts="new-nav is off", sent=1)


async def test_new_key_ends_the_refusal_of_the_list_at_once(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    revoke(program.wire)
    await pass_time(program, clock, MINUTE)
    program.see("⚠ sign in again")
    await program.press("space", front=SignInScreen)
    await fill(program, another_key(program), front=ConfirmScreen)
    program.see("● synced just now")


async def test_without_polling_an_outage_is_read_again_for_two_minutes(program: Program) -> None:
    clock = await start_polling(program, 0)
    assert clock.next_alarm == math.inf
    program.wire.cut()
    await program.press("f5")
    began = clock.now
    while (pause := clock.next_alarm or 0.0) < math.inf:
        program.see("retrying in")
        await pass_time(program, clock, pause)
    assert 2 * MINUTE <= clock.now - began <= 2 * MINUTE + 10.2
    assert program.header.endswith("offline, data 2 min old")


async def test_failures_of_the_first_connection_and_of_lists_are_retried(setting: Setting) -> None:
    async with running(setting, Wire.cut) as program:
        clock = await start_polling(program, MINUTE)
        program.see("cannot be reached")
        await program.press("f5")
        await pass_time(program, clock, 2)
        program.wire.heal()
        assert await seconds_until_synced(program, clock) <= MINUTE
        program.see(" new-nav ")
        for tab in one_in(3, ["1", "2", "3", "4"]):
            await program.press(tab)
            # A failure right after would count as the same outage.
            await pass_time(program, clock, MINUTE)
            program.wire.cut()
            await program.press("f5", "f5", shows="▲ offline")
            for _ in range(8):
                await pass_alarm(program, clock)
            program.wire.heal()
            assert await seconds_until_synced(program, clock) <= MINUTE


async def test_visible_experiments_and_events_are_polled(program: Program) -> None:
    clock = await start_polling(program, MINUTE)
    colleague, workspace = program.colleague(), program.workspace
    await program.press("2", "j")
    assert await poll(program, clock) == {"GET /api/projects/1/experiments/"}
    row = next(row for row in workspace.experiments.rows if row.name == "Pricing page test")
    other = next(other for other in workspace.experiments.rows if other != row)
    await colleague.experiments.update(row.id, {"name": "Renamed meanwhile"})
    await colleague.experiments.delete(other.id)
    await pass_time(program, clock, MINUTE)
    program.see("Renamed meanwhile", "2 Experiments 30", "synced just now")
    await program.press("3", "j")
    assert await poll(program, clock) == {"GET /api/projects/1/event_definitions/"}
    event, before = workspace.events.rows[0], len(workspace.events)
    await colleague.event_definitions.update(event.id, {"description": "described meanwhile"})
    await colleague.event_definitions.create("made meanwhile")
    await pass_time(program, clock, MINUTE)
    assert len(workspace.events) == before + 1
    assert "described meanwhile" in [row.description for row in workspace.events.rows]
    await program.press("1")
    assert await poll(program, clock) == {"GET /api/projects/1/feature_flags/"}


async def poll(program: Program, clock: TurnedClock) -> set[str]:
    """What two polls ask for; the cursor stays where it is."""
    rows: RowList[object] = program.rows
    stood_on = rows.row_id
    await pass_time(program, clock, MINUTE)
    program.wire.passed.clear()
    for _ in range(2):
        program.app.post_message(events.AppFocus())
        await pass_time(program, clock, MINUTE)
    assert rows.row_id == stood_on
    return {line for line in program.wire.passed if "query" not in line}


async def seconds_until_synced(program: Program, clock: TurnedClock) -> float:
    """How long it takes until the list in front is current again, in seconds."""
    waited = 0.0
    while "synced just now" not in program.header:
        waited += await pass_alarm(program, clock)
        assert waited < 10 * MINUTE, program.screen
    return waited
