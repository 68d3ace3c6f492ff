"""Scheduled changes under a policy: each waits for its own request."""

from typing import Any

import pytest
from tests.doubles.service_world import PLANS, released
from tests.service.approvals.conftest import LEAST, REQUESTS, Office

MORE = {"operation": "add_release_condition", "value": released(50)}


async def requests(office: Office) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await office.ada.get(REQUESTS))["results"]
    return listed


async def newest(office: Office) -> str:
    """The path of the newest request."""
    return f"{REQUESTS}{(await requests(office))[0]['id']}/"


LATE = "The change was not approved before its scheduled time."


@pytest.mark.parametrize(("decision", "state", "is_on", "reason"), [
    ("approve/", "applied", False, None),
    ("reject/", "rejected", True, LATE),
    ("", "expired", True, LATE),
])  # fmt: skip
async def test_scheduled_change_is_applied_only_if_approved(
    office: Office, decision: str, state: str, is_on: bool, reason: str | None
) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    planned = await office.ada.plan(flag)
    request = await newest(office)
    if decision:
        decided = await office.grace.post(request + decision, {"reason": "so"})
        assert decided["change_request"]["state"] in ("approved", "rejected")
    assert await office.is_on(flag) is True
    office.ada.clock.pass_(hours=1)
    assert await office.is_on(flag) is is_on
    assert await office.state(request) == state
    done = await office.ada.get(f"{PLANS}{planned['id']}/")
    assert (done["executed_at"] is not None, done["failure_reason"]) == (True, reason)
    trigger = (await office.ada.latest(flag["id"]))["detail"]["trigger"]
    assert (trigger is None) is is_on


async def test_a_ramp_cannot_be_scheduled_under_a_policy(office: Office) -> None:
    flag = await office.ada.flag("a", filters=LEAST)
    await office.ada.plan(flag, MORE)
    office.cover("update")
    await office.ada.plan(flag, MORE)
    refusal = await office.ada.post(PLANS, office.ada.planned(flag, MORE), 409)
    assert refusal["code"] == "change_request_pending"
    await office.ada.plan(flag)
    assert ((await office.ada.get(PLANS))["count"], len(await requests(office))) == (3, 1)


async def test_change_without_a_request_fails_under_a_policy(office: Office) -> None:
    flag = await office.ada.flag("a", active=False)
    await office.ada.plan(flag, is_recurring=True, recurrence_interval="daily")
    office.cover("disable")
    await office.ada.change(flag, active=True)
    office.ada.clock.pass_(hours=1)
    assert await office.is_on(flag) is True
    (planned,) = (await office.ada.get(PLANS))["results"]
    assert planned["failure_reason"].startswith("The change needs approval, and no request was made")
    assert [request["state"] for request in await requests(office)] == ["pending"]


async def test_an_approval_covers_the_version_it_was_made_for(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    planned = await office.ada.plan(flag)
    await office.approve(await newest(office))
    await office.ada.change(flag, name="changed since")
    office.ada.clock.pass_(hours=1)
    assert await office.is_on(flag) is True
    done = await office.ada.get(f"{PLANS}{planned['id']}/")
    assert done["failure_reason"] == "Flag version mismatch: expected 1, got 2"


async def test_a_request_ends_with_its_schedule(office: Office) -> None:
    flag = await office.ada.flag("a", filters=LEAST)
    office.cover("disable", "update")
    path = f"{PLANS}{(await office.ada.plan(flag))['id']}/"
    await office.ada.patch(path, {"payload": MORE})
    states = [(request["action_key"], request["state"]) for request in await requests(office)]
    assert states == [("feature_flag.update", "pending"), ("feature_flag.disable", "expired")]
    await office.ada.ask("DELETE", path)
    assert [request["state"] for request in await requests(office)] == ["expired", "expired"]


async def test_each_time_of_a_recurring_change_asks_again(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    await office.ada.plan(flag, is_recurring=True, recurrence_interval="daily")
    office.ada.clock.pass_(hours=2)
    assert [request["state"] for request in await requests(office)] == ["pending", "expired"]
    await office.approve(await newest(office))
    office.ada.clock.pass_(days=1)
    assert await office.is_on(flag) is False


async def test_time_under_an_open_request_stays_until_it_is_rejected(office: Office) -> None:
    office.cover("disable")
    moved, ended = {"scheduled_at": "2026-03-10T12:30:00Z"}, {"end_date": "2027-01-01T00:00:00Z"}

    async def check_fixed(planned: Any, request: str, state: str) -> None:
        path, words = f"{PLANS}{planned['id']}/", "Cannot change the timing of a scheduled change while…"
        assert await office.state(request) == state
        for attr, value in {**moved, **ended}.items():
            await office.ada.refuses("PATCH", path, {attr: value}, status=400, attr=attr, detail=words)
        await office.ada.patch(path, {"scheduled_at": planned["scheduled_at"]})

    approved = await office.ada.plan(await office.ada.flag("a"))
    await check_fixed(approved, first := await newest(office), "pending")
    await office.approve(first)
    await check_fixed(approved, first, "approved")
    rejected = await office.ada.plan(await office.ada.flag("b"))
    await office.grace.post(f"{await newest(office)}reject/", {"reason": "no"})
    free = await office.ada.patch(f"{PLANS}{rejected['id']}/", moved)
    assert free["scheduled_at"] == moved["scheduled_at"]
