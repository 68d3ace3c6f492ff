"""Scheduled changes and their moments as people write them; records that are made beside a flag."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.api import Client
from flagtui.changes.journal_entries import Entry
from flagtui.changes.related.creation import RelatedPlan, What, made_beside
from flagtui.changes.related.schedules import (
    Later,
    dropping,
    kept_of,
    plan_switch_later,
    raising,
    read_moment,
    refuse_undo_of_schedule,
    switching,
    why_not_dropped,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import FlagKey, ScheduledChange

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(("text", "moment"), [
    ("+2h", "2026-03-02T11:00:00+00:00"),
    ("3d", "2026-03-05T09:00:00+00:00"),
    ("90 min", "2026-03-02T10:30:00+00:00"),
    ("+2h30m", "2026-03-02T11:30:00+00:00"),
    ("+1d 2h", "2026-03-03T11:00:00+00:00"),
    ("tomorrow 09:00", "2026-03-03T09:00:00+00:00"),
    ("Tomorrow  9:00", "2026-03-03T09:00:00+00:00"),
    ("10:15", "2026-03-02T10:15:00+00:00"),
    ("08:00", "2026-03-03T08:00:00+00:00"),
    ("2026-03-05 09:00", "2026-03-05T09:00:00+00:00"),
    ("2026-03-05T09:00+02:00", "2026-03-05T09:00:00+02:00"),
])  # fmt: skip
def test_moment_is_in_the_users_time_zone_by_default(text: str, moment: str) -> None:
    assert read_moment(text, NOW) == datetime.fromisoformat(moment).timestamp()


NO_MOMENTS = (
    *("", "soon", "25:00", "2020-01-01 00:00", "2026-13-01", "yesterday 09:00", "tomorrow", "tomorrow 25:00"),
    *("+", "+5y", "+2h30"),
)


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_what_is_no_moment_to_come_is_said(text: str) -> None:
    assert isinstance(read_moment(text, NOW), str)
    for past in ("2026-03-02 08:59", "today 08:59"):
        assert read_moment(past, NOW) == "that time has passed"


AT = datetime(2026, 3, 5, 9, 0, tzinfo=UTC)
GERMANS = {"key": "country", "value": ["DE"], "operator": "exact", "type": "person"}


def flag(*groups: dict[str, Any], **filters: Any) -> Flag:
    return Flag.of({"id": 1, "key": "a", "active": True, "filters": {"groups": list(groups), **filters}})


def test_raised_rollout_keeps_the_users_of_its_condition() -> None:
    group = {"properties": [GERMANS], "rollout_percentage": 25, "variant": "test"}
    later = expect(raising(flag({"properties": []}, group), 1, 50, AT), Later)
    assert later.payload["value"] == {"groups": [{**group, "rollout_percentage": 50}]}


@pytest.mark.parametrize(("stored", "place", "share"), [
    (flag(), 0, 50),
    (flag({"rollout_percentage": 100}), 0, 100),
    (flag({"rollout_percentage": 60}), 0, 50),
    (flag({"rollout_percentage": 60}), 1, 80),
    (flag({"rollout_percentage": 60}, early_exit=True), 0, 80),
    (flag({"properties": [GERMANS], "rollout_percentage": 60}, early_exit=True), 0, 80),
])  # fmt: skip
def test_rollout_that_cannot_rise_is_refused(stored: Flag, place: int, share: float) -> None:
    assert isinstance(raising(stored, place, share, AT), Blocked)


@pytest.mark.parametrize(("groups", "advice"), [(1, "use condition 1"), (2, "use a condition from 1 to 2")])
def test_missing_condition_names_those_there_are(groups: int, advice: str) -> None:
    refused = expect(raising(flag(*[{"rollout_percentage": 60}] * groups), 4, 80, AT), Blocked)
    assert (refused.reason, refused.next) == ("it has no condition 5", advice)


@pytest.mark.parametrize(
    ("is_on", "obstacles"),
    [(True, ["it depends on b, which is off", "it is archived"]), (False, ["c depends on it and is on"])],
)
async def test_scheduled_switch_warns_of_a_later_refusal(is_on: bool, obstacles: list[str]) -> None:
    async def get(id: int) -> Flag:
        return Flag.of({"id": id, "key": "b", "active": False})

    async def dependents(_id: int) -> tuple[FlagKey, ...]:
        return (FlagKey(id=3, key="c"),)

    client: Any = SimpleNamespace(flags=SimpleNamespace(get=get, dependents=dependents))
    needs = {"key": "2", "type": "flag", "value": True, "operator": "flag_evaluates_to"}
    stored = Flag.of({**flag({"properties": [needs]}).raw, "active": not is_on, "archived": is_on})
    plan = expect(await plan_switch_later(switching(is_on, AT), stored, client), RelatedPlan)
    refused = "the server refuses the change if that is still so then"
    assert [caution.text for caution in plan.cautions] == [f"{why}; {refused}" for why in obstacles]


@pytest.mark.parametrize("is_recurring", [True, False])
def test_a_dropped_pause_is_not_scheduled_again(is_recurring: bool) -> None:
    schedule = ScheduledChange.of({
        **{"id": 5, "record_id": "1", "payload": {"operation": "update_status", "value": False}},
        **{"scheduled_at": "2026-03-05T09:00:00Z", "is_recurring": is_recurring},
        "recurrence_interval": "daily",
    })  # fmt: skip
    refusal = refuse_undo_of_schedule(Entry(before=kept_of(dropping(schedule, "turned off"))))
    assert (refusal is None) is is_recurring
    assert refusal is None or refusal.reason.startswith("it was paused")


def test_schedule_without_a_time_is_not_dropped() -> None:
    timeless = ScheduledChange.of({"id": 5, "payload": {}, "scheduled_at": None})
    refusal = expect(why_not_dropped(timeless), Blocked)
    assert refusal.reason == "its time is not known, and undo could not set it again"


def test_schedule_without_its_payload_is_not_undone() -> None:
    refusal = expect(refuse_undo_of_schedule(Entry(before={"id": 5})), Blocked)
    expected = ("the previous value was not recorded", "schedule it again, or drop it")
    assert (refusal.reason, refusal.next) == expected


@pytest.mark.parametrize(("what", "fields", "refusal"), [
    ("cohort", {"deleted": True}, ("it is deleted", "restore it first")),
    ("dashboard", {"usage_dashboard": 4}, ("it has usage dashboard #4 already", "")),
    ("enrich", {}, ("it has no usage dashboard", "make one first")),
    ("enrich", {"usage_dashboard": 4}, ("its program sends no enriched data for it", "")),
])  # fmt: skip
async def test_record_that_cannot_be_made_is_refused_with_a_reason(
    what: What, fields: dict[str, Any], refusal: tuple[str, str]
) -> None:
    client = Client("http://127.0.0.1:1", "phx_key", 1)
    blocked = expect(await made_beside(what, Flag.of(raw_flag(**fields)), client), Blocked)
    assert (blocked.reason, blocked.next) == refusal
