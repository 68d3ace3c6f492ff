"""Writes of flags: row, version and activity together, or the required approval."""

import sqlite3
import uuid
from collections.abc import Mapping

from flagtui.service.activity import changes_between, log
from flagtui.service.call import Call
from flagtui.service.database import fetch, insert_row, update_row
from flagtui.service.errors import Json, hand_written, invalid
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.encryption import PLACEHOLDER, seal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.representation import flag_answer, opened_payloads
from flagtui.service.flags.rows import SCOPE
from flagtui.service.responses import Response, respond, text_of, value_of

_EVERYTHING = uuid.UUID("f1a90000-0000-4000-8000-000000000000")
_RESOURCE = "feature_flag"
_LOGGED = FLAGS.using(Use.LOGGED)


def new_values(sent: Mapping[str, Json]) -> Values:
    """Return all columns of a flag to be made, from the ones that were sent."""
    return {**FLAGS.defaults, **sent}


def opened_values(call: Call, row: sqlite3.Row) -> Values:
    """Return columns as JSON values, payloads opened: a body is merged into them and compared with them."""
    values = FLAGS.decode(row)
    if values["has_encrypted_payloads"]:
        values["filters"] = {**values["filters"], "payloads": opened_payloads(call, values["filters"])}
    return values


def create_flag(call: Call, values: Mapping[str, Json]) -> sqlite3.Row:
    """Store a new flag in the caller's name, with its `created` entry. `values` have been checked."""
    stored = {
        **values,
        "filters": _seal(call, values, None),
        "project_id": call.project.id,
        "created_by_id": call.caller.user_id,
        "last_modified_by_id": call.caller.user_id,
        "created_at": call.stamp,
        "updated_at": call.stamp,
    }
    flag_id = insert_row(call.db, "flags", FLAGS.encode(stored))
    row = fetch(call.db, "flags", flag_id)
    log(call, SCOPE, row, "created", [], name=row["key"])
    return row


def change_flag(
    call: Call, row: sqlite3.Row, after: Mapping[str, Json], trigger: Mapping[str, Json] | None = None
) -> sqlite3.Row:
    """Store what differs, raise the version and log it. `after` has all columns, payloads opened."""
    before = FLAGS.decode(row)
    stored = {**after, "filters": _seal(call, after, row), "version": (row["version"] or 0) + 1}
    changed = {name: value for name, value in stored.items() if value != before[name]}
    moved = {**changed, "updated_at": call.stamp, "last_modified_by_id": call.caller.user_id}
    update_row(call.db, "flags", row["id"], FLAGS.encode(moved))
    verb = "updated"
    if after["deleted"] != before["deleted"]:
        verb = "deleted" if after["deleted"] else "restored"
    changes = changes_between(SCOPE, before, stored, _LOGGED)
    log(call, SCOPE, row, verb, changes, name=stored["key"], trigger=trigger)
    return fetch(call.db, "flags", row["id"])


def _seal(call: Call, after: Mapping[str, Json], row: sqlite3.Row | None) -> Json:
    """Return filters as they are stored, with payloads sealed if the flag has encrypted payloads."""
    filters, key_file = after["filters"], call.settings.key_file
    if not after["has_encrypted_payloads"] or key_file is None:
        return filters
    payloads = filters.get("payloads")
    if not payloads:
        raise invalid("An encrypted payload is required when has_encrypted_payloads is true.")
    kept: Values = {}
    if row is not None and row["has_encrypted_payloads"]:
        kept = value_of(row["filters"]).get("payloads") or {}
    opened = opened_payloads(call, {"payloads": kept}) or {}
    return {
        **filters,
        "payloads": {
            name: kept[name]
            if name in kept and payload in (PLACEHOLDER, opened.get(name))
            else seal(key_file, payload)
            for name, payload in payloads.items()
        },
    }


def change_or_ask(call: Call, row: sqlite3.Row, before: Values, after: Values) -> Response:
    """Change the flag and return it, or return the 409 of a change that a policy covers."""
    return ask_for_approval(call, row, before, after) or flag_answer(call, change_flag(call, row, after))


def ask_for_approval(
    call: Call, row: sqlite3.Row | None, before: Mapping[str, Json], after: Mapping[str, Json]
) -> Response | None:
    """Return the 409 of a change that a policy covers.

    None when it may be made at once. Writes the request.
    """
    intent = {name: value for name, value in after.items() if before.get(name) != value}
    if not intent:
        return None
    verb = "update"
    if before.get("active") != after["active"]:
        verb = "enable" if after["active"] else "disable"
    action = f"{_RESOURCE}.{verb}"
    policy = _policy(call, action)
    if policy is None:
        return None
    resource_id = None if row is None else str(row["id"])
    columns = {"project_id": call.project.id, "resource_id": resource_id, "action": action}
    pending = _find_pending(call, columns, after["key"])
    code = "approval_required" if pending is None else "change_request_pending"
    request = pending or _open_request(
        call, {**columns, "policy_id": policy["id"], "intent": text_of(intent)}
    )
    return _approval_response(code, request, policy)


def _find_pending(call: Call, columns: Values, key: Json) -> sqlite3.Row | None:
    """Return the open request for an action on the flag; requests to create flags differ by their keys."""
    condition = " AND ".join(f"{name} IS :{name}" for name in columns)
    row: sqlite3.Row | None = call.db.execute(
        f"SELECT * FROM change_requests WHERE {condition} AND state = 'pending'"
        " AND (resource_id IS NOT NULL OR json_extract(intent, '$.key') = :key)",
        {**columns, "key": key},
    ).fetchone()
    return row


def _policy(call: Call, action: str) -> sqlite3.Row | None:
    if call.settings.approvals:
        return _policy_for_everything(call)
    policies = call.db.execute(
        "SELECT * FROM approval_policies"
        " WHERE organization_id = ? AND action = ? AND enabled = 1 ORDER BY id",
        (call.project.organization_id, action),
    ).fetchall()
    if len(policies) > 1:
        raise hand_written(
            400,
            {
                "code": "policy_conflict",
                "error": f"{len(policies)} approval policies cover {action}.",
                "conflicting_policies": [{"id": row["id"], "action_key": row["action"]} for row in policies],
                "guidance": "Disable all but one of them.",
            },
        )
    return policies[0] if policies else None


def _policy_for_everything(call: Call) -> sqlite3.Row:
    organization = call.project.organization_id
    name = str(uuid.uuid5(_EVERYTHING, organization))
    call.db.execute(
        "INSERT OR IGNORE INTO approval_policies (id, organization_id, action, created_at)"
        " VALUES (?, ?, 'everything', ?)",
        (name, organization, call.stamp),
    )
    return fetch(call.db, "approval_policies", name)


def _open_request(call: Call, columns: Values) -> sqlite3.Row:
    name = str(uuid.uuid4())
    birth = {"id": name, "created_by_id": call.caller.user_id, "created_at": call.stamp}
    insert_row(call.db, "change_requests", {**birth, **columns, "resource_type": _RESOURCE})
    return fetch(call.db, "change_requests", name)


def _approval_response(code: str, request: sqlite3.Row, policy: sqlite3.Row) -> Response:
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
    return respond(
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
