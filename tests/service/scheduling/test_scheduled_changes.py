"""Changes that wait for their time: scenario 58 of flags, and changes between requests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.doubles.service_world import PLANS, SWITCH_OFF, World, asks_for, asks_whether, starting, variants

from flagtui.service.clock import shown_stamp, stamp
from flagtui.service.scheduling.recurrence import BadCron, next_by_cron, next_by_interval

SWITCH_ON = {"operation": "update_status", "value": True}
DAILY = {"is_recurring": True, "recurrence_interval": "daily"}


def place(planned: Any) -> str:
    return f"{PLANS}{planned['id']}/"


async def is_on(flag: Any, world: World) -> bool:
    return bool((await world.get(f"{flag['id']}/"))["active"])


async def test_scenario_58_scheduled_change_is_applied_when_due(world: World) -> None:
    flag = await world.flag("a")
    planned = await world.plan(flag)
    assert (planned["executed_at"], planned["payload"]) == (None, SWITCH_OFF)
    assert planned["created_by"]["email"] == "owner@localhost.test"
    world.clock.pass_(minutes=59)
    assert await is_on(flag, world)
    world.clock.pass_(minutes=1)
    off = await world.get(f"{flag['id']}/")
    assert (off["active"], off["version"]) == (False, 2)
    trigger = (await world.latest(flag["id"]))["detail"]["trigger"]
    assert (trigger["job_type"], trigger["payload"]) == ("scheduled_change", SWITCH_OFF)
    done = await world.get(place(planned))
    assert (done["executed_at"] is not None, done["failure_reason"]) == (True, None)
    refusal = await world.refused("PATCH", place(planned), {"payload": {}})
    assert refusal.detail == "Cannot modify a scheduled change that has already executed."


async def test_scenario_58_schedule_keeps_its_flag_and_is_droppable(world: World) -> None:
    flag = await world.flag("a")
    planned = await world.plan(flag)
    refusal = await world.refused("PATCH", place(planned), {"record_id": "99"})
    detail = "Cannot change the target record of an existing scheduled change."
    assert (refusal.attr, refusal.detail) == ("record_id", detail)
    later = stamp(world.clock() + timedelta(days=2))
    moved = await world.patch(place(planned), {"scheduled_at": later})
    assert moved["scheduled_at"] == shown_stamp(later)
    for record, count in ((str(flag["id"]), 1), ("99", 0)):
        assert (await world.get(PLANS, record_id=record))["count"] == count
    # A new flag takes its place.
    await world.patch(f"{flag['id']}/", {"deleted": True})
    other = await world.flag("a")
    response = await world.ask("DELETE", place(planned))
    assert (response.status_code, response.content) == (204, b"")
    assert (await world.ask("GET", place(planned))).status_code == 404
    world.clock.pass_(days=3)
    assert await is_on(other, world)


async def test_a_plan_adds_conditions_and_replaces_variants(world: World) -> None:
    flag = await world.flag("a", filters=variants(control=50, test=50))
    group = {"properties": [], "rollout_percentage": 10}
    shares = [{"key": "only", "rollout_percentage": 100}]
    replaced = {"variants": shares, "payloads": {"only": {"x": 1}}}
    await world.plan(flag, {"operation": "add_release_condition", "value": {"groups": [group]}})
    await world.plan(flag, {"operation": "update_variants", "value": replaced})
    world.clock.pass_(hours=2)
    filters = (await world.get(f"{flag['id']}/"))["filters"]
    assert filters["groups"][-1] == {**group, "aggregation_group_type_index": None}
    assert filters["multivariate"]["variants"] == shares
    assert filters["payloads"] == {"only": '{"x": 1}'}


def adding(filters: Any) -> dict[str, Any]:
    return {"operation": "add_release_condition", "value": filters}


async def test_failed_scheduled_change_keeps_its_reason(world: World) -> None:
    archived, flag = await world.flag("old", active=False, archived=True), await world.flag("a")
    child = await world.flag("child", filters=asks_for(flag["id"]))
    share = "groups[0].rollout_percentage must be between 0 and 100, got "
    of_nobody = asks_whether(key="id", type="cohort", operator="in", value=99)
    reasons = [
        (archived, SWITCH_ON, "Cannot enable an archived feature flag. Unarchive it first."),
        (flag, {"operation": "burn"}, "Unrecognized operation: burn"),
        (flag, adding({"groups": [{"rollout_percentage": 101}]}), f"{share}101"),
        (flag, adding({"groups": [{"rollout_percentage": 10**400}]}), f"{share}{10**400}"),
        (flag, adding(asks_for(child["id"])), "Circular dependency detected: a → child → a"),
        (flag, adding(of_nobody), "Cohort with id 99 does not exist"),
    ]
    for target, payload, _ in reasons:
        await world.plan(target, payload)
    world.clock.pass_(hours=2)
    kept = [change["failure_reason"] for change in (await world.get(PLANS))["results"]]
    assert kept == [reason for _, _, reason in reasons]
    assert world.rows("SELECT DISTINCT version FROM flags") == [{"version": 1}]


async def test_a_recurring_change_comes_again_until_its_end(world: World) -> None:
    flag = await world.flag("a")
    planned = await world.plan(flag, **DAILY, end_date=stamp(world.clock() + timedelta(days=1, hours=2)))
    world.clock.pass_(hours=2)
    first = await world.get(place(planned))
    assert (first["executed_at"], first["last_executed_at"] is not None) == (None, True)
    assert first["scheduled_at"] > planned["scheduled_at"]
    await world.post(f"{flag['id']}/enable/")
    world.clock.pass_(days=1)
    assert not await is_on(flag, world)
    assert (await world.get(place(planned)))["executed_at"] is not None


async def test_a_paused_recurrence_keeps_its_pattern(world: World) -> None:
    flag = await world.flag("a")
    planned = await world.plan(flag, **DAILY)
    paused = await world.patch(place(planned), {"is_recurring": False})
    assert (paused["is_recurring"], paused["recurrence_interval"]) == (False, "daily")
    world.clock.pass_(days=2)
    assert await is_on(flag, world)
    await world.patch(place(planned), {"is_recurring": True})
    assert not await is_on(flag, world)


RECURRING = {"is_recurring": True}
MIDNIGHT = {"cron_expression": "0 0 * * *"}
REFUSED: list[tuple[dict[str, Any], str | None, str]] = [
    ({"record_id": "99"}, None, "Feature flag not found"),
    ({"record_id": ""}, "record_id", "This field may not be blank."),
    ({"model_name": "Cohort"}, "model_name", '"Cohort" is not a valid choice.'),
    ({"payload": None}, "payload", "This field may not be null."),
    ({"scheduled_at": "tomorrow"}, "scheduled_at", "Datetime has wrong format."),
    ({"recurrence_interval": "hourly"}, "recurrence_interval", '"hourly" is not a valid choice.'),
    (RECURRING, "recurrence_interval",
     "Either recurrence_interval or cron_expression is required when is_recurring is true."),
    (DAILY | MIDNIGHT, "cron_expression",
     "Cannot set both cron_expression and recurrence_interval. Use one or the other."),
    (RECURRING | {"cron_expression": "0 0 * *"}, "cron_expression",
     "Only standard 5-field cron expressions are supported (minute hour day month weekday). "
     "Example: '0 9 * * 1-5'."),
    (RECURRING | {"cron_expression": "99 0 * * *"}, "cron_expression",
     "Invalid cron expression. Use standard 5-field cron syntax (e.g., '0 9 * * 1-5')."),
    (MIDNIGHT, "cron_expression", "Cannot set cron_expression when is_recurring is false for new schedules."),
    ({"recurrence_interval": "daily"}, "recurrence_interval",
     "Cannot set recurrence_interval when is_recurring is false for new schedules."),
    (DAILY | {"payload": adding({"groups": []})}, "payload",
     "Recurring schedules are not supported for add_release_condition because it appends "
     "conditions on each run, creating duplicates."),
    ({"end_date": "2020-01-01T00:00:00Z"}, "end_date", "End date must be after the scheduled start date."),
]  # fmt: skip


async def test_plans_and_recurrences_must_make_sense(world: World) -> None:
    flag = await world.flag("a")
    for fields, attr, detail in REFUSED:
        refusal = await world.refused("POST", PLANS, world.planned(flag) | fields)
        assert (refusal.status, refusal.attr) == (400, attr)
        assert (refusal.detail or "").startswith(detail)
    assert (await world.get(PLANS))["count"] == 0


async def test_plan_is_in_the_time_zone_of_the_project(world: World) -> None:
    world.write("UPDATE projects SET timezone = 'Europe/Berlin' WHERE id = 1")
    planned = await world.plan(await world.flag("a"), timezone="Asia/Tokyo")
    assert planned["timezone"] == "Europe/Berlin"


async def test_a_service_catches_up_at_its_start(tmp_path: Path) -> None:
    async with starting(tmp_path / "kept.db") as world:
        await world.plan(await world.flag("a"))
    async with starting(tmp_path / "kept.db", clock=lambda: datetime(2026, 3, 11, tzinfo=UTC)) as later:
        assert later.rows("SELECT active FROM flags") == [{"active": 0}]
        assert len(later.rows("SELECT * FROM api_keys")) == 1


MOMENT = datetime(2026, 1, 31, 12, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(("expression", "expected"), [
    ("* * * * *", "2026-01-31T12:31"), ("*/20 * * * *", "2026-01-31T12:40"),
    ("15/20 * * * *", "2026-01-31T12:35"), ("0 9 * * 1-5", "2026-02-02T09:00"),
    ("0 9 * * MON-fri", "2026-02-02T09:00"), ("0 0 1,15 * *", "2026-02-01T00:00"),
    ("15 3 29 2 *", "2028-02-29T03:15"), ("0 12 * * 0", "2026-02-01T12:00"),
    ("0 12 * * 7", "2026-02-01T12:00"), ("0 0 13 * 5", "2026-02-06T00:00"),
    ("0 9 1 Mar *", "2026-03-01T09:00"),
])  # fmt: skip
def test_a_cron_expression_names_the_next_minute(expression: str, expected: str) -> None:
    assert next_by_cron(MOMENT, expression, UTC).isoformat().startswith(expected)


def test_cron_goes_on_in_the_hour_that_comes_twice() -> None:
    second_half_past_one = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    following = next_by_cron(second_half_past_one, "45 * * * *", ZoneInfo("America/New_York"))
    assert following == datetime(2026, 11, 1, 7, 45, tzinfo=UTC)


NEVER = [
    *("", "* * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "0 0 31 2 *", "0 0 * mon *", "-5 * * * *"),
    *("5- * * * *", "*/ * * * *"),
]


@pytest.mark.parametrize("expression", NEVER)
def test_a_cron_expression_that_never_comes_is_refused(expression: str) -> None:
    with pytest.raises(BadCron):
        next_by_cron(MOMENT, expression, UTC)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [("daily", "2026-02-01"), ("weekly", "2026-02-07"), ("monthly", "2026-02-28"), ("yearly", "2027-01-31")],
)
def test_an_interval_keeps_to_the_calendar(interval: str, expected: str) -> None:
    assert next_by_interval(MOMENT, interval).isoformat().startswith(expected)
