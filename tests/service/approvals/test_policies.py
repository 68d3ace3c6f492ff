"""Approval policies: who may write them, what each field means, and which changes they cover."""

from datetime import timedelta
from typing import Any

import pytest
from tests.doubles.service_world import World, released
from tests.service.approvals.conftest import LEAST, Office

from flagtui.service.flags.approval_policies import read_duration, shown_duration

POLICIES = "/api/projects/1/approval_policies/"
CONFIG: dict[str, Any] = {"quorum": 1, "users": [2]}
BODY: dict[str, Any] = {"action_key": "feature_flag.update", "approver_config": CONFIG}
ROLE = "018f3c6d-0000-7000-8000-000000000001"


def add_role(world: World, *members: int, organization: str | None = None) -> None:
    place = world.rows("SELECT id FROM organizations")[0]["id"] if organization is None else organization
    world.write("INSERT INTO roles VALUES (?, ?, 'Reviewers')", ROLE, place)
    for member in members:
        world.write("INSERT INTO role_members VALUES (?, ?)", ROLE, member)


async def test_new_policy_has_every_field(office: Office) -> None:
    made = await office.ada.post(POLICIES, BODY, 201)
    assert {name: made[name] for name in made if name not in ("id", "created_by", "created_at")} == {
        **BODY,
        **{"conditions": {}, "allow_self_approve": False, "bypass_org_membership_levels": []},
        **{"bypass_roles": [], "expires_after": "14 00:00:00", "enabled": True},
        "updated_at": made["created_at"],
    }
    assert made["created_by"]["id"] == 1
    assert await office.grace.get(f"{POLICIES}{made['id']}/") == made
    assert (await office.grace.get(POLICIES))["results"] == [made]


async def test_only_administrators_write_policies(office: Office) -> None:
    policy = f"{POLICIES}{(await office.ada.post(POLICIES, BODY, 201))['id']}/"
    detail = "Your organization access level is insufficient."
    for method, path in (("POST", POLICIES), ("PATCH", policy), ("DELETE", policy)):
        await office.grace.refuses(method, path, BODY, status=403, detail=detail)
    assert (await office.ada.ask("DELETE", policy)).status_code == 204
    await office.ada.refuses("GET", policy, status=404)
    assert (await office.ada.get(POLICIES))["count"] == 0


async def test_deleted_policy_keeps_its_requests(office: Office) -> None:
    made = await office.ada.post(POLICIES, {**BODY, "action_key": "feature_flag.disable"}, 201)
    flag = await office.ada.flag("a")
    request = await office.request(flag, active=False)
    await office.ada.ask("DELETE", f"{POLICIES}{made['id']}/")
    assert (await office.approve(request))["status"] == "applied"
    await office.ada.change(flag, active=True)
    await office.ada.change(flag, active=False)
    await office.ada.post(POLICIES, {**BODY, "action_key": "feature_flag.disable"}, 201)


async def test_second_policy_on_an_action_is_refused(office: Office) -> None:
    made = await office.ada.post(POLICIES, BODY, 201)
    other = await office.ada.post(POLICIES, {**BODY, "action_key": "feature_flag.enable"}, 201)
    detail = "A policy for this action already exists.…"
    for method, path in (("POST", POLICIES), ("PATCH", f"{POLICIES}{other['id']}/")):
        await office.ada.refuses(method, path, BODY, status=400, attr=None, detail=detail)
    await office.ada.patch(f"{POLICIES}{made['id']}/", BODY)
    listed = await office.ada.get(POLICIES, action_key=BODY["action_key"])
    assert [policy["id"] for policy in listed["results"]] == [made["id"]]
    assert (await office.ada.get(POLICIES, enabled="false"))["count"] == 0


LEVELS = "bypass_org_membership_levels"
INVALID: list[tuple[dict[str, Any], str, str]] = [
    ({"action_key": ""}, "blank", "action_key"),
    ({"action_key": None}, "null", "action_key"),
    ({"action_key": "a" * 129}, "max_length", "action_key"),
    ({"approver_config": []}, "not_a_dict", "approver_config"),
    ({"approver_config": None}, "null", "approver_config"),
    ({"approver_config": {"users": [1]}}, "invalid_input", "approver_config"),
    ({"approver_config": {"quorum": 0}}, "invalid_input", "approver_config"),
    ({"approver_config": {"quorum": True}}, "invalid_input", "approver_config"),
    ({"approver_config": {"quorum": 1, "users": "1"}}, "invalid_input", "approver_config"),
    ({"approver_config": {"quorum": 1, "users": [{}]}}, "invalid_input", "approver_config"),
    ({"approver_config": {"quorum": 1, "roles": [1]}}, "invalid_input", "approver_config"),
    ({"conditions": "all"}, "not_a_dict", "conditions"),
    ({"allow_self_approve": "maybe"}, "invalid_input", "allow_self_approve"),
    ({LEVELS: ["owner"]}, "invalid_input", LEVELS),
    ({LEVELS: 8}, "not_a_list", LEVELS),
    ({"bypass_roles": ["x"]}, "invalid_input", "bypass_roles__0"),
    ({"bypass_roles": [ROLE]}, "invalid_input", "bypass_roles"),
    ({"expires_after": "soon"}, "invalid_input", "expires_after"),
    ({"expires_after": "99999999999 00:00:00"}, "invalid_input", "expires_after"),
    ({"enabled": None}, "null", "enabled"),
]


