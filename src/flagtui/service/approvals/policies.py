"""Policies of approval: list, create, change and delete them. Administrators write, members read."""

import sqlite3
import uuid
from collections.abc import Mapping
from typing import ClassVar, Final

from flagtui.service.access import ADMINISTRATOR
from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.database import find, update_row
from flagtui.service.errors import Json, forbidden, invalid
from flagtui.service.field_kinds import Field, Kind, Table, Target, Use, Values, text, truth
from flagtui.service.flags.approval_policies import EVERYTHING, read_duration, shown_duration
from flagtui.service.list_filters import Filter, Where, comparing
from flagtui.service.operations import Handler
from flagtui.service.resources import Resource
from flagtui.service.responses import Response
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


class Policies(Resource):
    """Policies of a project and of its organization.

    After a change or a deletion, open requests keep the rules they were made under.
    """

    table = "approval_policies"
    fields = POLICY_FIELDS
    order = "created_at DESC, rowid DESC"
    filters: ClassVar[Mapping[str, Filter]] = {
        "action_key": comparing("action", "action = :action"),
        "enabled": comparing("enabled", "enabled = :enabled", lambda sent: sent.strip().lower() == "true"),
    }

    def scope(self, call: Call) -> Where:
        where = Where(["organization_id = :organization", "(project_id = :project OR project_id IS NULL)"])
        where.add("deleted = 0 AND action <> :everything", everything=EVERYTHING)
        where.values |= {"organization": call.project.organization_id, "project": call.project.id}
        return where

    def called_id(self, call: Call) -> str:
        return call.params["id"]

    def check(self, call: Call, row: sqlite3.Row | None, columns: Values) -> None:
        """Raise if the project has a policy on the action, or if the action is the service's own."""
        action = columns.get("action")
        if action is None or (row is not None and row["action"] == action):
            return
        place = {"project_id": call.project.id, "action": action, "deleted": 0}
        if action == EVERYTHING or find(call.db, self.table, **place):
            raise invalid(_EXISTS)

    def born(self, call: Call) -> Values:
        return {"id": str(uuid.uuid4()), "organization_id": call.project.organization_id}

    def delete(self, call: Call) -> Response:
        changes = {"deleted": 1, "updated_at": call.stamp}
        update_row(call.db, self.table, self.find_called(call)["id"], changes)
        return Response(status=204)


POLICIES: Final = Policies()


def for_administrators(handle: Handler) -> Handler:
    def check_and_handle(call: Call) -> Response:
        place = {"organization_id": call.project.organization_id, "user_id": call.caller.user_id}
        member = find(call.db, "organization_members", **place)
        if member is None or member["level"] < ADMINISTRATOR:
            raise forbidden("Your organization access level is insufficient.")
        return handle(call)

    return check_and_handle
