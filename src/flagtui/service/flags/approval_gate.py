"""Decide whether a change of a flag needs approval, and store the request for it."""

import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from flagtui.evaluate import wire
from flagtui.service.call import Call
from flagtui.service.clock import stamp
from flagtui.service.database import Row, insert_row
from flagtui.service.errors import Fault, Json
from flagtui.service.field_kinds import Values
from flagtui.service.flags.approval_policies import ApprovalPolicy, load_policies, policy_on_everything
from flagtui.service.flags.change_requests import OPEN, describe_request, find_request
from flagtui.service.flags.encryption import PLACEHOLDER
from flagtui.service.flags.status import groups_of, variants_of
from flagtui.service.responses import Response, respond, text_of, value_of

RESOURCE: Final = "feature_flag"
_REQUIRED: Final = "Approval required"
_PENDING: Final = "A change request is already pending"


class GatedChange(msgspec.Struct, frozen=True):
    """A change of a flag that has been checked. `row` None makes a new flag; payloads are opened."""

    row: sqlite3.Row | None
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    stored_filters: Mapping[str, Json]
    """The filters after the change as they are stored, with sealed payloads."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the actions that a policy can cover: on, off, and other shares."""
        names = []
        if bool(self.before.get("active")) != self.after["active"]:
            names.append("enable" if self.after["active"] else "disable")
        if _shares(self.before.get("filters") or {}) != _shares(self.after["filters"]):
            names.append("update")
        return tuple(f"{RESOURCE}.{name}" for name in names)

    @property
    def body(self) -> Values:
        """Return the values that differ, of a new flag all, which will be written.

        Sealed payloads are placeholders.
        """
        body = {name: value for name, value in self.after.items() if self.before.get(name, ...) != value}
        if "filters" in body and self._is_sealed:
            body["filters"] = wire.mask_payloads(body["filters"], PLACEHOLDER)
        return body

    @property
    def _is_sealed(self) -> bool:
        return bool(self.after["has_encrypted_payloads"])

    def gated_values(self, action: str) -> tuple[Values, Values]:
        """Return the values that an action changes, as they were and will be, by their paths."""
        if not action.endswith(".update"):
            return {"active": bool(self.before.get("active"))}, {"active": self.after["active"]}
        old, new = _shares(self.before.get("filters") or {}), _shares(self.after["filters"])
        before = {path: share for path, share in old.items() if path not in new or new[path] != share}
        return before, {path: share for path, share in new.items() if path not in old or old[path] != share}

    def intent(self, action: str) -> Values:
        """Return what a request stores of the change."""
        row, body = self.row, self.body
        current, gated = self.gated_values(action)
        sealed = self.stored_filters.get("payloads") if self._is_sealed and "filters" in body else None
        return {
            "flag_id": None if row is None else row["id"],
            "flag_key": self.after["key"] if row is None else row["key"],
            "current_state": current,
            "gated_changes": gated,
            "full_request_data": body,
            "preconditions": {
                "version": None if row is None else row["version"],
                "updated_at": None if row is None else row["updated_at"],
            },
            **({} if sealed is None else {"encrypted_payloads": sealed}),
        }


def _shares(filters: Mapping[str, Json]) -> dict[str, Json]:
    """Return every percentage by its path."""
    return dict(_walk_shares(filters))


def _walk_shares(filters: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for place, group in enumerate(groups_of(filters)):
        yield f"filters.groups[{place}].rollout_percentage", group.get("rollout_percentage")
    for place, variant in enumerate(variants_of(filters)):
        yield f"filters.multivariate.variants[{place}].rollout_percentage", variant.get("rollout_percentage")
    holdout = filters.get("holdout")
    if isinstance(holdout, dict):
        yield "filters.holdout.exclusion_percentage", holdout.get("exclusion_percentage")


def ask_for_approval(call: Call, change: GatedChange) -> Response | None:
    """Return the 409 of a change that a policy covers, and store its request.

    None when it may be made at once.
    """
    policy = covering_policy(call, change)
    if policy is None:
        return None
    open_request = _find_open(call, change, policy.action)
    if open_request is not None:
        return respond(_refusal(call, open_request, "change_request_pending", _PENDING), 409)
    request = _store(call, change, policy)
    return respond(_refusal(call, request, "approval_required", _REQUIRED), 409)


def request_later_change(call: Call, change: GatedChange) -> str | None:
    """Store the request on which a scheduled change waits, and return its id; None without a policy.

    Raises 409 while another request for the same action on the flag is open.
    """
    policy = covering_policy(call, change)
    if policy is None:
        return None
    open_request = _find_open(call, change, policy.action)
    if open_request is not None:
        raise Fault(409, _refusal(call, open_request, "change_request_pending", _PENDING))
    request_id: str = _store(call, change, policy)["id"]
    return request_id


def covering_policy(call: Call, change: GatedChange) -> ApprovalPolicy | None:
    """Return the policy on the change. Raises 400 if there are two: one request carries one approval."""
    if not change.body:
        return None
    if call.settings.approvals:
        return policy_on_everything(call, (*change.actions, f"{RESOURCE}.update")[0])
    policies = [
        policy
        for policy in load_policies(call, change.actions)
        if policy.covers(*change.gated_values(policy.action)) and not policy.exempts(call)
    ]
    if len(policies) > 1:
        raise Fault(
            400,
            {
                "code": "policy_conflict",
                "error": f"{len(policies)} approval policies cover this change.",
                "conflicting_policies": [
                    {"id": policy.id, "action_key": policy.action} for policy in policies
                ],
                "guidance": "Split your changes into separate requests, one for each policy.",
            },
        )
    return policies[0] if policies else None


def _find_open(call: Call, change: GatedChange, action: str) -> sqlite3.Row | None:
    """Return the open request for an action on the flag; requests to create flags differ by their keys."""
    row: sqlite3.Row | None = call.db.execute(
        f"SELECT id FROM change_requests AS r WHERE project_id = :project AND action = :action AND {OPEN}"
        " AND resource_id IS :resource"
        " AND (resource_id IS NOT NULL OR json_extract(intent, '$.flag_key') = :key)",
        {
            "project": call.project.id,
            "action": action,
            "resource": None if change.row is None else str(change.row["id"]),
            "key": change.after["key"],
            "now": call.stamp,
        },
    ).fetchone()
    return None if row is None else find_request(call, row["id"])


def _store(call: Call, change: GatedChange, policy: ApprovalPolicy) -> sqlite3.Row:
    request_id = str(uuid.uuid4())
    insert_row(
        call.db,
        "change_requests",
        {
            "id": request_id,
            "project_id": call.project.id,
            "policy_id": policy.id,
            "policy_snapshot": text_of(policy.snapshot),
            "resource_type": RESOURCE,
            "resource_id": None if change.row is None else str(change.row["id"]),
            "action": policy.action,
            "intent": text_of(change.intent(policy.action)),
            "created_by_id": call.caller.user_id,
            "created_at": call.stamp,
            "updated_at": call.stamp,
            "expires_at": stamp(call.now + policy.expires_after),
        },
    )
    request = find_request(call, request_id)
    assert request is not None
    return request


def _refusal(call: Call, request: Row, code: str, words: str) -> Values:
    snapshot = value_of(request["policy_snapshot"])
    return {
        "code": code,
        "status": code,
        "detail": words,
        "message": words,
        "resource_type": request["resource_type"],
        "resource_id": request["resource_id"],
        "change_request_id": request["id"],
        "change_request": describe_request(call, request),
        "required_approvers": {name: snapshot[name] for name in ("users", "roles") if snapshot.get(name)},
    }
