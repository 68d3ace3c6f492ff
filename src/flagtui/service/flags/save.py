"""Writes of flags: row, version and activity together, or the required approval."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Final

from flagtui.service.activity import changes_between, log
from flagtui.service.call import Call
from flagtui.service.database import fetch, insert_row, update_row
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.approval_gate import GatedChange, ask_for_approval
from flagtui.service.flags.encryption import PLACEHOLDER, seal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.representation import flag_answer, opened_payloads
from flagtui.service.flags.rows import SCOPE, make_room
from flagtui.service.responses import Response, value_of

_LOGGED = FLAGS.using(Use.LOGGED)
_NOT_OPENED: Final = (
    "The payload for key '{name}' is the placeholder of an encrypted payload that is not open here. "
    "Send the payload itself."
)


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
    """Store a new flag with checked columns in the caller's name, with its `created` entry.

    A deleted flag with its key makes room.
    """
    _check_count(call)
    make_room(call, values["key"])
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


def _check_count(call: Call) -> None:
    count = call.db.execute(
        "SELECT count(*) FROM flags WHERE project_id = ? AND deleted = 0", (call.project.id,)
    ).fetchone()[0]
    most = call.settings.max_flags
    if count >= most and call.generation.limits_flags:
        raise invalid(
            f"Maximum of {most:,} feature flags allowed per team. "
            "Please delete unused flags or contact support to increase this limit."
        )


def change_flag(
    call: Call, row: sqlite3.Row, after: Mapping[str, Json], trigger: Mapping[str, Json] | None = None
) -> sqlite3.Row:
    """Store what differs, raise the version and log it. `after` has all columns, payloads opened."""
    before = FLAGS.decode(row)
    if after["key"] != row["key"] and not (after["deleted"] or row["deleted"]):
        make_room(call, after["key"])
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
    """Return filters as they are stored, with payloads sealed if the flag has encrypted payloads.

    A placeholder keeps the sealed payload of its key; without one it is refused.
    """
    filters, key_file = after["filters"], call.settings.key_file
    is_sealed = after["has_encrypted_payloads"]
    kept: Values = {}
    if row is not None and row["has_encrypted_payloads"]:
        kept = value_of(row["filters"]).get("payloads") or {}
    if key_file is None or not (is_sealed or kept):
        return filters
    payloads = filters.get("payloads") or {}
    if is_sealed and not payloads:
        raise invalid("An encrypted payload is required when has_encrypted_payloads is true.")
    for name, payload in payloads.items():
        if payload == PLACEHOLDER and not (is_sealed and name in kept):
            raise invalid(_NOT_OPENED.format(name=name), "filters")
    if not is_sealed:
        return filters
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
    refusal = ask_for_approval(call, gated_change(call, row, before, after))
    return refusal or flag_answer(call, change_flag(call, row, after))


def gated_change(
    call: Call, row: sqlite3.Row | None, before: Mapping[str, Json], after: Mapping[str, Json]
) -> GatedChange:
    """Return a checked change as policies see it; `row` None makes a new flag."""
    return GatedChange(row, before, after, _seal(call, after, row))


def attempt(db: sqlite3.Connection, work: Callable[[], object]) -> str | None:
    """Do work within the transaction; undo it and return the reason if it raises a fault."""
    db.execute("SAVEPOINT attempt")
    try:
        work()
    except Fault as fault:
        db.execute("ROLLBACK TO attempt")
        return fault.detail
    finally:
        db.execute("RELEASE attempt")
    return None
