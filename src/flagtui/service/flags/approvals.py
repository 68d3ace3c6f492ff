"""Changes that need approval: answered by 409 and stored as a change request instead of being made."""

import sqlite3
import uuid
from collections.abc import Mapping

from flagtui.service.answers import Answer, answer, text_of, value_of
from flagtui.service.call import Call
from flagtui.service.database import insert_row
from flagtui.service.errors import Json, hand_written
from flagtui.service.field_kinds import Values

_EVERYTHING = uuid.UUID("f1a90000-0000-4000-8000-000000000000")
_RESOURCE = "feature_flag"


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
    pending = call.db.execute(
        "SELECT * FROM change_requests WHERE project_id = ? AND resource_id IS ? AND action = ?"
        " AND state = 'pending'",
        (call.project.id, resource_id, action),
    ).fetchone()
    code = "approval_required" if pending is None else "change_request_pending"
    request = pending or _open_request(call, policy, resource_id, action, intent)
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
    row: sqlite3.Row = call.db.execute("SELECT * FROM approval_policies WHERE id = ?", (name,)).fetchone()
    return row


def _open_request(
    call: Call, policy: sqlite3.Row, resource_id: str | None, action: str, intent: Values
) -> sqlite3.Row:
    name = str(uuid.uuid4())
    insert_row(
        call.db,
        "change_requests",
        {
            "id": name,
            "project_id": call.project.id,
            "policy_id": policy["id"],
            "resource_type": _RESOURCE,
            "resource_id": resource_id,
            "action": action,
            "intent": text_of(intent),
            "created_by_id": call.caller.user_id,
            "created_at": call.stamp,
        },
    )
    row: sqlite3.Row = call.db.execute("SELECT * FROM change_requests WHERE id = ?", (name,)).fetchone()
    return row


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
