"""Properties of users, groups and events: their names, and the most frequent stored values."""

import sqlite3
import uuid
from functools import partial
from typing import Final

from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.list_filters import containing, like, read_names
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.pagination import page, window
from flagtui.service.responses import Response, respond, text_of, value_of
from flagtui.service.shapes import MAYBE_TEXT, NUMBER, TEXT, TRUTH, UUID, list_of, page_of, whole

MOST_VALUES: Final = 10
"""Values in one response; a search finds the others."""
NEWEST_EVENTS: Final = 5_000
"""Stored events that are looked through for the properties of an event."""
_PERSONS: Final = "SELECT properties FROM persons WHERE project_id = :project"
_GROUPS: Final = "SELECT properties FROM groups WHERE project_id = :project AND type_index = :type_index"
_EVENTS: Final = f"""
    SELECT properties FROM events WHERE project_id = :project
    AND (:events IS NULL OR event IN (SELECT value FROM json_each(:events)))
    ORDER BY timestamp DESC LIMIT {NEWEST_EVENTS}"""
_DEFINED: Final = """
    UNION ALL SELECT name, property_type FROM property_definitions WHERE project_id = :project
    AND (:events IS NULL OR event IN (SELECT value FROM json_each(:events)))"""
_TYPE: Final = """CASE WHEN p.type IN ('integer', 'real') THEN 'Numeric'
    WHEN p.type IN ('true', 'false') THEN 'Boolean'
    WHEN p.type = 'text' AND p.atom GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' THEN 'DateTime'
    WHEN p.type = 'text' THEN 'String' END"""

DEFINITION: Final = whole(
    {
        "id": UUID,
        "name": TEXT,
        "is_numerical": TRUTH,
        "property_type": MAYBE_TEXT,
        "tags": list_of(TEXT),
        "is_seen_on_filtered_events": {"type": ["boolean", "null"]},
    }
)
VALUES: Final = list_of(whole({"name": {}, "count": NUMBER}))


def list_definitions(call: Call) -> Response:
    """Respond with the names by which properties are stored, each with its type where all values agree."""
    kind, part, search = call.query.get("type") or "event", window(call), call.query.get("search", "")
    stored, values = _stored_query(call, kind)
    sql = f"SELECT p.key AS name, {_TYPE} AS property_type FROM ({stored}) AS s, json_each(s.properties) AS p"
    sql += _DEFINED if kind == "event" else ""
    grouped = f"""SELECT name, count(DISTINCT property_type) AS kinds, max(property_type) AS property_type
        FROM ({sql}) WHERE {containing("name", search)} GROUP BY name ORDER BY name"""
    values["search"] = like(search)
    rows = call.db.execute(grouped, values).fetchall()
    if call.query.get("is_numerical") == "true":
        rows = [row for row in rows if _type_of(row) == "Numeric"]
    shown = rows[part.offset : part.offset + part.limit]
    return page(call, len(rows), [text_of(_definition(call, kind, row)) for row in shown], part)


def _stored_query(call: Call, kind: str) -> tuple[str, dict[str, Json]]:
    """Return the query for the stored properties of a kind of owner, and its values."""
    values: dict[str, Json] = {"project": call.project.id}
    if kind == "person":
        return _PERSONS, values
    if kind == "group":
        return _GROUPS, values | {"type_index": _group_type(call)}
    if kind != "event":
        raise invalid(f'"{kind}" is not a valid choice.', "type", "invalid_choice")
    return _EVENTS, values | {"events": read_names(call.query.get("event_names", "[]"))}


def _group_type(call: Call) -> int:
    text = call.query.get("group_type_index", "")
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise invalid("This query parameter is required.", "group_type_index", "required")
    return int(text)


def _type_of(row: sqlite3.Row) -> str | None:
    """Return the type of a property; None for one whose values have several."""
    return row["property_type"] if row["kinds"] == 1 else None


def _definition(call: Call, kind: str, row: sqlite3.Row) -> dict[str, Json]:
    property_type = _type_of(row)
    is_seen = True if kind == "event" and call.query.get("event_names") else None
    return {
        "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{call.project.id}/{kind}/{row['name']}")),
        "name": row["name"],
        "is_numerical": property_type == "Numeric",
        "property_type": property_type,
        "tags": [],
        "is_seen_on_filtered_events": is_seen,
    }


def person_values(call: Call) -> Response:
    """Respond with the most frequent values of a property of users."""
    return _values(call, _PERSONS, {"project": call.project.id}) if call.query.get("key") else respond([])


def group_values(call: Call) -> Response:
    """Respond with the most frequent values of a property of groups of one type."""
    if not call.query.get("key"):
        raise invalid("This query parameter is required.", "key", "required")
    return _values(call, _GROUPS, {"project": call.project.id, "type_index": _group_type(call)})


def _values(call: Call, stored: str, values: dict[str, Json]) -> Response:
    search = call.query.get("value", "")
    sql = f"""
        SELECT json_quote(p.atom) AS quoted, p.type, count(*) AS count
        FROM ({stored}) AS s, json_each(s.properties) AS p
        WHERE p.key = :key AND p.atom IS NOT NULL AND {containing("p.atom", search)}
        GROUP BY p.type, p.atom ORDER BY count DESC, p.atom LIMIT {MOST_VALUES}"""
    key = {"key": call.query["key"], "search": like(search)}
    rows = call.db.execute(sql, values | key)
    return respond([{"name": _value(row), "count": row["count"]} for row in rows])


def _value(row: sqlite3.Row) -> Json:
    if row["type"] in ("true", "false"):
        return bool(row["type"] == "true")
    return value_of(row["quoted"])


_READ: Final = partial(Operation, "GET", slow=True)
OPERATIONS: Final = (
    _READ(
        f"{PROJECT}/property_definitions", list_definitions,
        "List the names of properties; type is event, person or group", "property_definition:read",
        page_of(DEFINITION),
        parameters=("limit", "offset", "search", "type", "group_type_index", "event_names", "is_numerical"),
    ),
    _READ(
        f"{PROJECT}/persons/values", person_values, "List the most frequent values of a user property",
        "person:read", VALUES, parameters=("key", "value"),
    ),
    _READ(
        f"{PROJECT}/groups/property_values", group_values,
        "List the most frequent values of a group property", "group:read", VALUES,
        parameters=("key", "value", "group_type_index"),
    ),
)  # fmt: skip
