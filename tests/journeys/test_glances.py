"""The list looks by itself at what colleagues changed: how often, what it asks, what it paints."""

import httpx
import pytest
from tests.doubles.drawn_lines import watch_drawing
from tests.doubles.turned_clock import look_out, pass_time
from tests.doubles.whole_program import Setting, running
from textual import events

from flagtui.app.widgets.row_list import RowList

MINUTE = 60.0


async def test_the_list_looks_by_itself_and_paints_only_what_changed(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(setting) as program:
        await program.press("j", "j", "x", "k")
        rows: RowList[object] = program.app.screen.query_one(RowList)
        clock = await look_out(program, MINUTE)
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
        assert drawn == [line - rows.region.y]
        after = program.screen.splitlines()
        assert [place for place, text in enumerate(after) if text != before[place]] == [line]
        assert after[line].split()[0] == "○•"
        assert (rows.row_id, rows.marks) == (stood_on, marks)


async def test_it_looks_rarely_while_nobody_is_there_and_at_once_when_somebody_comes_back(
    setting: Setting,
) -> None:
    async with running(setting) as program:
        clock = await look_out(program, MINUTE)
        waits: list[float] = []
        while len(waits) < 16:
            assert clock.next_alarm is not None
            waits.append(clock.next_alarm)
            assert await pass_time(program, clock, clock.next_alarm) == 1
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
            for _ in range(16):
                await pass_time(program, clock, clock.next_alarm or 0)


async def test_a_failed_look_is_said_and_the_next_one_makes_it_good(setting: Setting) -> None:
    async with running(setting) as program:
        clock = await look_out(program, MINUTE)
        program.wire.before = lambda request: httpx.ConnectError("down")
        await pass_time(program, clock, MINUTE)
        assert "offline, data" in program.screen.splitlines()[0]
        assert "new-nav" in program.screen
        program.wire.before = lambda request: None
        await pass_time(program, clock, MINUTE)
        assert "● synced just now" in program.screen.splitlines()[0]
