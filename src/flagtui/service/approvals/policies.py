"""Policies of approval: list, create, change and delete them. Administrators write, members read."""

import sqlite3
import uuid
from typing import Final

from flagtui.service.access import ADMINISTRATOR
from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row, update_row
from flagtui.service.errors import Json, forbidden, invalid, not_found
from flagtui.service.field_kinds import Field, Kind, Table, Target, Use, text, truth
from flagtui.service.flags.approval_policies import EVERYTHING, read_duration, shown_duration
from flagtui.service.list_filters import Filter, Where, comparing, narrow
from flagtui.service.pagination import page, window
from flagtui.service.projects import nested_users
from flagtui.service.responses import Response, join_object, respond_text
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MOMENT,
    NUMBER,
    NUMBERS,
    OBJECT,
    TEXT,
    TEXTS,
    USER,
    UUID,
    record,
)

_LONGEST_ACTION: Final = 128
_TABLE: Final = "approval_policies"
_EXISTS: Final = "A policy for this action already exists. You can edit the existing policy instead."
_BAD_DURATION: Final = (
    "Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu]."
)
_CONFIG: Final = record({"quorum": {**NUMBER, "minimum": 1}, "users": NUMBERS, "roles": TEXTS}, ("quorum",))


def _read_approvers(fields: Fields, name: str, _: Target) -> Json:
    config = fields.mapping(name) or {}
    quorum = config.get("quorum")
    if isinstance(quorum, bool) or not isinstance(quorum, int) or quorum < 1:
        raise fields.fault(name, "Quorum must be at least 1")
    for member, kind in (("users", int), ("roles", str)):
        ids = config.get(member, [])
        if not isinstance(ids, list) or not all(type(each) is kind for each in ids):
            raise fields.fault(name, f"{member} must be a list of ids")
    return config


def _read_levels(fields: Fields, name: str, _: Target) -> Json:
    levels = [whole_number(level) for level in fields.items(name) or ()]
    if None in levels:
        raise fields.fault(name, "All membership levels must be integers")
    return levels


def _read_roles(fields: Fields, name: str, target: Target) -> Json:
    """Return ids of roles of the organization, as the database has them."""
    roles = []
    for position, role in enumerate(fields.texts(name)):
        try:
            roles.append(str(uuid.UUID(role)))
        except ValueError:
            raise fields.fault(f"{name}__{position}", "Must be a valid UUID.") from None
    rows = {role: find(target.call.db, "roles", id=role) for role in roles}
    if missing := [role for role, row in rows.items() if row is None]:
        raise fields.fault(name, f"Roles do not exist: {', '.join(missing)}")
    organization = target.call.project.organization_id
    foreign = [
        row["name"] for row in rows.values() if row is not None and row["organization_id"] != organization
    ]
    if foreign:
        raise fields.fault(name, f"Roles must belong to the same organization: {', '.join(foreign)}")
    return roles


def _read_expiry(fields: Fields, name: str, _: Target) -> Json:
    duration = read_duration(fields.text(name) or "")
    if duration is None:
        raise fields.fault(name, _BAD_DURATION)
    return shown_duration(duration)


_CONDITIONS: Final = Kind(lambda body, name, _: body.mapping(name), OBJECT, "json")
POLICY_FIELDS: Final = Table(
    "approval policy",
    (
        Field("id", None, Use.ALWAYS, UUID),
        Field("action_key", text(_LONGEST_ACTION, blank=False), Use.NEEDED | Use.ALWAYS, column="action"),
        Field("conditions", _CONDITIONS, Use.ALWAYS),
        Field("approver_config", Kind(_read_approvers, _CONFIG, "json"), Use.NEEDED | Use.ALWAYS, OBJECT,
              column="approvers"),
        Field("allow_self_approve", truth(), Use.ALWAYS),
        Field("bypass_org_membership_levels", Kind(_read_levels, NUMBERS, "json"), Use.ALWAYS),
        Field("bypass_roles", Kind(_read_roles, TEXTS, "json"), Use.ALWAYS),
        Field("expires_after", Kind(_read_expiry, TEXT), Use.ALWAYS),
        Field("enabled", truth(), Use.ALWAYS),
        Field("created_by", shown=USER, column="created_by_id"),
        Field("created_at", None, Use.ALWAYS, MOMENT),
        Field("updated_at", shown=MAYBE_MOMENT),
    ),
)  # fmt: skip
POLICY: Final = record(POLICY_FIELDS.answer_schema(), POLICY_FIELDS.always())
POLICY_BODY: Final = record(POLICY_FIELDS.body_schema(), ("action_key", "approver_config"))
POLICY_CHANGES: Final = record(POLICY_FIELDS.body_schema())
_FILTERS: Final[dict[str, Filter]] = {
    "action_key": comparing("action", "action = :action"),
    "enabled": comparing("enabled", "enabled = :enabled", lambda sent: sent.strip().lower() == "true"),
}
POLICY_PARAMETERS: Final = ("limit", "offset", *_FILTERS)


