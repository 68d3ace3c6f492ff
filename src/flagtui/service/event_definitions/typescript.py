"""Types for the events of a project, as TypeScript source."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.service.call import Call
from flagtui.service.responses import Response, respond

VERSION: Final = "1.0.0"
"""The version of the generated text: a different text for the same events needs a new one."""
_TYPES: Final = {"String": "string", "Numeric": "number", "Boolean": "boolean", "DateTime": "string | Date"}
_HEAD: Final = "// Made from the event definitions of this project. Changes will be overwritten.\n"

Properties = Mapping[str, str]
"""TypeScript types by property."""


def typescript(call: Call) -> Response:
    events = dict(_events(call.db, call.project.id))
    schema = json.dumps(events, sort_keys=True)
    return respond(
        {
            "content": source_of(events),
            "event_count": len(events),
            "schema_hash": hashlib.sha256(schema.encode()).hexdigest()[:32],
            "generator_version": VERSION,
        }
    )


def _events(db: sqlite3.Connection, project_id: int) -> Iterator[tuple[str, Properties]]:
    """Return every event that is not hidden, with the properties it was seen with."""
    properties: dict[str, dict[str, str]] = {}
    for row in db.execute(
        "SELECT event, name, property_type FROM property_definitions WHERE project_id = ? ORDER BY name",
        (project_id,),
    ):
        properties.setdefault(row["event"], {})[row["name"]] = _TYPES.get(row["property_type"], "any")
    for (name,) in db.execute(
        "SELECT name FROM event_definitions WHERE project_id = ? AND hidden IS NOT 1 ORDER BY name",
        (project_id,),
    ):
        yield name, properties.get(name, {})


def source_of(events: Mapping[str, Properties]) -> str:
    """Return TypeScript; names are ASCII strings, so that no name ends its line or becomes code."""
    entries = "".join(f"  {json.dumps(name)}: {_shape(properties)};\n" for name, properties in events.items())
    return (
        f"{_HEAD}\nexport interface EventSchemas {{\n{entries}}}\n\n"
        "export type EventName = keyof EventSchemas;\n\n"
        "export type EventProperties<Name extends EventName> = EventSchemas[Name];\n"
    )


def _shape(properties: Properties) -> str:
    if not properties:
        return "Record<string, any>"
    return "{ " + "; ".join(f"{json.dumps(name)}?: {kind}" for name, kind in properties.items()) + " }"
