"""Change requests as rows and in responses."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from flagtui.service.bodies import read_id
from flagtui.service.call import Call
from flagtui.service.clock import shown_stamp
from flagtui.service.database import Row, find
from flagtui.service.errors import Json, not_found
from flagtui.service.flags.approval_policies import is_approver
from flagtui.service.list_filters import Filter, Where, among, comparing, narrow
from flagtui.service.pagination import page, window
from flagtui.service.projects import nested_users
from flagtui.service.responses import Response, respond, text_of, value_of

_STATE: Final = "CASE WHEN r.state = 'pending' AND r.expires_at <= :now THEN 'expired' ELSE r.state END"
"""An undecided request is expired after its time, whatever is stored."""
OPEN: Final = f"{_STATE} IN ('pending', 'approved')"
_SELECT: Final = f"SELECT r.*, {_STATE} AS present_state FROM change_requests AS r"
_VERBS: Final = {"enable": "Enable", "disable": "Disable", "update": "Update"}


def _read_requester(text: str) -> Json:
    return read_id(text.strip())


_FILTERS: Final[Mapping[str, Filter]] = {
    "state": comparing(
        "states",
        f"{_STATE} IN {among('states')}",
        lambda text: text_of([state.strip() for state in text.split(",")]),
    ),
    "action_key": comparing("action", "r.action = :action"),
    "requester": comparing("requester", "r.created_by_id = :requester", _read_requester),
    "resource_type": comparing("type", "r.resource_type = :type"),
    "resource_id": comparing("resource", "r.resource_id = :resource"),
}
PARAMETERS: Final = ("limit", "offset", *_FILTERS)


def list_requests(call: Call) -> Response:
    """Return a page of change requests, the newest first."""
    where = Where(["r.project_id = :project"], {"project": call.project.id, "now": call.stamp})
    sent = {name: text for name, text in call.query.items() if text}
    narrow(call, where, _FILTERS, sent)
    part = window(call)
    count = call.db.execute(
        f"SELECT count(*) FROM change_requests AS r WHERE {where}", {"now": call.stamp, **where.values}
    ).fetchone()[0]
    rows = call.db.execute(
        f"{_SELECT} WHERE {where} ORDER BY r.created_at DESC, r.rowid DESC LIMIT :limit OFFSET :offset",
        {**where.values, "limit": part.limit, "offset": part.offset},
    ).fetchall()
    return page(call, count, [text_of(shown) for shown in _describe_all(call, rows)], part)


def retrieve_request(call: Call) -> Response:
    return respond(describe_request(call, called_request(call)))


def called_request(call: Call) -> sqlite3.Row:
    """Return the request of the path; 404 when the project has none with this id."""
    request = find_request(call, call.params["id"])
    if request is None:
        raise not_found()
    return request


def find_request(call: Call, request_id: str) -> sqlite3.Row | None:
    """Return a request of the project with its `present_state`."""
    row: sqlite3.Row | None = call.db.execute(
        f"{_SELECT} WHERE r.project_id = :project AND r.id = :id",
        {"project": call.project.id, "id": request_id, "now": call.stamp},
    ).fetchone()
    return row


def votes_on(call: Call, request_id: str) -> list[sqlite3.Row]:
    return call.db.execute(
        "SELECT * FROM change_request_votes WHERE change_request_id = ? ORDER BY created_at, rowid",
        (request_id,),
    ).fetchall()


def describe_request(call: Call, request: Row) -> dict[str, Json]:
    """Return a request as a response has it."""
    return _describe_all(call, [request])[0]


def _describe_all(call: Call, rows: Sequence[Row]) -> list[dict[str, Json]]:
    votes = {row["id"]: votes_on(call, row["id"]) for row in rows}
    ids = [user for row in rows for user in (row["created_by_id"], row["applied_by_id"])]
    ids += [vote["created_by_id"] for listed in votes.values() for vote in listed]
    users = {user: value_of(text) for user, text in nested_users(call.db, ids).items()}
    return [_describe(call, row, votes[row["id"]], users) for row in rows]


def _describe(
    call: Call, row: Row, votes: Sequence[sqlite3.Row], users: Mapping[int | None, Json]
) -> dict[str, Json]:
    intent = value_of(row["intent"])
    intent.pop("encrypted_payloads", None)
    caller = call.caller.user_id
    return {
        "id": row["id"],
        "action_key": row["action"],
        "resource_type": row["resource_type"],
        "resource_id": row["resource_id"],
        "intent": intent,
        "intent_display": _display(row["action"], intent),
        "policy_snapshot": value_of(row["policy_snapshot"]),
        "validation_status": "stale" if is_stale(call, row) else "valid",
        "state": row["present_state"],
        "created_by": users[row["created_by_id"]],
        "applied_by": users[row["applied_by_id"]],
        **{name: _moment(row[name]) for name in ("created_at", "updated_at", "expires_at", "applied_at")},
        "apply_error": row["apply_error"],
        "result_data": value_of(row["result_data"]),
        "approvals": [
            {
                "id": vote["id"],
                "created_by": users[vote["created_by_id"]],
                "decision": vote["decision"],
                "reason": vote["reason"],
                "created_at": _moment(vote["created_at"]),
            }
            for vote in votes
        ],
        "can_approve": refusal_to_decide(call, row) is None,
        "can_cancel": can_cancel(call, row, votes),
        "is_requester": row["created_by_id"] == caller,
        "user_decision": next((vote["decision"] for vote in votes if vote["created_by_id"] == caller), None),
    }


def _display(action: str, intent: Mapping[str, Json]) -> dict[str, Json]:
    """Return the short form for people: of other shares the percentages alone."""
    verb = action.rpartition(".")[2]
    shown = {
        "description": f"{_VERBS[verb]} feature flag '{intent['flag_key']}'",
        "before": intent["current_state"],
        "after": intent["gated_changes" if verb == "update" else "full_request_data"],
    }
    paths = sorted({**intent["current_state"], **intent["gated_changes"]})
    return {**shown, "triggered_paths": paths} if verb == "update" else shown


def _moment(stored: str | None) -> str | None:
    return None if not stored else shown_stamp(stored)


def is_stale(call: Call, request: Row) -> bool:
    """Return whether an open request was made for another version of its flag."""
    intent = value_of(request["intent"])
    version = intent["preconditions"]["version"]
    if request["present_state"] not in ("pending", "approved") or intent["flag_id"] is None:
        return False
    flag = find(call.db, "flags", id=intent["flag_id"], project_id=request["project_id"])
    return flag is None or flag["version"] != version


def refusal_to_decide(call: Call, request: Row) -> str | None:
    """Return why the caller may not approve or reject; None if they may."""
    policy = value_of(request["policy_snapshot"])
    if request["present_state"] != "pending":
        return "Only pending change requests can be approved"
    if request["created_by_id"] == call.caller.user_id and not policy.get("allow_self_approve"):
        return "You cannot approve your own change request"
    if not is_approver(call, policy):
        return "You are not in the approver set for this change request"
    return None


def can_cancel(call: Call, request: Row, votes: Sequence[sqlite3.Row]) -> bool:
    """Return whether the caller may cancel: their own request, without votes for it unless it is stale."""
    if request["present_state"] != "pending" or request["created_by_id"] != call.caller.user_id:
        return False
    return is_stale(call, request) or not any(vote["decision"] == "approved" for vote in votes)
