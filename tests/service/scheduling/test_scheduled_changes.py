"""Changes that wait for their time: scenario 58 of flags, and changes between requests."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.doubles.service_world import Start, World, asks_for, asks_whether, starting, variants

from flagtui.service.clock import shown_stamp, stamp
from flagtui.service.scheduling.recurrence import BadCron, next_by_cron, next_by_interval

PLANS = "/api/projects/1/scheduled_changes/"


def plan(flag: Any, world: World, payload: Any, **fields: Any) -> dict[str, Any]:
    """A change of the flag in an hour."""
    return {
        "record_id": str(flag["id"]),
        "model_name": "FeatureFlag",
        "payload": payload,
        "scheduled_at": stamp(world.clock() + timedelta(hours=1)),
        **fields,
    }


SWITCH_OFF = {"operation": "update_status", "value": False}


async def test_scenario_58_scheduled_change_is_applied_when_due(world: World) -> None:
    flag = await world.flag("a")
    planned = await world.post(PLANS, plan(flag, world, SWITCH_OFF), 201)
    assert (planned["executed_at"], planned["payload"]) == (None, SWITCH_OFF)
    assert planned["created_by"]["email"] == "owner@localhost.test"
    world.clock.pass_(minutes=59)
    assert (await world.get(f"{flag['id']}/"))["active"] is True
    world.clock.pass_(minutes=1)
    off = await world.get(f"{flag['id']}/")
    assert (off["active"], off["version"]) == (False, 2)
    entry = await world.latest(flag["id"])
    assert entry["detail"]["trigger"]["job_type"] == "scheduled_change"
    assert entry["detail"]["trigger"]["payload"] == SWITCH_OFF
    done = await world.get(f"{PLANS}{planned['id']}/")
    assert (done["executed_at"] is not None, done["failure_reason"]) == (True, None)
    refusal = await world.refused("PATCH", f"{PLANS}{planned['id']}/", {"payload": {}})
    assert refusal.detail == "Cannot modify a scheduled change that has already executed."


async def test_scenario_58_schedule_needs_an_existing_flag_and_is_droppable(world: World) -> None:
    flag = await world.flag("a")
    wrong = plan({"id": 99}, world, SWITCH_OFF)
    refusal = await world.refused("POST", PLANS, wrong)
    assert (refusal.attr, refusal.detail) == (None, "Feature flag not found")
    refusal = await world.refused("POST", PLANS, {**wrong, "model_name": "Cohort"})
    assert (refusal.code, refusal.attr) == ("invalid_choice", "model_name")
    refusal = await world.refused("POST", PLANS, {"record_id": ""})
    assert (refusal.code, refusal.attr) == ("blank", "record_id")
    planned = await world.post(PLANS, plan(flag, world, SWITCH_OFF), 201)
    refusal = await world.refused("PATCH", f"{PLANS}{planned['id']}/", {"record_id": "99"})
    assert refusal.attr == "record_id"
    assert refusal.detail == "Cannot change the target record of an existing scheduled change."
    later = stamp(world.clock() + timedelta(days=2))
    moved = await world.patch(f"{PLANS}{planned['id']}/", {"scheduled_at": later})
    assert moved["scheduled_at"] == shown_stamp(later)
    assert (await world.get(PLANS, record_id=str(flag["id"])))["count"] == 1
    assert (await world.get(PLANS, record_id="99"))["count"] == 0
    # A new flag takes its place.
    await world.patch(f"{flag['id']}/", {"deleted": True})
    other = await world.flag("a")
    response = await world.ask("DELETE", f"{PLANS}{planned['id']}/")
    assert (response.status_code, response.content) == (204, b"")
    assert (await world.ask("GET", f"{PLANS}{planned['id']}/")).status_code == 404
    world.clock.pass_(days=3)
    assert (await world.get(f"{other['id']}/"))["active"] is True


async def test_a_plan_adds_conditions_and_replaces_variants(world: World) -> None:
    flag = await world.flag("a", filters=variants(control=50, test=50))
    group = {"properties": [], "rollout_percentage": 10}
    added = {"operation": "add_release_condition", "value": {"groups": [group]}}
    shares = [{"key": "only", "rollout_percentage": 100}]
    replaced = {"operation": "update_variants", "value": {"variants": shares, "payloads": {"only": "1"}}}
    for payload in (added, replaced):
        await world.post(PLANS, plan(flag, world, payload), 201)
    world.clock.pass_(hours=2)
    filters = (await world.get(f"{flag['id']}/"))["filters"]
    assert filters["groups"][-1] == {**group, "aggregation_group_type_index": None}
    assert filters["multivariate"]["variants"] == shares
    assert filters["payloads"] == {"only": "1"}


async def test_failed_scheduled_change_keeps_its_reason(world: World) -> None:
    flag = await world.flag("a", active=False, archived=True)
    bad_groups = {"operation": "add_release_condition", "value": {"groups": [{"rollout_percentage": 101}]}}
    payloads = [{"operation": "update_status", "value": True}, {"operation": "burn"}, bad_groups]
    for payload in payloads:
        await world.post(PLANS, plan(flag, world, payload), 201)
    world.clock.pass_(hours=2)
    reasons = [change["failure_reason"] for change in (await world.get(PLANS))["results"]]
    assert reasons == [
        "Cannot enable an archived feature flag. Unarchive it first.",
        "Unrecognized operation: burn",
        "groups[0].rollout_percentage must be between 0 and 100, got 101",
    ]
    assert (await world.get(f"{flag['id']}/"))["version"] == 1


async def test_scheduled_condition_is_checked_like_an_update(world: World) -> None:
    flag = await world.flag("a")
    child = await world.flag("child", filters=asks_for(flag["id"]))
    added = (
        asks_for(child["id"]),
        asks_whether(key="id", type="cohort", operator="in", value=99),
        {"groups": [{"rollout_percentage": 10**400}]},
    )
    for value in added:
        payload = {"operation": "add_release_condition", "value": value}
        await world.post(PLANS, plan(flag, world, payload), 201)
    world.clock.pass_(hours=2)
    reasons = [change["failure_reason"] for change in (await world.get(PLANS))["results"]]
    assert reasons == [
        "Circular dependency detected: a → child → a",
        "Cohort with id 99 does not exist",
        f"groups[0].rollout_percentage must be between 0 and 100, got {10**400}",
    ]


async def test_scheduled_payload_is_stored_as_json_text(world: World) -> None:
    flag = await world.flag("a", filters=variants(a=100))
    value = {"variants": [{"key": "a", "rollout_percentage": 100}], "payloads": {"a": {"x": 1}}}
    await world.post(PLANS, plan(flag, world, {"operation": "update_variants", "value": value}), 201)
    world.clock.pass_(hours=2)
    assert (await world.get(f"{flag['id']}/"))["filters"]["payloads"] == {"a": '{"x": 1}'}


async def test_a_recurring_change_comes_again_until_its_end(world: World) -> None:
    flag = await world.flag("a")
    end = stamp(world.clock() + timedelta(days=1, hours=2))
    body = plan(flag, world, SWITCH_OFF, is_recurring=True, recurrence_interval="daily", end_date=end)
    planned = await world.post(PLANS, body, 201)
    world.clock.pass_(hours=2)
    first = await world.get(f"{PLANS}{planned['id']}/")
    assert (first["executed_at"], first["last_executed_at"] is not None) == (None, True)
    assert first["scheduled_at"] > planned["scheduled_at"]
    await world.post(f"{flag['id']}/enable/")
    world.clock.pass_(days=1)
    assert (await world.get(f"{flag['id']}/"))["active"] is False
    assert (await world.get(f"{PLANS}{planned['id']}/"))["executed_at"] is not None


RECURRENCES: list[tuple[Any, str, str]] = [
    ({"is_recurring": True}, "recurrence_interval",
     "Either recurrence_interval or cron_expression is required when is_recurring is true."),
    ({"is_recurring": True, "recurrence_interval": "daily", "cron_expression": "0 0 * * *"},
     "cron_expression", "Cannot set both cron_expression and recurrence_interval. Use one or the other."),
    (
        {"is_recurring": True, "cron_expression": "0 0 * *"},
        "cron_expression",
        "Only standard 5-field cron expressions are supported (minute hour day month weekday). "
        "Example: '0 9 * * 1-5'.",
    ),
    ({"is_recurring": True, "cron_expression": "99 0 * * *"}, "cron_expression",
     "Invalid cron expression. Use standard 5-field cron syntax (e.g., '0 9 * * 1-5')."),
    ({"cron_expression": "0 0 * * *"}, "cron_expression",
     "Cannot set cron_expression when is_recurring is false for new schedules."),
    ({"recurrence_interval": "daily"}, "recurrence_interval",
     "Cannot set recurrence_interval when is_recurring is false for new schedules."),
    (
        {
            "is_recurring": True,
            "recurrence_interval": "daily",
            "payload": {"operation": "add_release_condition", "value": {"groups": []}},
        },
        "payload",
        "Recurring schedules are not supported for add_release_condition because it appends "
        "conditions on each run, creating duplicates.",
    ),
    ({"end_date": "2020-01-01T00:00:00Z"}, "end_date", "End date must be after the scheduled start date."),
]  # fmt: skip


async def test_plans_and_recurrences_must_make_sense(world: World) -> None:
    flag = await world.flag("a")
    for fields, attr, detail in RECURRENCES:
        refusal = await world.refused("POST", PLANS, {**plan(flag, world, SWITCH_OFF), **fields})
        assert (refusal.status, refusal.attr, refusal.detail) == (400, attr, detail)
    for fields, attr in SENSELESS:
        refusal = await world.refused("POST", PLANS, {**plan(flag, world, SWITCH_OFF), **fields})
        assert (refusal.status, refusal.attr) == (400, attr)
    world.write("UPDATE projects SET timezone = 'Europe/Berlin' WHERE id = 1")
    planned = await world.post(PLANS, plan(flag, world, SWITCH_OFF, timezone="Asia/Tokyo"), 201)
    assert planned["timezone"] == "Europe/Berlin"


async def test_a_paused_recurrence_keeps_its_pattern(world: World) -> None:
    flag = await world.flag("a")
    body = plan(flag, world, SWITCH_OFF, is_recurring=True, recurrence_interval="daily")
    planned = await world.post(PLANS, body, 201)
    paused = await world.patch(f"{PLANS}{planned['id']}/", {"is_recurring": False})
    assert (paused["is_recurring"], paused["recurrence_interval"]) == (False, "daily")
    world.clock.pass_(days=2)
    assert (await world.get(f"{flag['id']}/"))["active"] is True
    await world.patch(f"{PLANS}{planned['id']}/", {"is_recurring": True})
    assert (await world.get(f"{flag['id']}/"))["active"] is False


SENSELESS: list[tuple[Any, str]] = [
    ({"recurrence_interval": "hourly"}, "recurrence_interval"),
    ({"scheduled_at": "tomorrow"}, "scheduled_at"),
    ({"payload": None}, "payload"),
]


async def test_a_service_catches_up_at_its_start(start_world: Start, tmp_path: Path) -> None:
    async with starting(tmp_path / "kept.db") as world:
        flag = await world.flag("a")
        await world.post(PLANS, plan(flag, world, SWITCH_OFF), 201)
    async with starting(tmp_path / "kept.db", clock=lambda: datetime(2026, 3, 11, tzinfo=UTC)) as later:
        assert later.rows("SELECT active FROM flags") == [{"active": 0}]


MOMENT = datetime(2026, 1, 31, 12, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("* * * * *", "2026-01-31T12:31"),
        ("*/20 * * * *", "2026-01-31T12:40"),
        ("0 9 * * 1-5", "2026-02-02T09:00"),
        ("0 0 1,15 * *", "2026-02-01T00:00"),
        ("15 3 29 2 *", "2028-02-29T03:15"),
        ("0 12 * * 0", "2026-02-01T12:00"),
        ("0 12 * * 7", "2026-02-01T12:00"),
        ("0 0 13 * 5", "2026-02-06T00:00"),
        ("15/20 * * * *", "2026-01-31T12:35"),
        ("0 9 * * MON-fri", "2026-02-02T09:00"),
        ("0 9 1 Mar *", "2026-03-01T09:00"),
    ],
)
def test_a_cron_expression_names_the_next_minute(expression: str, expected: str) -> None:
    assert next_by_cron(MOMENT, expression, UTC).isoformat().startswith(expected)


def test_cron_goes_on_in_the_hour_that_comes_twice() -> None:
    second_half_past_one = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    following = next_by_cron(second_half_past_one, "45 * * * *", ZoneInfo("America/New_York"))
    assert following == datetime(2026, 11, 1, 7, 45, tzinfo=UTC)


@pytest.mark.parametrize(
    "expression",
    ["", "* * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "0 0 31 2 *", "0 0 * mon *", "-5 * * * *",
     "5- * * * *", "*/ * * * *"],
)  # fmt: skip
def test_a_cron_expression_that_never_comes_is_refused(expression: str) -> None:
    with pytest.raises(BadCron):
        next_by_cron(MOMENT, expression, UTC)


@pytest.mark.parametrize(
    ("interval", "expected"),
    [("daily", "2026-02-01"), ("weekly", "2026-02-07"), ("monthly", "2026-02-28"), ("yearly", "2027-01-31")],
)
def test_an_interval_keeps_to_the_calendar(interval: str, expected: str) -> None:
    assert next_by_interval(MOMENT, interval).isoformat().startswith(expected)
