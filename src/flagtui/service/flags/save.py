"""The one way a flag gets into the database: row, version and activity together."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.activity import changes_between, log
from flagtui.service.answers import value_of
from flagtui.service.call import Call
from flagtui.service.database import fetch, insert_row, update_row
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.encryption import PLACEHOLDER, seal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.representation import opened_payloads
from flagtui.service.flags.rows import SCOPE

_LOGGED = FLAGS.using(Use.LOGGED)


def new_values(sent: Mapping[str, Json]) -> Values:
    """All columns of a flag to be made, from the ones that were sent."""
    return {**FLAGS.defaults, **sent}


def opened_values(call: Call, row: sqlite3.Row) -> Values:
    """Columns as JSON values with sealed payloads opened: what a body is merged into and compared with."""
    values = FLAGS.decoded(row)
    if values["has_encrypted_payloads"]:
        values["filters"] = {**values["filters"], "payloads": opened_payloads(call, values["filters"])}
    return values


def create_flag(call: Call, values: Mapping[str, Json]) -> sqlite3.Row:
    """Stores a new flag in the caller's name, with its `created` entry. `values` have been checked."""
    stored = {
        **values,
        "filters": _sealed(call, values, None),
        "project_id": call.project.id,
        "created_by_id": call.caller.user_id,
        "last_modified_by_id": call.caller.user_id,
        "created_at": call.stamp,
        "updated_at": call.stamp,
    }
    flag_id = insert_row(call.db, "flags", FLAGS.stored(stored))
    row = fetch(call.db, "flags", flag_id)
    log(call, SCOPE, row, "created", [], name=row["key"])
    return row


def change_flag(
    call: Call, row: sqlite3.Row, after: Mapping[str, Json], trigger: Mapping[str, Json] | None = None
) -> sqlite3.Row:
    """Stores what differs, raises the version, tells the log. `after` has all columns, payloads opened."""
    before = FLAGS.decoded(row)
    stored = {**after, "filters": _sealed(call, after, row), "version": (row["version"] or 0) + 1}
    changed = {name: value for name, value in stored.items() if value != before[name]}
    moved = {**changed, "updated_at": call.stamp, "last_modified_by_id": call.caller.user_id}
    update_row(call.db, "flags", row["id"], FLAGS.stored(moved))
    verb = "updated"
    if after["deleted"] != before["deleted"]:
        verb = "deleted" if after["deleted"] else "restored"
    told = changes_between(SCOPE, before, stored, _LOGGED)
    log(call, SCOPE, row, verb, told, name=stored["key"], trigger=trigger)
    return fetch(call.db, "flags", row["id"])


def _sealed(call: Call, after: Mapping[str, Json], row: sqlite3.Row | None) -> Json:
    """Filters as they are stored: payloads sealed if the flag says so, an unchanged one as it was."""
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
