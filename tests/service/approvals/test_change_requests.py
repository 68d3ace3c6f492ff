"""Change requests: what waits, who decides, and what is applied in whose name."""

from typing import Any

import pytest
from tests.doubles.service_world import Start, World, asks_for, released, variants
from tests.service.approvals.conftest import LEAST, REQUESTS, Office

ENABLE, DISABLE, UPDATE = (f"feature_flag.{verb}" for verb in ("enable", "disable", "update"))
OFF = {"active": False}
GATED: list[tuple[str, dict[str, Any], str | None]] = [
    ("the switch", OFF, DISABLE),
    ("the archive", {"active": False, "archived": True}, DISABLE),
    ("a share", {"filters": released(20)}, UPDATE),
    ("another condition", {"filters": {"groups": [*LEAST["groups"], {"properties": []}]}}, UPDATE),
    ("a holdout", {"filters": {"holdout": {"id": 1, "exclusion_percentage": 5}}}, UPDATE),
    ("variants", {"filters": variants(a=50, b=50)}, UPDATE),
    ("a name", {"name": "free"}, None),
    ("tags and a payload", {"tags": ["free"], "filters": {"payloads": {"true": "1"}}}, None),
]


@pytest.mark.parametrize(
    ("changes", "action"), [row[1:] for row in GATED], ids=[f"a change of {what}" for what, *_ in GATED]
)
async def test_policies_cover_switches_and_shares_only(
    office: Office, changes: dict[str, Any], action: str | None
) -> None:
    flag = await office.ada.flag("a", filters=LEAST)
    office.cover("enable", "disable", "update")
    if action is None:
        await office.ada.change(flag, **changes)
        return
    request = await office.ada.get(await office.request(flag, **changes))
    assert (request["action_key"], request["state"]) == (action, "pending")
    assert request["intent"]["full_request_data"].keys() == changes.keys()


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
    waiting = await office.grace.get(request)
    assert waiting["intent_display"]["description"] == "Enable feature flag 'a'"
    assert waiting["intent_display"]["before"] == OFF
    assert (waiting["can_approve"], waiting["can_cancel"], waiting["is_requester"]) == (True, False, False)
    assert waiting["expires_at"][:10] == "2026-03-24"
    decided = await office.grace.post(f"{request}approve/", {"reason": "fine"})
    result = {"resource_id": flag["id"], "resource_version": 2}
    assert (decided["status"], decided["result"]) == ("applied", result)
    shown = decided["change_request"]
    assert (shown["state"], shown["applied_by"]["id"], shown["user_decision"]) == ("applied", 1, "approved")
    (vote,) = shown["approvals"]
    assert (vote["reason"], vote["created_by"]["email"]) == ("fine", "grace@acme.test")
    changed = await office.ada.read(flag)
    assert (changed["active"], changed["name"], changed["tags"]) == (True, "beside", ["beside"])
    assert changed["last_modified_by"]["id"] == 1
    assert (await office.ada.latest(flag["id"]))["user"]["email"] == "owner@localhost.test"


