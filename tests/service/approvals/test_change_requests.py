"""Change requests: what waits, who decides, and what is applied in whose name."""

from typing import Any

import pytest
from tests.doubles.service_world import Start, World, asks_for, variants
from tests.service.approvals.conftest import LEAST, REQUESTS, Office

GATED: list[tuple[dict[str, Any], str | None]] = [
    ({"active": False}, "feature_flag.disable"),
    ({"active": False, "archived": True}, "feature_flag.disable"),
    ({"filters": {"groups": [{"properties": [], "rollout_percentage": 20}]}}, "feature_flag.update"),
    ({"filters": {"groups": [*LEAST["groups"], {"properties": []}]}}, "feature_flag.update"),
    ({"filters": {"holdout": {"id": 1, "exclusion_percentage": 5}}}, "feature_flag.update"),
    ({"filters": variants(a=50, b=50)}, "feature_flag.update"),
    ({"name": "free"}, None),
    ({"tags": ["free"], "filters": {"payloads": {"true": "1"}}}, None),
]


@pytest.mark.parametrize(("changes", "action"), GATED)
async def test_policies_cover_switches_and_shares_only(
    office: Office, changes: dict[str, Any], action: str | None
) -> None:
    flag = await office.ada.flag("a", filters=LEAST)
    office.cover("enable", "disable", "update")
    if action is None:
        await office.ada.patch(f"{flag['id']}/", changes)
        return
    request = await office.ada.get(f"{REQUESTS}{await office.request(flag, **changes)}/")
    assert (request["action_key"], request["state"]) == (action, "pending")
    assert request["intent"]["full_request_data"].keys() == changes.keys()


async def test_a_new_flag_that_is_on_needs_approval(office: Office) -> None:
    office.cover("enable")
    response = await office.ada.post("", {"key": "on", "has_encrypted_payloads": None}, 409)
    await office.ada.post("", {"key": "off", "active": False}, 201)
    assert response["resource_id"] is None
    decided = await office.grace.post(f"{REQUESTS}{response['change_request_id']}/approve/")
    made = await office.ada.get(f"{decided['result']['resource_id']}/")
    assert (made["key"], made["created_by"]["id"]) == ("on", 1)


async def test_a_change_under_two_policies_must_be_split(office: Office) -> None:
    flag = await office.ada.flag("a", active=False, filters=LEAST)
    office.cover("enable", "update")
    body = {"active": True, "filters": variants(a=100)}
    response = await office.ada.patch(f"{flag['id']}/", body, 400)
    assert (response["code"], len(response["conflicting_policies"])) == ("policy_conflict", 2)


async def test_approval_applies_the_whole_body_as_its_requester(office: Office) -> None:
    flag = await office.ada.flag("a", active=False)
    office.cover("enable")
    request = await office.request(flag, active=True, name="beside", tags=["beside"])
    waiting = await office.grace.get(f"{REQUESTS}{request}/")
    assert waiting["intent_display"]["description"] == "Enable feature flag 'a'"
    assert waiting["intent_display"]["before"] == {"active": False}
    assert (waiting["can_approve"], waiting["can_cancel"], waiting["is_requester"]) == (True, False, False)
    assert waiting["expires_at"][:10] == "2026-03-24"
    decided = await office.grace.post(f"{REQUESTS}{request}/approve/", {"reason": "fine"})
    assert (decided["status"], decided["result"]) == (
        "applied",
        {"resource_id": flag["id"], "resource_version": 2},
    )
    shown = decided["change_request"]
    assert (shown["state"], shown["applied_by"]["id"], shown["user_decision"]) == ("applied", 1, "approved")
    assert [(vote["reason"], vote["created_by"]["email"]) for vote in shown["approvals"]] == [
        ("fine", "grace@acme.test")
    ]
    changed = await office.ada.get(f"{flag['id']}/")
    assert (changed["active"], changed["name"], changed["tags"]) == (True, "beside", ["beside"])
    assert changed["last_modified_by"]["id"] == 1
    assert (await office.ada.latest(flag["id"]))["user"]["email"] == "owner@localhost.test"


