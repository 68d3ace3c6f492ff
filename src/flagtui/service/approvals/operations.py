"""The table of operations on change requests."""

from typing import Final

from flagtui.service.approvals.votes import approve, cancel, reject
from flagtui.service.flags.change_requests import PARAMETERS, list_requests, retrieve_request
from flagtui.service.operations import PROJECT, Operation

_ALL: Final = f"{PROJECT}/change_requests"
_ONE: Final = f"{_ALL}/{{id}}"
_READ, _WRITE = "approvals:read", "approvals:write"

OPERATIONS: Final = (
    Operation("GET", _ALL, list_requests, "List change requests", _READ, parameters=PARAMETERS),
    Operation("GET", _ONE, retrieve_request, "Get a change request", _READ),
    Operation(
        "POST", f"{_ONE}/approve", approve, "Approve a change; the last vote needed applies it", _WRITE
    ),
    Operation("POST", f"{_ONE}/reject", reject, "Reject a change, with a reason", _WRITE),
    Operation("POST", f"{_ONE}/cancel", cancel, "Cancel a change that the caller requested", _WRITE),
)