async def test_a_quorum_of_two_needs_two_votes(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable", quorum=2)
    request = await office.request(flag, **OFF)
    first = await office.approve(request)
    assert (first["status"], first["change_request"]["state"]) == ("approved", "pending")
    assert first["message"] == "Approval recorded. 1/2 approvals received."
    again = await office.grace.post(f"{request}approve/", status=400)
    assert again == {"error": "You have already voted on this change request."}
    await office.ada.refuses("POST", f"{request}cancel/", status=403)
    assert (await office.heidi.post(f"{request}approve/"))["status"] == "applied"
    assert await office.is_on(flag) is False


async def test_only_approvers_decide_and_only_while_pending(office: Office) -> None:
    office.cover("disable")
    request = await office.request(await office.ada.flag("a"), **OFF)
    stranger = "You are not in the approver set for this change request"
    for member, detail in (
        (office.ada, "You cannot approve your own change request"),
        (office.ivan, stranger),
    ):
        await member.refuses("POST", f"{request}approve/", status=403, detail=detail)
    unreasoned = await office.grace.post(f"{request}reject/", status=400)
    assert unreasoned == {"error": "A reason is required for rejection."}
    decided = await office.grace.post(f"{request}reject/", {"reason": "no"})
    assert (decided["status"], decided["change_request"]["state"]) == ("rejected", "rejected")
    detail = "Only pending change requests can be approved"
    await office.heidi.refuses("POST", f"{request}approve/", detail=detail)
    await office.ada.refuses("GET", f"{REQUESTS}nothing/", status=404)


async def test_a_cancelled_request_is_rejected_by_its_author(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable", quorum=2)
    request = await office.request(flag, **OFF)
    await office.approve(request)
    await office.ada.change(flag, name="changed since")
    stale = await office.ada.get(request)
    assert (stale["validation_status"], stale["can_cancel"]) == ("stale", True)
    await office.grace.refuses("POST", f"{request}cancel/", status=403)
    decided = await office.ada.post(f"{request}cancel/")
    shown = decided["change_request"]
    assert (decided["status"], shown["state"], shown["user_decision"]) == ("canceled", "rejected", "rejected")
    assert shown["approvals"][-1]["reason"] == "Canceled by requester"
    await office.request(flag, **OFF)


async def error_of_approval(office: Office, request: str) -> str:
    """Approve a request whose change can no longer be made, and return the reason."""
    decided = await office.approve(request)
    assert (decided["status"], decided["change_request"]["state"]) == ("failed", "failed")
    return str(decided["change_request"]["apply_error"])


TAKEN = "There is already a feature flag with this key."


async def test_a_change_is_checked_again_when_approved(office: Office) -> None:
    gone, flag = await office.ada.flag("b"), await office.ada.flag("a")
    await office.ada.change(gone, deleted=True)
    office.cover("disable")
    request = await office.request(flag, key="b", active=False)
    assert (await office.ada.read(gone))["deleted"] is True
    await office.ada.flag("b")
    assert await error_of_approval(office, request) == TAKEN
    request = await office.request(flag, key="c", active=False)
    await office.ada.change(flag, name="changed since")
    assert await error_of_approval(office, request) == "Flag version mismatch: expected 1, got 2"
    assert await office.is_on(flag) is True
    assert (await office.approve(await office.request(flag, key="c", active=False)))["status"] == "applied"


async def test_new_flag_is_checked_again_when_approved(office: Office) -> None:
    base = await office.ada.flag("base")
    office.cover("enable")
    bodies = ({"key": "a", "filters": LEAST}, {"key": "b", "filters": asks_for(base["id"])})
    requests = [(await office.ada.post("", body, 409))["change_request_id"] for body in bodies]
    await office.ada.flag("a", active=False)
    await office.ada.change(base, deleted=True)
    gone = f"Flag dependency references non-existent flag with ID {base['id']}"
    for request, reason in zip(requests, (TAKEN, gone), strict=True):
        assert await error_of_approval(office, f"{REQUESTS}{request}/") == reason


async def test_a_request_expires_after_two_weeks(office: Office) -> None:
    flag = await office.ada.flag("a")
    office.cover("disable")
    request = await office.request(flag, **OFF)
    office.ada.clock.pass_(days=13, hours=23)
    await office.ada.refuses("PATCH", f"{flag['id']}/", OFF, status=409, code="change_request_pending")
    office.ada.clock.pass_(hours=1)
    assert await office.state(request) == "expired"
    await office.grace.refuses("POST", f"{request}approve/", status=403)
    await office.request(flag, **OFF)


async def test_lists_are_filtered_and_newest_first(office: Office) -> None:
    office.cover("disable")
    flags = [await office.ada.flag(key) for key in ("a", "b")]
    first, second = [await office.request(flag, **OFF) for flag in flags]
    await office.grace.post(f"{first}reject/", {"reason": "no"})
    for query, paths in (
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
        rows = (await office.ada.get(REQUESTS, **query))["results"]
        assert [f"{REQUESTS}{row['id']}/" for row in rows] == paths, query


async def test_a_sealed_payload_is_never_shown_and_applied_whole(office: Office) -> None:
    secret = {"is_remote_configuration": True, "has_encrypted_payloads": True}
    flag = await office.ada.flag("sealed", filters=released(10, payloads={"true": '"first"'}), **secret)
    office.cover("update")
    request = await office.request(flag, filters=released(50, payloads={"true": '"s3cret"'}))
    shown = await office.grace.ask("GET", request)
    stored = office.ada.rows("SELECT intent FROM change_requests")[0]["intent"]
    assert "s3cret" not in shown.text + stored
    assert "encrypted_payloads" not in shown.json()["intent"]
    assert (await office.approve(request))["status"] == "applied"
    assert (await office.ada.get("sealed/remote_config/")) == '"s3cret"'


async def test_members_approve_where_policy_or_setting_allows(start_world: Start, office: Office) -> None:
    world: World = await start_world(approvals=True)
    policies, body = "/api/projects/1/approval_policies/", {"approver_config": {"quorum": 1}}
    assert (await world.get(policies))["count"] == 0
    await world.refuses("POST", policies, {**body, "action_key": "everything"}, status=400)
    other = world.with_key("*", user=world.add_user("grace@acme.test"))
    refusal = await world.post("", {"key": "a", "has_encrypted_payloads": None}, 409)
    assert refusal["resource_id"] is None
    approve = f"{REQUESTS}{refusal['change_request_id']}/approve/"
    await world.refuses("POST", approve, status=403)
    assert (await other.post(approve))["status"] == "applied"
    [flag] = (await world.get(""))["results"]
    assert (flag["key"], flag["created_by"]["id"]) == ("a", 1)
    needed = "Changes of this flag need approval: send this one as an update of the flag"
    edit = {"ids": [flag["id"]], "action": "add", "tags": ["x"]}
    [skipped] = (await world.post("bulk_update_tags/", edit))["skipped"]
    [error] = (await world.post("bulk_delete/", {"ids": [flag["id"]]}))["errors"]
    assert (skipped["reason"], error["reason"]) == (needed, needed)
    assert (await world.get(""))["results"] == [flag]
    office.cover("disable", users=[1], allow_self_approve=True)
    request = await office.request(await office.ada.flag("a"), **OFF)
    assert (await office.ada.post(f"{request}approve/"))["status"] == "applied"