async def test_a_quorum_of_two_needs_two_votes(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable", quorum=2)
    path = f"{REQUESTS}{await office.request(flag, active=False)}/"
    first = await office.grace.post(f"{path}approve/")
    assert (first["status"], first["change_request"]["state"]) == ("approved", "pending")
    assert first["message"] == "Approval recorded. 1/2 approvals received."
    again = await office.grace.ask("POST", f"{path}approve/")
    assert (again.status_code, again.json()) == (
        400,
        {"error": "You have already voted on this change request."},
    )
    assert (await office.ada.ask("POST", f"{path}cancel/")).status_code == 403
    assert (await office.heidi.post(f"{path}approve/"))["status"] == "applied"
    assert (await office.ada.get(f"{flag['id']}/"))["active"] is False


async def test_only_approvers_decide_and_only_while_pending(office: Office) -> None:
    office.cover("disable")
    path = f"{REQUESTS}{await office.request(await office.ada.flag('a'), active=False)}/"
    for member, detail in (
        (office.ada, "You cannot approve your own change request"),
        (office.ivan, "You are not in the approver set for this change request"),
    ):
        refusal = await member.refused("POST", f"{path}approve/")
        assert (refusal.status, refusal.detail) == (403, detail)
    response = await office.grace.ask("POST", f"{path}reject/")
    assert (response.status_code, response.json()) == (400, {"error": "A reason is required for rejection."})
    decided = await office.grace.post(f"{path}reject/", {"reason": "no"})
    assert (decided["status"], decided["change_request"]["state"]) == ("rejected", "rejected")
    refusal = await office.heidi.refused("POST", f"{path}approve/")
    assert refusal.detail == "Only pending change requests can be approved"
    assert (await office.ada.refused("GET", f"{REQUESTS}nothing/")).status == 404


async def test_a_cancelled_request_is_rejected_by_its_author(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable", quorum=2)
    path = f"{REQUESTS}{await office.request(flag, active=False)}/"
    await office.grace.post(f"{path}approve/")
    await office.ada.patch(f"{flag['id']}/", {"name": "changed since"})
    stale = await office.ada.get(path)
    assert (stale["validation_status"], stale["can_cancel"]) == ("stale", True)
    assert (await office.grace.refused("POST", f"{path}cancel/")).status == 403
    decided = await office.ada.post(f"{path}cancel/")
    shown = decided["change_request"]
    assert (decided["status"], shown["state"], shown["user_decision"]) == ("canceled", "rejected", "rejected")
    assert shown["approvals"][-1]["reason"] == "Canceled by requester"
    await office.request(flag, active=False)


async def test_a_change_since_the_request_fails_the_approval(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    request = await office.request(flag, active=False)
    await office.ada.patch(f"{flag['id']}/", {"name": "changed since"})
    decided = await office.grace.post(f"{REQUESTS}{request}/approve/")
    shown = decided["change_request"]
    assert (decided["status"], shown["state"]) == ("failed", "failed")
    assert shown["apply_error"] == "Flag version mismatch: expected 1, got 2"
    assert (await office.ada.get(f"{flag['id']}/"))["active"] is True
    await office.request(flag, active=False)


async def test_key_is_taken_when_its_request_is_approved(office: Office) -> None:
    gone, flag = await office.ada.flag("b"), await office.ada.flag("a")
    await office.ada.patch(f"{gone['id']}/", {"deleted": True})
    office.cover("disable")
    first = await office.request(flag, key="b", active=False)
    assert (await office.ada.get(f"{gone['id']}/"))["deleted"] is True
    await office.ada.flag("b")
    decided = await office.grace.post(f"{REQUESTS}{first}/approve/")
    assert decided["change_request"]["apply_error"] == "There is already a feature flag with this key."
    second = await office.request(flag, key="c", active=False)
    assert (await office.grace.post(f"{REQUESTS}{second}/approve/"))["status"] == "applied"


async def test_new_flag_is_checked_again_when_approved(office: Office) -> None:
    base = await office.ada.flag("base")
    office.cover("enable")
    bodies = ({"key": "a", "filters": LEAST}, {"key": "b", "filters": asks_for(base["id"])})
    requests = [(await office.ada.post("", body, 409))["change_request_id"] for body in bodies]
    await office.ada.flag("a", active=False)
    await office.ada.patch(f"{base['id']}/", {"deleted": True})
    taken = "There is already a feature flag with this key."
    gone = f"Flag dependency references non-existent flag with ID {base['id']}"
    for request, reason in zip(requests, (taken, gone), strict=True):
        decided = await office.grace.post(f"{REQUESTS}{request}/approve/")
        assert (decided["status"], decided["change_request"]["apply_error"]) == ("failed", reason)


async def test_a_request_expires_after_two_weeks(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    request = await office.request(flag, active=False)
    office.ada.clock.pass_(days=13, hours=23)
    assert (await office.ada.patch(f"{flag['id']}/", {"active": False}, 409))[
        "code"
    ] == "change_request_pending"
    office.ada.clock.pass_(hours=1)
    assert (await office.ada.get(f"{REQUESTS}{request}/"))["state"] == "expired"
    assert (await office.grace.refused("POST", f"{REQUESTS}{request}/approve/")).status == 403
    await office.request(flag, active=False)


async def test_lists_are_filtered_and_newest_first(office: Office) -> None:
    office.cover("disable")
    flags = [await office.ada.flag(key) for key in ("a", "b")]
    first, second = [await office.request(flag, active=False) for flag in flags]
    await office.grace.post(f"{REQUESTS}{first}/reject/", {"reason": "no"})
    for query, ids in (
        ({}, [second, first]),
        ({"limit": "1"}, [second]),
        ({"state": "pending,approved"}, [second]),
        ({"state": "rejected"}, [first]),
        ({"state": "expired"}, []),
        ({"action_key": "feature_flag.enable"}, []),
        ({"requester": "1"}, [second, first]),
        ({"requester": "2"}, []),
        ({"resource_type": "feature_flag", "resource_id": str(flags[0]["id"])}, [first]),
    ):
        assert [row["id"] for row in (await office.ada.get(REQUESTS, **query))["results"]] == ids, query
    scopes = {"GET": "approvals:read", "POST": "approvals:write"}
    for method, scope in scopes.items():
        path = REQUESTS if method == "GET" else f"{REQUESTS}{first}/approve/"
        refusal = await office.ada.with_key("feature_flag:write").refused(method, path)
        assert refusal.detail == f"API key missing required scope '{scope}'"


async def test_a_sealed_payload_is_never_shown_and_applied_whole(office: Office) -> None:
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    body = {"filters": {**LEAST, "payloads": {"true": '"first"'}}, **secret}
    flag = await office.ada.flag("sealed", **body)
    office.cover("update")
    filters = {"groups": [{"properties": [], "rollout_percentage": 50}], "payloads": {"true": '"s3cret"'}}
    request = await office.request(flag, filters=filters)
    shown = await office.grace.ask("GET", f"{REQUESTS}{request}/")
    stored = office.ada.rows("SELECT intent FROM change_requests")[0]["intent"]
    assert "s3cret" not in shown.text + stored
    assert "encrypted_payloads" not in shown.json()["intent"]
    assert (await office.grace.post(f"{REQUESTS}{request}/approve/"))["status"] == "applied"
    assert (await office.ada.get("sealed/remote_config/")) == '"s3cret"'


async def test_members_approve_where_policy_or_setting_allows(start_world: Start, office: Office) -> None:
    world: World = await start_world(approvals=True)
    other = world.with_key("*", user=world.add_user("grace@acme.test"))
    request = (await world.post("", {"key": "a"}, 409))["change_request_id"]
    assert (await world.refused("POST", f"{REQUESTS}{request}/approve/")).status == 403
    assert (await other.post(f"{REQUESTS}{request}/approve/"))["status"] == "applied"
    [flag] = (await world.get(""))["results"]
    needed = "Changes of this flag need approval: send this one as an update of the flag"
    edit = {"ids": [flag["id"]], "action": "add", "tags": ["x"]}
    [skipped] = (await world.post("bulk_update_tags/", edit))["skipped"]
    [error] = (await world.post("bulk_delete/", {"ids": [flag["id"]]}))["errors"]
    assert (skipped["reason"], error["reason"]) == (needed, needed)
    assert (await world.get(""))["results"] == [flag]
    office.cover("disable", users=[1], allow_self_approve=True)
    request = await office.request(await office.ada.flag("a"), active=False)
    assert (await office.ada.post(f"{REQUESTS}{request}/approve/"))["status"] == "applied"
