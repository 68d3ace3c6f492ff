"""Making, changing and deleting one event definition."""

import sqlite3

from flagtui.service.activity import change, changes_between, log, ordered_uuid
from flagtui.service.answers import Answer, empty, spliced, value_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row, update_row
from flagtui.service.errors import invalid, payment_required
from flagtui.service.event_definitions.fields import DEFINITIONS, LONGEST_NAME, read_fields, settled
from flagtui.service.event_definitions.rows import (
    SCOPE,
    answer_row,
    definition_text,
    find_row,
    has_tagging,
    written_row,
)
from flagtui.service.field_kinds import Use, Values

_TOLD = ("owner", *DEFINITIONS.using(Use.LOGGED))
"""Fields whose changes the log tells of; an owner by id."""


def retrieve(call: Call) -> Answer:
    return spliced(definition_text(call, find_row(call)))


def create(call: Call) -> Answer:
    check_licence(call)
    body = call.body()
    fields = Fields(body)
    fields.require("name")
    name = fields.text("name", longest=LONGEST_NAME, blank=False)
    values = settled(read_fields(call, body), None, call)
    if find(call.db, "event_definitions", project_id=call.project.id, name=name):
        raise invalid(f"Event definition with name '{name}' already exists", "name")
    made = ordered_uuid()
    bare = {"id": made, "project_id": call.project.id, "name": name, "hidden": False}
    insert_row(call.db, "event_definitions", bare)
    write(call, made, values)
    log(call, SCOPE, written_row(call, made), "created", [])
    return answer_row(call, made, 201)


def update(call: Call) -> Answer:
    row = find_row(call)
    check_licence(call)
    values = settled(read_fields(call, call.body()), row, call)
    save(call, row, values)
    return answer_row(call, row["id"])


def delete(call: Call) -> Answer:
    """The definition is gone; events keep their name, and the next one brings an untended definition back."""
    row = find_row(call)
    call.db.execute("DELETE FROM event_definitions WHERE id = ?", (row["id"],))
    lost = [change(SCOPE, "name", row["name"], None)]
    if tags := value_of(row["tags"]):
        lost.append(change(SCOPE, "tags", tags, None))
    log(call, SCOPE, row, "deleted", lost)
    return empty(204)


def check_licence(call: Call) -> None:
    if call.settings.unlicensed:
        raise payment_required(
            "Ingestion taxonomy is part of the premium PostHog offering. To use it, get a licence."
        )


def save(call: Call, row: sqlite3.Row, values: Values) -> None:
    """Writes and logs; `updated_at` moves even when nothing else does."""
    write(call, row["id"], values)
    after = written_row(call, row["id"])
    log(call, SCOPE, row, "changed", changes_between(SCOPE, told(row), told(after), _TOLD))


def write(call: Call, definition_id: str, values: Values) -> None:
    """Sets columns by name; tags stay as they are where tagging is off."""
    columns = DEFINITIONS.stored(values)
    if not has_tagging(call):
        columns.pop("tags", None)
    columns |= {"updated_by_id": call.caller.user_id, "updated_at": call.stamp, "last_updated_at": call.stamp}
    update_row(call.db, "event_definitions", definition_id, columns)


def told(row: sqlite3.Row) -> Values:
    return {**DEFINITIONS.decoded(row), "owner": row["owner_id"]}
