"""Changes that happen later: scheduled, listed, made by the server when they are due, or dropped before."""

from datetime import timedelta
from typing import Any

from tests.doubles.expected import require
from tests.doubles.whole_program import Program, Setting, running

from flagtui.app.flags.due_screen import DueScreen
from flagtui.app.flags.flag_list import FlagsScreen
from flagtui.app.flags.flag_screen import FlagScreen


async def read_scheduled(program: Program, key: str) -> list[dict[str, Any]]:
    changes = await program.colleague().schedule.all({"record_id": program.row(key).id})
    return [dict(change.raw) for change in changes]


async def test_flag_is_scheduled_to_turn_off_and_the_schedule_shown(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.go_to("new-nav", "at", "enter", *"+2h", "enter", shows="Schedule a change in TEST")
        program.see("turned off, 2026-03-02 11:0")
        await program.press("y", toast="new-nav has a scheduled change: turned off")
        changes = await read_scheduled(program, "new-nav")
        assert [change["payload"] for change in changes] == [{"operation": "update_status", "value": False}]
        assert [(entry.kind, entry.ending) for entry in program.journal.entries()] == [
            ("scheduled_change", "saved")
        ]
        assert (await program.stored("new-nav")).active
        await program.press("J", "z", shows="Undo: drop the change scheduled for new-nav")
        await program.press("y")
        assert await read_scheduled(program, "new-nav") == []
        await program.press("U", "y")
        assert [change["payload"] for change in await read_scheduled(program, "new-nav")] == [
            changes[0]["payload"]
        ]
        await program.press("escape", "at", *"drop", "enter", shows="Dropped turned off")
        await program.press("y")
        assert await read_scheduled(program, "new-nav") == []


async def test_schedules_are_marked_on_rows_and_change_conditions_and_shares(program: Program) -> None:
    assert len([line for line in program.wire.passed if "scheduled_changes" in line]) == 1
    screen = program.front(FlagsScreen)
    await program.search("new-nav", lacks="◷")
    await program.press("at", "enter", *"+2h", "enter", "y", shows="◷")
    await program.search("due:<3h", shows="new-nav")
    await program.press("u", "y")
    assert screen.rows.shown == 0
    await program.go_to("new-nav", "at", "enter", *"2020-01-01 09:00", "enter", shows="that time has passed")
    await program.press("escape", shows="Schedule for new-nav")
    await program.press("enter", shows=("2020-01-01 09:00", "esc back"))
    await program.press("escape", "escape")
    assert await read_scheduled(program, "new-nav") == []
    await program.press("at", *"add a cond", "enter", *"50", "enter", *"2026-03-05 09:00", "enter", "y")
    changes = await read_scheduled(program, "new-nav")
    assert changes[0]["scheduled_at"].startswith("2026-03-05T09:00:00")
    assert changes[0]["payload"]["value"]["groups"][0]["rollout_percentage"] == 50
    before = (await program.stored("new-nav")).targeting.conditions[0]
    await program.press("at", *"raise", "enter", *"5", "enter")
    program.see(f"a number above {before.rollout:g}, up to 100")
    await program.press("backspace", *"80", "enter", *"+1d", "enter")
    program.see(f"rollout of condition 1 raised from {before.rollout:g} to 80 %")
    await program.press("y")
    groups = [change["payload"]["value"]["groups"] for change in await read_scheduled(program, "new-nav")]
    assert [{**before.raw, "rollout_percentage": 80}] in groups
    await program.press("at", *"raise", "enter", *"90", "enter", *"+1d")
    flag = await program.stored("new-nav")
    others = [{"properties": [], "rollout_percentage": 1}, *flag.filters["groups"]]
    await program.colleague().flags.update(flag.id, {"filters": {**flag.filters, "groups": others}})
    await program.press("enter", toast="new-nav: condition 1 was changed meanwhile")


async def test_pending_changes_are_listed_opened_and_dropped(program: Program) -> None:
    await program.press("f7")
    front = program.front(DueScreen)
    pending = list(front.rows.in_sight)
    assert [row.at for row in pending] == sorted(row.at or 0.0 for row in pending)
    await program.press("x", "escape")
    assert (program.app.screen, front.marked) == (front, 0), "escape clears the marks first"
    front.rows.action_first()
    first = pending[0]
    await program.press("enter", shows=first.key, front=FlagScreen)
    later = require(first.change.scheduled_at) + timedelta(days=3)
    schedule = program.colleague().schedule
    await schedule.update(first.change.id, {"scheduled_at": later.isoformat()})
    await program.press("escape", "z", shows=("Drop a scheduled change", f"{later:%Y-%m-%d %H:%M}"))
    await program.press("y")
    assert first.change.id not in {row.id for row in front.rows.in_sight}
    assert len(front.rows.in_sight) == len(pending) - 1


async def test_change_that_was_due_leaves_the_list(program: Program) -> None:
    await program.press("f7", shows="+3d")
    program.timing.now += 4 * 86_400
    program.app.ages.pass_minute()
    await program.settle(shows="Nothing is scheduled in this project.", lacks="4d")
