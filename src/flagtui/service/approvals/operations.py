"""The table of operations on change requests and policies."""

from typing import Final

from flagtui.service.approvals import policies
from flagtui.service.approvals.votes import approve, cancel, reject
from flagtui.service.flags.change_requests import PARAMETERS, list_requests, retrieve_request
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.shapes import page_of

_ALL: Final = f"{PROJECT}/change_requests"
_ONE: Final = f"{_ALL}/{{id}}"
_POLICIES: Final = f"{PROJECT}/approval_policies"
_POLICY: Final = f"{_POLICIES}/{{id}}"
_READ, _WRITE = "approvals:read", "approvals:write"

OPERATIONS: Final = (
    Operation("GET", _ALL, list_requests, "List change requests", _READ, parameters=PARAMETERS),
    Operation("GET", _ONE, retrieve_request, "Get a change request", _READ),
    Operation(
        "POST", f"{_ONE}/approve", approve, "Approve a change; the last vote needed applies it", _WRITE
    ),
    Operation("POST", f"{_ONE}/reject", reject, "Reject a change, with a reason", _WRITE),
    Operation("POST", f"{_ONE}/cancel", cancel, "Cancel a change that the caller requested", _WRITE),
    Operation(
        "GET", _POLICIES, policies.list_policies, "List approval policies", _READ, page_of(policies.POLICY),
        parameters=policies.POLICY_PARAMETERS,
    ),
    Operation(
        "POST", _POLICIES, policies.create_policy, "Create an approval policy (administrators)", _WRITE,
        policies.POLICY, policies.POLICY_BODY, (201,),
    ),
    Operation("GET", _POLICY, policies.retrieve_policy, "Get an approval policy", _READ, policies.POLICY),
    Operation(
        "PATCH", _POLICY, policies.change_policy, "Change an approval policy (administrators)", _WRITE,
        policies.POLICY, policies.POLICY_CHANGES,
    ),
    Operation(
        "DELETE", _POLICY, policies.delete_policy, "Delete an approval policy (administrators)", _WRITE,
        statuses=(204,),
    ),
)  # fmt: skip
