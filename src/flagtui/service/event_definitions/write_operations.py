"""Making, changing and deleting one event definition."""

import sqlite3

from flagtui.service.activity import change, changes_between, ordered_uuid
from flagtui.service.answers import Answer, empty, spliced, text_of, value_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid, payment_required
from flagtui.service.event_definitions.fields import LONGEST_NAME, Values, read_fields, settled
from flagtui.service.event_definitions.rows import (
    SCOPE,
    answer_row,
    definition_text,
    find_by_id,
    find_row,
    has_tagging,
    log_change,
)

TOLD = (
    "description",
    "owner",
    "tags",
    "verified",
    "hidden",
    "enforcement_mode",
    "primary_property",
    "post_to_slack",
    "default_columns",
)
"""Fields whose changes the log tells of; an owner by id."""
_LISTS = ("tags", "default_columns")
_BOOLEANS = ("verified", "hidden", "post_to_slack")


def retrieve(call: Call) -> Answer:
    return spliced(definition_text(call, find_row(call)))


def create(call: Call) -> Answer:
    check_licence(call)
    body = call.body()
    fields = Fields(body)
    fields.require("name")
    name = fields.text("name", longest=LONGEST_NAME, blank=False)
    values = settled(read_fields(call, body), None, call)
    taken = "SELECT 1 FROM event_definitions WHERE project_id = ? AND name = ?"
    if call.db.execute(taken, (call.project.id, name)).fetchone():
        raise invalid(f"Event definition with name '{name}' already exists", "name")
    made = ordered_uuid()
    call.db.execute(
        "INSERT INTO event_definitions (id, project_id, name, hidden) VALUES (?, ?, ?, 0)",
        (made, call.project.id, name),
    )
    write(call, made, values)
    row = find_by_id(call.db, call.project.id, made)
    assert row is not None, "inserted above"
    log_change(call, row, "created", [])
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
    log_change(call, row, "deleted", lost)
    return empty(204)


def check_licence(call: Call) -> None:
    if call.settings.unlicensed:
        raise payment_required(
            "Ingestion taxonomy is part of the premium PostHog offering. To use it, get a licence."
        )


def save(call: Call, row: sqlite3.Row, values: Values) -> None:
    """Writes and logs; `updated_at` moves even when nothing else does."""
    write(call, row["id"], values)
    after = find_by_id(call.db, call.project.id, row["id"])
    assert after is not None, "updated above"
    log_change(call, row, "changed", changes_between(SCOPE, told(row), told(after), TOLD))


def write(call: Call, definition_id: str, values: Values) -> None:
    """Sets columns by name; tags stay as they are where tagging is off."""
    columns = {name: text_of(value) if name in _LISTS else value for name, value in values.items()}
    if not has_tagging(call):
        columns.pop("tags", None)
    columns |= {"updated_by_id": call.caller.user_id, "updated_at": call.stamp, "last_updated_at": call.stamp}
    places = ", ".join(f"{name} = :{name}" for name in columns)
    call.db.execute(f"UPDATE event_definitions SET {places} WHERE id = :id", {**columns, "id": definition_id})


def told(row: sqlite3.Row) -> dict[str, Json]:
    values: dict[str, Json] = {name: row[name] for name in TOLD}
    values["owner"] = row["owner_id"]
    values |= {name: value_of(row[name]) for name in _LISTS}
    values |= {name: None if row[name] is None else bool(row[name]) for name in _BOOLEANS}
    return values
