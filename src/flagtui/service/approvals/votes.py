"""Approve, reject and cancel change requests; apply them in the name of their requester."""

import sqlite3
import uuid
from collections.abc import Mapping

from msgspec.structs import replace

from flagtui.service.access import user_with_all_scopes
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row, update_row
from flagtui.service.errors import Json, forbidden, invalid, plain_error
from flagtui.service.field_kinds import Values
from flagtui.service.flags.change_requests import (
    called_request,
    can_cancel,
    describe_request,
    find_request,
    refusal_to_decide,
    votes_on,
)
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.filter_links import check_links
from flagtui.service.flags.filter_storage import with_changes
from flagtui.service.flags.representation import opened_payloads
from flagtui.service.flags.rows import check_free, find_row
from flagtui.service.flags.save import attempt, change_flag, opened_values
from flagtui.service.flags.write_operations import store_new_flag
from flagtui.service.responses import Response, respond, text_of, value_of


def approve(call: Call) -> Response:
    """Cast a vote; with the last one that is needed the change is applied, unless it waits for its time."""
    request = _request_to_decide(call)
    _vote(call, request, "approved", _reason(call))
    approvals = sum(vote["decision"] == "approved" for vote in votes_on(call, request["id"]))
    quorum = value_of(request["policy_snapshot"])["quorum"]
    if approvals < quorum:
        words = f"Approval recorded. {approvals}/{quorum} approvals received."
        return _answer(call, request, "approved", words)
    _settle(call, request, "approved")
    if find(call.db, "scheduled_changes", change_request_id=request["id"]):
        words = "Quorum reached. Change approved and will be applied at its scheduled time."
        return _answer(call, request, "approved", words)
    reason = apply_request(call, request)
    if reason is not None:
        return _answer(call, request, "failed", f"Quorum reached but application failed: {reason}")
    return _answer(call, request, "applied", "Quorum reached. Change applied successfully.")


def reject(call: Call) -> Response:
    request = _request_to_decide(call)
    reason = _reason(call)
    if not reason:
        raise plain_error("A reason is required for rejection.")
    _vote(call, request, "rejected", reason)
    _settle(call, request, "rejected")
    return _answer(call, request, "rejected", "Change request rejected.")


def cancel(call: Call) -> Response:
    """Reject a request in the name of its requester."""
    request = called_request(call)
    if not can_cancel(call, request, votes_on(call, request["id"])):
        raise forbidden("You cannot cancel this change request")
    call.db.execute(
        "DELETE FROM change_request_votes WHERE change_request_id = ? AND created_by_id = ?",
        (request["id"], call.caller.user_id),
    )
    _vote(call, request, "rejected", _reason(call) or "Canceled by requester")
    _settle(call, request, "rejected")
    return _answer(call, request, "canceled", "Change request canceled.")


def apply_request(call: Call, request: sqlite3.Row, trigger: Mapping[str, Json] | None = None) -> str | None:
    """Make an approved change as its requester; return the reason if it could not be made."""
    requester = user_with_all_scopes(call.db, request["created_by_id"])
    made: list[sqlite3.Row] = []
    reason = attempt(call.db, lambda: made.append(_make(replace(call, caller=requester), request, trigger)))
    if reason is not None:
        _settle(call, request, "failed", apply_error=reason)
        return reason
    result = {"resource_id": made[0]["id"], "resource_version": made[0]["version"]}
    _settle(
        call,
        request,
        "applied",
        applied_at=call.stamp,
        applied_by_id=request["created_by_id"],
        result_data=text_of(result),
    )
    return None


def apply_at_its_time(call: Call, request_id: str, trigger: Mapping[str, Json]) -> str | None:
    """Apply the request of a scheduled change that is due; return the reason if it is not applied.

    An undecided request expires: its step is skipped.
    """
    request = find_request(call, request_id)
    assert request is not None
    if request["present_state"] == "approved":
        return apply_request(call, request, trigger)
    close_request(call, request_id)
    return "The change was not approved before its scheduled time."


def close_request(call: Call, request_id: str) -> None:
    """Let an open request expire, because its scheduled change is gone."""
    request = find_request(call, request_id)
    if request is not None and request["present_state"] in ("pending", "approved"):
        _settle(call, request, "expired")


def _make(call: Call, request: sqlite3.Row, trigger: Mapping[str, Json] | None) -> sqlite3.Row:
    """Write the whole body of a request, checked like an update; raises the first reason against it."""
    intent = value_of(request["intent"])
    body: Values = intent["full_request_data"]
    if "encrypted_payloads" in intent:
        opened = opened_payloads(call, {"payloads": intent["encrypted_payloads"]})
        body["filters"] = {**body["filters"], "payloads": opened}
    if intent["flag_id"] is None:
        check_free(call, body["key"], None)
        check_links(call, body["filters"], {}, None)
        return store_new_flag(call, body)
    row = find_row(call.db, call.project.id, intent["flag_id"])
    if row is None:
        raise invalid("Feature flag not found")
    expected = intent["preconditions"]["version"]
    if row["version"] != expected:
        raise invalid(f"Flag version mismatch: expected {expected}, got {row['version']}")
    if "filters" in body:
        body["filters"] = with_changes(call, row, body["filters"])
    before = opened_values(call, row)
    after = {**before, **body}
    if not after["deleted"]:
        check_free(call, after["key"], row)
    check_guards(call, row, before, after)
    return change_flag(call, row, after, trigger)


def _request_to_decide(call: Call) -> sqlite3.Row:
    request = called_request(call)
    refusal = refusal_to_decide(call, request)
    if refusal is not None:
        raise forbidden(refusal)
    return request


def _reason(call: Call) -> str:
    return Fields(call.body()).text("reason", null=True) or ""


def _vote(call: Call, request: sqlite3.Row, decision: str, reason: str) -> None:
    voter = {"change_request_id": request["id"], "created_by_id": call.caller.user_id}
    if find(call.db, "change_request_votes", **voter):
        raise plain_error("You have already voted on this change request.")
    vote = {"id": str(uuid.uuid4()), "decision": decision, "reason": reason, "created_at": call.stamp}
    insert_row(call.db, "change_request_votes", {**voter, **vote})


def _settle(call: Call, request: sqlite3.Row, state: str, **columns: str | int | None) -> None:
    update_row(
        call.db, "change_requests", request["id"], {"state": state, "updated_at": call.stamp, **columns}
    )


def _answer(call: Call, request: sqlite3.Row, status: str, message: str) -> Response:
    """Return the request as it is now; `status` is what this decision did, not the state."""
    row = find_request(call, request["id"])
    assert row is not None
    shown = describe_request(call, row)
    result = {"result": shown["result_data"]} if shown["result_data"] else {}
    return respond({"status": status, "message": message, "change_request": shown, **result})
