"""Changes that need approval: answered by 409 and stored as a change request instead of being made."""

import sqlite3
import uuid
from collections.abc import Mapping

from flagtui.service.answers import Answer, answer, text_of, value_of
from flagtui.service.call import Call
from flagtui.service.database import fetch, find, insert_row
from flagtui.service.errors import Json, hand_written
from flagtui.service.field_kinds import Values
from flagtui.service.flags.representation import flag_answer
from flagtui.service.flags.save import change_flag

_EVERYTHING = uuid.UUID("f1a90000-0000-4000-8000-000000000000")
_RESOURCE = "feature_flag"


def change_or_ask(call: Call, row: sqlite3.Row, before: Values, after: Values) -> Answer:
    """Changes the flag and shows it, or answers with the 409 of a change that a policy covers."""
    return ask_for_approval(call, row, before, after) or flag_answer(call, change_flag(call, row, after))


def ask_for_approval(
    call: Call, row: sqlite3.Row | None, before: Mapping[str, Json], after: Mapping[str, Json]
) -> Answer | None:
    """The 409 of a change that a policy covers; None when it may be made at once. Writes the request."""
    intent = {name: value for name, value in after.items() if before.get(name) != value}
    if not intent:
        return None
    action = _action(before, after)
    policy = _policy(call, action)
    if policy is None:
        return None
    resource_id = None if row is None else str(row["id"])
    asked = {"project_id": call.project.id, "resource_id": resource_id, "action": action}
    pending = find(call.db, "change_requests", **asked, state="pending")
    code = "approval_required" if pending is None else "change_request_pending"
    request = pending or _open_request(call, {**asked, "policy_id": policy["id"], "intent": text_of(intent)})
    return _required(code, request, policy)


def _action(before: Mapping[str, Json], after: Mapping[str, Json]) -> str:
    if before.get("active") != after["active"]:
        return f"{_RESOURCE}.{'enable' if after['active'] else 'disable'}"
    return f"{_RESOURCE}.update"


def _policy(call: Call, action: str) -> sqlite3.Row | None:
    if call.settings.approvals:
        return _policy_for_everything(call)
    found = call.db.execute(
        "SELECT * FROM approval_policies"
        " WHERE organization_id = ? AND action = ? AND enabled = 1 ORDER BY id",
        (call.project.organization_id, action),
    ).fetchall()
    if len(found) > 1:
        raise hand_written(
            400,
            {
                "code": "policy_conflict",
                "error": f"{len(found)} approval policies cover {action}.",
                "conflicting_policies": [{"id": row["id"], "action_key": row["action"]} for row in found],
                "guidance": "Disable all but one of them.",
            },
        )
    return found[0] if found else None


def _policy_for_everything(call: Call) -> sqlite3.Row:
    organization = call.project.organization_id
    name = str(uuid.uuid5(_EVERYTHING, organization))
    call.db.execute(
        "INSERT OR IGNORE INTO approval_policies (id, organization_id, action, created_at)"
        " VALUES (?, ?, 'everything', ?)",
        (name, organization, call.stamp),
    )
    return fetch(call.db, "approval_policies", name)


def _open_request(call: Call, asked: Values) -> sqlite3.Row:
    name = str(uuid.uuid4())
    birth = {"id": name, "created_by_id": call.caller.user_id, "created_at": call.stamp}
    insert_row(call.db, "change_requests", {**birth, **asked, "resource_type": _RESOURCE})
    return fetch(call.db, "change_requests", name)


def _required(code: str, request: sqlite3.Row, policy: sqlite3.Row) -> Answer:
    words = "Approval required" if code == "approval_required" else "A change request is already pending"
    resource = {name: request[name] for name in ("resource_type", "resource_id")}
    shown: dict[str, Json] = {
        "id": request["id"],
        "action_key": request["action"],
        **resource,
        "state": request["state"],
        "intent": value_of(request["intent"]),
        "created_at": request["created_at"],
    }
    return answer(
        {
            "code": code,
            "status": code,
            "detail": words,
            "message": words,
            **resource,
            "change_request_id": request["id"],
            "change_request": shown,
            "required_approvers": value_of(policy["approvers"]),
        },
        409,
    )
