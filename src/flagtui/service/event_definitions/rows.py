"""One event definition: finding it, by name too, and the JSON text it is answered with."""

import re
import sqlite3
from uuid import UUID

from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, not_found, server_error
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.field_kinds import Use
from flagtui.service.responses import Response, join_object, respond, respond_text

SCOPE = "EventDefinition"
JOINED = """
    SELECT d.*, owner.nested AS owner, verifier.nested AS verified_by, editor.nested AS updated_by,
        maker.nested AS created_by, 0 AS is_action, NULL AS action_id, 0 AS is_calculating,
        NULL AS last_calculated_at
    FROM event_definitions AS d
    LEFT JOIN users AS owner ON owner.id = d.owner_id
    LEFT JOIN users AS verifier ON verifier.id = d.verified_by_id
    LEFT JOIN users AS editor ON editor.id = d.updated_by_id
    LEFT JOIN users AS maker ON maker.id = d.created_by_id"""

_UUID_SIGNS = re.compile(r"[0-9A-Fa-f-]+")


def find_row(call: Call, name: str = "id") -> sqlite3.Row:
    """Return the definition of the UUID in the path.

    An unknown UUID is a 404, or a 500 if the service is set to respond like the product.
    """
    definition_id = uuid_text(call.params[name])
    if definition_id is None:
        raise not_found() if call.generation.faults_have_bodies else server_error()
    row = find_by(call.db, call.project.id, "id", definition_id)
    if row is None:
        raise server_error() if call.settings.unknown_definition_fails else not_found()
    return row


def find_by(db: sqlite3.Connection, project_id: int, column: str, value: str) -> sqlite3.Row | None:
    """Return the definition of a project with this id or name, and the users it names."""
    sql = f"{JOINED} WHERE d.project_id = ? AND d.{column} = ?"
    row: sqlite3.Row | None = db.execute(sql, (project_id, value)).fetchone()
    return row


def uuid_text(text: Json) -> str | None:
    """Return the UUID as it is stored; None for any other text."""
    # UUID() skips line breaks, so another text of 32 signs could name the record.
    if not isinstance(text, str) or _UUID_SIGNS.fullmatch(text) is None:
        return None
    try:
        return str(UUID(text))
    except ValueError:
        return None


def written_row(call: Call, definition_id: str) -> sqlite3.Row:
    """Return the definition as this transaction has left it."""
    row = find_by(call.db, call.project.id, "id", definition_id)
    assert row is not None
    return row


def answer_row(call: Call, definition_id: str, status: int = 200) -> Response:
    """Return the definition as it is now."""
    return respond_text(definition_text(call, written_row(call, definition_id)), status)


def definition_text(call: Call, row: sqlite3.Row) -> str:
    """Return JSON text; stored JSON is included unchanged."""
    shown = DEFINITIONS.texts(row, Use.BASIC if call.settings.unlicensed else Use.NONE)
    if "owner" in shown:
        shown["owner"] = row["owner"] or "null"
    if not has_tagging(call):
        shown["tags"] = "[]"
    return join_object(call.generation.adapt_record("event definition", shown))


def has_tagging(call: Call) -> bool:
    """Return whether tags are stored and shown: not without the licence or with tagging turned off."""
    return not call.settings.unlicensed and bool(call.project.settings.get("tagging", True))


def by_name(call: Call) -> Response:
    name = call.query.get("name")
    if not name:
        raise Fault(400, {"detail": "Query parameter 'name' is required"})
    row = find_by(call.db, call.project.id, "name", name)
    if row is None:
        raise Fault(404, {"detail": f"Event definition with name '{name}' not found"})
    return respond_text(definition_text(call, row))


def primary_properties(call: Call) -> Response:
    """Return the primary properties of all events, or of the requested names, that have one."""
    names = set(call.query.getlist("names"))
    rows = call.db.execute(
        "SELECT name, primary_property FROM event_definitions"
        " WHERE project_id = ? AND primary_property IS NOT NULL ORDER BY name",
        (call.project.id,),
    )
    properties = {row["name"]: row["primary_property"] for row in rows if not names or row["name"] in names}
    return respond({"primary_properties": properties})


def metrics(call: Call) -> Response:
    return respond({"query_usage_30_day": find_row(call)["query_usage_30_day"]})