def list_policies(call: Call) -> Response:
    """Return a page of the policies of the project and of its organization, the newest first."""
    where = _where(call)
    narrow(call, where, _FILTERS, call.query)
    rows = call.db.execute(
        f"SELECT * FROM {_TABLE} WHERE {where} ORDER BY created_at DESC, rowid DESC", where.values
    ).fetchall()
    part = window(call)
    return page(call, len(rows), _texts(call, rows[part.offset : part.offset + part.limit]), part)


def retrieve_policy(call: Call) -> Response:
    return respond_text(_texts(call, [_called_policy(call)])[0])


def create_policy(call: Call) -> Response:
    _check_administrator(call)
    columns = POLICY_FIELDS.read(Fields(call.body()), Target(call), needed=True)
    _check_action(call, columns["action"])
    place = {"organization_id": call.project.organization_id, "project_id": call.project.id}
    birth = {"created_by_id": call.caller.user_id, "created_at": call.stamp, "updated_at": call.stamp}
    policy_id = str(uuid.uuid4())
    insert_row(call.db, _TABLE, POLICY_FIELDS.encode({"id": policy_id, **place, **columns, **birth}))
    return respond_text(_texts(call, [_find_policy(call, policy_id)])[0], 201)


def change_policy(call: Call) -> Response:
    """Change a policy; requests that are open keep the rules they were made under."""
    _check_administrator(call)
    row = _called_policy(call)
    columns = POLICY_FIELDS.read(Fields(call.body()), Target(call, row))
    if columns.get("action", row["action"]) != row["action"]:
        _check_action(call, columns["action"])
    update_row(call.db, _TABLE, row["id"], POLICY_FIELDS.encode({**columns, "updated_at": call.stamp}))
    return retrieve_policy(call)


def delete_policy(call: Call) -> Response:
    """Delete a policy; its requests stay open."""
    _check_administrator(call)
    update_row(call.db, _TABLE, _called_policy(call)["id"], {"deleted": 1, "updated_at": call.stamp})
    return Response(status=204)


def _check_administrator(call: Call) -> None:
    place = {"organization_id": call.project.organization_id, "user_id": call.caller.user_id}
    member = find(call.db, "organization_members", **place)
    if member is None or member["level"] < ADMINISTRATOR:
        raise forbidden("Your organization access level is insufficient.")


def _check_action(call: Call, action: str) -> None:
    """Raise if the project has a policy on the action, or if the action is the service's own."""
    if action == EVERYTHING or find(call.db, _TABLE, project_id=call.project.id, action=action, deleted=0):
        raise invalid(_EXISTS)


def _where(call: Call) -> Where:
    return Where(
        [
            "organization_id = :organization AND deleted = 0 AND action <> :everything",
            "(project_id = :project OR project_id IS NULL)",
        ],
        {
            "organization": call.project.organization_id,
            "project": call.project.id,
            "everything": EVERYTHING,
        },
    )


def _called_policy(call: Call) -> sqlite3.Row:
    return _find_policy(call, call.params["id"])


def _find_policy(call: Call, policy_id: str) -> sqlite3.Row:
    where = _where(call)
    where.add("id = :id", id=policy_id)
    row: sqlite3.Row | None = call.db.execute(
        f"SELECT * FROM {_TABLE} WHERE {where}", where.values
    ).fetchone()
    if row is None:
        raise not_found()
    return row


def _texts(call: Call, rows: list[sqlite3.Row]) -> list[str]:
    users = nested_users(call.db, (row["created_by_id"] for row in rows))
    return [
        join_object(POLICY_FIELDS.texts(row, Use.NONE) | {"created_by": users[row["created_by_id"]]})
        for row in rows
    ]