async def test_invalid_policy_is_refused(office: Office) -> None:
    made = await office.ada.post(POLICIES, BODY, 201)
    for changes, code, attr in INVALID:
        for method, path, base in (("POST", POLICIES, BODY), ("PATCH", f"{POLICIES}{made['id']}/", {})):
            body = {**base, **changes}
            await office.ada.refuses(method, path, body, status=400, code=code, attr=attr)
    for body, attr in (({}, "action_key"), ({"action_key": "a"}, "approver_config")):
        await office.ada.refuses("POST", POLICIES, body, code="required", attr=attr)


async def test_roles_approve_and_exempt(office: Office) -> None:
    add_role(office.ada, office.id_of(office.heidi))
    config = {"quorum": 1, "users": [], "roles": [ROLE]}
    flag = await office.ada.flag("a", filters=LEAST)
    made = await office.ada.post(POLICIES, {**BODY, "approver_config": config}, 201)
    request = await office.request(flag, filters=released(20))
    assert (await office.grace.get(request))["can_approve"] is False
    detail = "You are not in the approver set for this change request"
    await office.grace.refuses("POST", f"{request}approve/", detail=detail)
    assert (await office.heidi.post(f"{request}approve/"))["status"] == "applied"
    await office.ada.patch(f"{POLICIES}{made['id']}/", {"bypass_roles": [ROLE]})
    await office.heidi.change(flag, filters=released(30))
    await office.ada.patch(f"{flag['id']}/", {"filters": released(40)}, 409)


async def test_role_of_another_organization_is_refused(office: Office) -> None:
    office.ada.write("INSERT INTO organizations (id, name, slug, created_at) VALUES ('o', 'O', 'o', '')")
    add_role(office.ada, organization="o")
    detail = "Roles must belong to the same organization: Reviewers"
    await office.ada.refuses("POST", POLICIES, {**BODY, "bypass_roles": [ROLE]}, detail=detail)


async def test_membership_level_exempts(office: Office) -> None:
    await office.ada.post(POLICIES, {**BODY, LEVELS: ["15"]}, 201)
    flag = await office.ada.flag("a", filters=LEAST)
    await office.ada.change(flag, filters=released(20))
    await office.grace.patch(f"{flag['id']}/", {"filters": released(30)}, 409)


BEFORE_AFTER, AMOUNT = {"type": "before_after"}, {"type": "change_amount"}
CONDITIONS: list[tuple[dict[str, Any], float | None, int]] = [
    ({**BEFORE_AFTER, "operator": ">", "value": 50}, 50, 200),
    ({**BEFORE_AFTER, "operator": ">", "value": 50}, 51, 409),
    ({**BEFORE_AFTER, "operator": ">", "value": 50}, None, 409),
    ({**BEFORE_AFTER, "operator": "==", "value": 50}, 50, 409),
    ({**BEFORE_AFTER, "operator": "!=", "value": 50}, 50, 200),
    ({**BEFORE_AFTER, "operator": ">", "value": "50"}, 99, 200),
    ({**BEFORE_AFTER, "operator": "like", "value": 50}, 20, 409),
    ({**AMOUNT, "operator": ">=", "value": 20}, 29, 200),
    ({**AMOUNT, "operator": ">=", "value": 20}, 30, 409),
    ({**AMOUNT, "operator": "<", "value": 0}, 5, 409),
    ({**AMOUNT, "operator": "<", "value": 0}, 15, 200),
    ({"type": "any_change"}, 11, 409),
    ({"type": "any_change", "field": "exclusion_percentage"}, 40, 200),
    ({"type": "unheard of"}, 11, 409),
]
"""A condition, a new share where the old one is 10 %, and whether that change waits (409)."""


@pytest.mark.parametrize(("conditions", "percentage", "status"), CONDITIONS)
async def test_conditions_decide_which_changes_wait(
    office: Office, conditions: dict[str, Any], percentage: float | None, status: int
) -> None:
    conditions = {"field": "rollout_percentage", **conditions}
    flag = await office.ada.flag("a", filters=LEAST)
    await office.ada.post(POLICIES, {**BODY, "conditions": conditions}, 201)
    await office.ada.patch(f"{flag['id']}/", {"filters": released(percentage)}, status)


async def test_policy_of_the_project_replaces_the_organizations(office: Office) -> None:
    flag = await office.ada.flag("a", filters=LEAST)
    office.cover("update")
    own = {**BODY, "approver_config": {"quorum": 1, "users": [4]}, "expires_after": 3600}
    made = await office.ada.post(POLICIES, own, 201)
    request = await office.request(flag, filters=released(20))
    assert (await office.ivan.get(request))["can_approve"] is True
    office.ada.clock.pass_(hours=1)
    assert await office.state(request) == "expired"
    assert (await office.ada.get(POLICIES))["count"] == 2
    elsewhere = f"/api/projects/{office.ada.add_project()}/approval_policies/"
    assert (await office.ada.get(elsewhere))["count"] == 1
    await office.ada.refuses("GET", f"{elsewhere}{made['id']}/", status=404)


@pytest.mark.parametrize(("text", "seconds"), [
    ("14 00:00:00", 14 * 86_400),
    ("3600", 3_600),
    ("1:30", 90),
    ("2 days, 00:00:01", 172_801),
    ("01:00:00.5", 3_600),
    ("0", None),
    ("-1", None),
    ("40000 00:00:00", None),
    ("", None),
    ("1 day", None),
])  # fmt: skip
def test_durations_are_read_and_shown(text: str, seconds: int | None) -> None:
    duration = read_duration(text)
    assert duration == (None if seconds is None else timedelta(seconds=seconds))
    assert duration is None or read_duration(shown_duration(duration)) == duration
