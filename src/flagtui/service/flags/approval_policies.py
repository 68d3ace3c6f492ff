"""Approval policies: which changes of flags wait for approval, by whom, and whose changes do not."""

import operator
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Final

import msgspec

from flagtui.service.bodies import is_number
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json
from flagtui.service.responses import text_of, value_of

EVERYTHING: Final = "everything"
"""The action of the policy that the setting `approvals` makes; no list shows it."""
_EVERYTHING_ID: Final = uuid.UUID("f1a90000-0000-4000-8000-000000000000")
_LONGEST: Final = timedelta(days=36_500)
_DURATION: Final = re.compile(
    r"(?:(?P<days>[0-9]{1,6})(?: days?,?)? )?"
    r"(?:(?:(?P<hours>[0-9]{1,9}):)?(?P<minutes>[0-9]{1,9}):)?(?P<seconds>[0-9]{1,10})(?:\.[0-9]{1,6})?"
)
_ORDERS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_SELECT: Final = """
    SELECT * FROM approval_policies AS p WHERE organization_id = :organization AND enabled = 1 AND deleted = 0
    AND action IN (SELECT value FROM json_each(:actions)) AND (project_id = :project OR project_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM approval_policies AS own WHERE own.project_id = :project
            AND own.action = p.action AND own.enabled = 1 AND own.deleted = 0))
    ORDER BY id"""


class ApprovalPolicy(msgspec.Struct, frozen=True):
    """A rule that changes of one action wait for approvers."""

    id: str
    action: str
    approvers: Mapping[str, Json]
    """Users and roles who may vote, and how many votes are needed."""
    conditions: Mapping[str, Json]
    allow_self_approve: bool
    bypass_levels: tuple[int, ...]
    bypass_roles: tuple[str, ...]
    expires_after: timedelta

    @property
    def snapshot(self) -> dict[str, Json]:
        """Return what a request keeps of the policy; later edits of the policy do not change it."""
        return {
            "quorum": self.approvers.get("quorum", 1),
            "users": self.approvers.get("users", []),
            "roles": self.approvers.get("roles", []),
            "allow_self_approve": self.allow_self_approve,
            "conditions": self.conditions,
            "bypass_org_membership_levels": self.bypass_levels,
            "bypass_roles": self.bypass_roles,
        }

    def exempts(self, call: Call) -> bool:
        """Return whether the caller may change without approval, by membership level or role."""
        place = {"organization_id": call.project.organization_id, "user_id": call.caller.user_id}
        member = find(call.db, "organization_members", **place)
        has_level = member is not None and member["level"] in self.bypass_levels
        return has_level or has_role(call, self.bypass_roles)

    def covers(self, before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
        """Return whether a change meets the conditions; the values are given by their paths.

        Conditions that are incomplete or unknown hold for every change.
        """
        conditions, field = self.conditions, self.conditions.get("field")
        if conditions.get("type") not in ("any_change", "before_after", "change_amount") or not field:
            return True
        paths = [path for path in {**before, **after} if path.rpartition(".")[2] == field]
        pairs = [(_at(before, path), _at(after, path)) for path in paths]
        if conditions["type"] == "any_change":
            return any(old != new for old, new in pairs)
        sign, limit = conditions.get("operator"), conditions.get("value")
        if sign not in (*_ORDERS, "==", "!=") or limit is None:
            return True
        if conditions["type"] == "before_after":
            return any(_compares(sign, new, limit) for _, new in pairs if new is not None)
        amounts = [new - old for old, new in pairs if is_number(old) and is_number(new)]
        return any(_compares(sign, amount, limit) for amount in amounts)


def _at(side: Mapping[str, Json], path: str) -> Json:
    """Return a value of one side; a share that is null serves everyone."""
    value = side.get(path)
    return 100 if value is None and path in side and path.endswith("rollout_percentage") else value


def _compares(sign: str, value: Json, limit: Json) -> bool:
    if sign in ("==", "!="):
        return (value == limit) is (sign == "==")
    return is_number(value) and is_number(limit) and _ORDERS[sign](value, limit)


def load_policies(call: Call, actions: Iterable[str]) -> list[ApprovalPolicy]:
    """Return the enabled policies on these actions; one of the project replaces the organization's."""
    place = {"organization": call.project.organization_id, "project": call.project.id}
    rows = call.db.execute(_SELECT, {**place, "actions": text_of(list(actions))})
    return [_policy_of(row) for row in rows]


def _policy_of(row: sqlite3.Row) -> ApprovalPolicy:
    return ApprovalPolicy(
        row["id"],
        row["action"],
        value_of(row["approvers"]),
        value_of(row["conditions"]),
        bool(row["allow_self_approve"]),
        tuple(value_of(row["bypass_org_membership_levels"])),
        tuple(value_of(row["bypass_roles"])),
        read_duration(row["expires_after"]) or timedelta(days=14),
    )


def policy_on_everything(call: Call, action: str) -> ApprovalPolicy:
    """Return the policy of the setting: any other member approves."""
    organization = call.project.organization_id
    policy_id = str(uuid.uuid5(_EVERYTHING_ID, organization))
    call.db.execute(
        "INSERT OR IGNORE INTO approval_policies (id, organization_id, action, created_at)"
        " VALUES (?, ?, ?, ?)",
        (policy_id, organization, EVERYTHING, call.stamp),
    )
    members = call.db.execute(
        "SELECT user_id FROM organization_members WHERE organization_id = ? ORDER BY user_id", (organization,)
    )
    approvers = {"users": [row["user_id"] for row in members]}
    return ApprovalPolicy(policy_id, action, approvers, {}, False, (), (), timedelta(days=14))


def is_approver(call: Call, snapshot: Mapping[str, Json]) -> bool:
    """Return whether the caller is among the users of a request's policy, or has one of its roles."""
    return call.caller.user_id in snapshot.get("users", ()) or has_role(call, snapshot.get("roles", ()))


def has_role(call: Call, roles: Iterable[str]) -> bool:
    row = call.db.execute(
        "SELECT 1 FROM role_members AS m JOIN roles AS r ON r.id = m.role_id WHERE m.user_id = ?"
        " AND r.organization_id = ? AND r.id IN (SELECT value FROM json_each(?))",
        (call.caller.user_id, call.project.organization_id, text_of(list(roles))),
    ).fetchone()
    return row is not None


def read_duration(text: str) -> timedelta | None:
    """Return a time such as `14 00:00:00` or `3600`; None for any other text, none, or over a century."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    parts = {name: int(part) for name, part in match.groupdict(default="0").items()}
    duration = timedelta(**parts)
    return duration if timedelta(0) < duration <= _LONGEST else None


def shown_duration(duration: timedelta) -> str:
    """Return the time as policies store and show it."""
    hours, seconds = divmod(duration.seconds, 3_600)
    clock = f"{hours:02}:{seconds // 60:02}:{seconds % 60:02}"
    return f"{duration.days} {clock}" if duration.days else clock
