"""The table of operations on change requests and policies."""

from typing import Final

from flagtui.service.approvals.policies import (
    POLICIES,
    POLICY,
    POLICY_BODY,
    POLICY_CHANGES,
    for_administrators,
)
from flagtui.service.approvals.votes import approve, cancel, reject
from flagtui.service.flags.change_requests import PARAMETERS, list_requests, retrieve_request
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.shapes import page_of

_ALL: Final = f"{PROJECT}/change_requests"
_ONE: Final = f"{_ALL}/{{id}}"
_POLICIES: Final = f"{PROJECT}/approval_policies"
_POLICY: Final = f"{_POLICIES}/{{id}}"
_READ, _WRITE = "approvals:read", "approvals:write"
_create, _change, _delete = map(for_administrators, (POLICIES.create, POLICIES.update, POLICIES.delete))

OPERATIONS: Final = (
    Operation("GET", _ALL, list_requests, "List change requests", _READ, parameters=PARAMETERS),
    Operation("GET", _ONE, retrieve_request, "Get a change request", _READ),
    Operation(
        "POST", f"{_ONE}/approve", approve, "Approve a change; the last vote needed applies it", _WRITE
    ),
    Operation("POST", f"{_ONE}/reject", reject, "Reject a change, with a reason", _WRITE),
    Operation("POST", f"{_ONE}/cancel", cancel, "Cancel a change that the caller requested", _WRITE),
    Operation(
        "GET", _POLICIES, POLICIES.list_all, "List approval policies", _READ, page_of(POLICY),
        parameters=POLICIES.parameters,
    ),
    Operation(
        "POST", _POLICIES, _create, "Create an approval policy (administrators)", _WRITE, POLICY, POLICY_BODY,
        (201,),
    ),
    Operation("GET", _POLICY, POLICIES.retrieve, "Get an approval policy", _READ, POLICY),
    Operation(
        "PATCH", _POLICY, _change, "Change an approval policy (administrators)", _WRITE, POLICY,
        POLICY_CHANGES,
    ),
    Operation(
        "DELETE", _POLICY, _delete, "Delete an approval policy (administrators)", _WRITE, statuses=(204,),
    ),
)  # fmt: skip
