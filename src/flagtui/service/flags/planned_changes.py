"""Changes that a schedule plans for a flag, checked as an update is, and the approval they wait for."""

import sqlite3
from collections.abc import Mapping

from flagtui.evaluate import wire
from flagtui.service.bodies import read_id
from flagtui.service.call import Call
from flagtui.service.database import update_row
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.field_kinds import Values
from flagtui.service.flags.approval_gate import GatedChange, request_later_change
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.filter_storage import with_changes
from flagtui.service.flags.rows import find_row
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.flags.save import gated_change, opened_values
from flagtui.service.responses import value_of


def bind_request(call: Call, change_id: int, record_id: str, payload: str) -> None:
    """Store the change request on which a scheduled change waits, if a policy covers it.

    Raises 409 while another request for the same action is open, and 400 if two policies cover it. A change
    that cannot be made has no request: its reason is stored when it is due.
    """
    try:
        change = read_planned_change(call, record_id, value_of(payload))
    except Fault:
        request_id = None
    else:
        request_id = request_later_change(call, change)
    update_row(call.db, "scheduled_changes", change_id, {"change_request_id": request_id})


def read_planned_change(call: Call, record_id: str, payload: Mapping[str, Json]) -> GatedChange:
    """Return the change that a payload makes of a flag; raises the first reason against it."""
    flag = find_row(call.db, call.project.id, read_id(record_id))
    if flag is None or flag["deleted"]:
        raise invalid("Feature flag not found")
    if stored_version(flag["filters"]) == 2:
        raise invalid("This field is required for this flag.", "version", "required")
    before = opened_values(call, flag)
    after = {**before, **_read_columns(call, flag, payload, before)}
    check_guards(call, flag, before, after)
    return gated_change(call, flag, before, after)


def _read_columns(call: Call, flag: sqlite3.Row, payload: Mapping[str, Json], before: Values) -> Values:
    """Return the columns that a payload sets, checked as in an update."""
    operation, value = payload.get("operation"), payload.get("value")
    if operation == "update_status" and isinstance(value, bool):
        return {"active": value}
    if operation == "add_release_condition" and isinstance(value, dict):
        added = value.get("groups")
        if isinstance(added, list):
            groups = [*wire.conditions(before["filters"]), *added]
            return {"filters": with_changes(call, flag, {"groups": groups})}
    if operation == "update_variants" and isinstance(value, dict):
        variants = {"multivariate": {"variants": value.get("variants")}}
        changes = {**variants, "payloads": value.get("payloads") or {}}
        return {"filters": with_changes(call, flag, changes)}
    raise invalid(f"Unrecognized operation: {operation}")
