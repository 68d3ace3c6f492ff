"""Older versions of a flag, rebuilt by walking its activity backwards."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, not_found
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.rows import SCOPE, called_row
from flagtui.service.responses import Response, respond, value_of

_SHOWN = FLAGS.using(Use.VERSIONED)
_EMPTY: Mapping[str, Json] = {"name": "", "filters": {}}
"""Columns that are never null, as they were where the log has null for empty."""


def retrieve_version(call: Call) -> Response:
    row = called_row(call, "viewer")
    requested, current = call.number("version"), row["version"] or 0
    if requested is None:
        raise not_found()
    if row["has_encrypted_payloads"]:
        detail = "Version history is not available for flags with encrypted payloads."
        raise Fault(400, {"detail": detail})
    if not 1 <= requested <= current:
        detail = f"Version {requested} not found (current version is {current})"
        raise Fault(404, {"detail": detail})
    values = FLAGS.decode(row)
    when, who = row["updated_at"], row["last_modified_by_id"]
    if requested < current:
        when, who = _walk_back(call, values, requested)
    shown = {name: values[name] for name in _SHOWN}
    return respond(
        {
            **shown,
            "created_by": row["created_by_id"],
            "is_historical": requested < current,
            "version_timestamp": when,
            "modified_by": who,
        }
    )


def _walk_back(call: Call, values: Values, requested: int) -> tuple[str, int | None]:
    """Turn `values` into those of an older version; return when it was written and its author's id."""
    for entry in _entries(call, values["id"]):
        changes = value_of(entry["detail"]).get("changes") or []
        is_first = entry["activity"] == "created"
        raised = ({"field": each.get("field"), "after": each.get("after")} for each in changes)
        if not is_first and {"field": "version", "after": values["version"]} not in raised:
            # Bulk operations write entries that raise no version, and for deletions not what they changed.
            if entry["activity"] == "deleted":
                values |= {"deleted": False, "key": value_of(entry["detail"])["name"]}
            continue
        if values["version"] == requested:
            return entry["created_at"], entry["user_id"]
        if is_first:
            break
        for change in changes:
            if change["field"] in values:
                before = change.get("before")
                values[change["field"]] = _EMPTY.get(change["field"]) if before is None else before
    detail = f"Activity log is incomplete. Cannot reconstruct version {requested}."
    raise Fault(422, {"detail": detail})


def _entries(call: Call, flag_id: int) -> list[sqlite3.Row]:
    """Return the entries, the last written first: the clock may have been set back between two."""
    return call.db.execute(
        "SELECT activity, detail, created_at, user_id FROM activity"
        " WHERE project_id = ? AND scope = ? AND item_id = ? ORDER BY rowid DESC",
        (call.project.id, SCOPE, str(flag_id)),
    ).fetchall()
