"""Making, changing and deleting event definitions, one or many at once."""

import sqlite3
from collections.abc import Callable, Iterable

from flagtui.service.activity import change, changes_between, log, ordered_uuid
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row, update_row
from flagtui.service.errors import invalid, payment_required
from flagtui.service.event_definitions.fields import DEFINITIONS, LONGEST_NAME, add_side_effects, read_fields
from flagtui.service.event_definitions.rows import (
    SCOPE,
    answer_row,
    definition_text,
    find_by,
    find_row,
    has_tagging,
    uuid_text,
    written_row,
)
from flagtui.service.field_kinds import Use, Values
from flagtui.service.responses import Response, respond, respond_text, value_of
from flagtui.service.tag_edits import read_distinct, read_tag_edit

_LOGGED_FIELDS = ("owner", *DEFINITIONS.using(Use.LOGGED))
"""Fields whose changes are logged; an owner by id."""


def retrieve(call: Call) -> Response:
    return respond_text(definition_text(call, find_row(call)))


def create(call: Call) -> Response:
    check_licence(call)
    body = call.body()
    fields = Fields(body)
    fields.require("name")
    name = fields.text("name", longest=LONGEST_NAME, blank=False)
    values = add_side_effects(read_fields(call, body), None, call)
    if find(call.db, "event_definitions", project_id=call.project.id, name=name):
        raise invalid(f"Event definition with name '{name}' already exists", "name")
    made = ordered_uuid()
    bare = {"id": made, "project_id": call.project.id, "name": name, "hidden": False}
    insert_row(call.db, "event_definitions", bare)
    write(call, made, values)
    log(call, SCOPE, written_row(call, made), "created", [])
    return answer_row(call, made, 201)


def update(call: Call) -> Response:
    row = find_row(call)
    check_licence(call)
    values = add_side_effects(read_fields(call, call.body()), row, call)
    save(call, row, values)
    return answer_row(call, row["id"])


def delete(call: Call) -> Response:
    """Delete the definition.

    Events keep their name, and the next one brings an untended definition back.
    """
    row = find_row(call)
    call.db.execute("DELETE FROM event_definitions WHERE id = ?", (row["id"],))
    lost = [change(SCOPE, "name", row["name"], None)]
    if tags := value_of(row["tags"]):
        lost.append(change(SCOPE, "tags", tags, None))
    log(call, SCOPE, row, "deleted", lost)
    return Response(status=204)


def check_licence(call: Call) -> None:
    if call.settings.unlicensed:
        raise payment_required(
            "Ingestion taxonomy is part of the premium PostHog offering. To use it, get a licence."
        )


def save(call: Call, row: sqlite3.Row, values: Values) -> None:
    """Write and log; `updated_at` moves even when nothing else does."""
    write(call, row["id"], values)
    after = written_row(call, row["id"])
    log(
        call,
        SCOPE,
        row,
        "changed",
        changes_between(SCOPE, logged_values(row), logged_values(after), _LOGGED_FIELDS),
    )


def write(call: Call, definition_id: str, values: Values) -> None:
    """Set columns by name; tags stay as they are where tagging is off."""
    columns = DEFINITIONS.encode(values)
    if not has_tagging(call):
        columns.pop("tags", None)
    columns |= {"updated_by_id": call.caller.user_id, "updated_at": call.stamp, "last_updated_at": call.stamp}
    update_row(call.db, "event_definitions", definition_id, columns)


def logged_values(row: sqlite3.Row) -> Values:
    return {**DEFINITIONS.decode(row), "owner": row["owner_id"]}


def bulk_update_tags(call: Call) -> Response:
    edit = read_tag_edit(call, read_uuids)

    def retag(row: sqlite3.Row) -> Values:
        tags = edit.apply(value_of(row["tags"]))
        save(call, row, {"tags": tags})
        return {"tags": tags if has_tagging(call) else []}

    return _for_each(call, edit.ids, retag)


def bulk_update_verified(call: Call) -> Response:
    """Set `verified` on many definitions; unchanged ones are in neither list. A fault writes nothing."""
    fields = Fields(call.body())
    ids = read_uuids(fields)
    fields.require("verified")
    values = {"verified": fields.flag("verified")}

    def verify(row: sqlite3.Row) -> Values | None:
        if bool(row["verified"]) == values["verified"]:
            return None
        save(call, row, add_side_effects(values, row, call))
        return values

    return _for_each(call, ids, verify)


def _for_each(call: Call, ids: Iterable[str], change: Callable[[sqlite3.Row], Values | None]) -> Response:
    """Return what `change` reports of each changed definition, and the missing ones."""
    check_licence(call)
    rows = {each: find_by(call.db, call.project.id, "id", each) for each in ids}
    skipped = [{"id": each, "reason": "Not found"} for each, row in rows.items() if row is None]
    outcomes = ((each, change(row)) for each, row in rows.items() if row is not None)
    updated = [{"id": each, **values} for each, values in outcomes if values is not None]
    return respond({"updated": updated, "skipped": skipped})


def read_uuids(fields: Fields) -> list[str]:
    return read_distinct(fields, uuid_text, "Must be a valid UUID.")
