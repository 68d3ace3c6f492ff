"""JSON Schema of parts that many responses and bodies share, for the schema document."""

from collections.abc import Iterable, Mapping
from typing import Final

from flagtui.service.errors import Json

TEXT: Final[Json] = {"type": "string"}
MAYBE_TEXT: Final[Json] = {"type": ["string", "null"]}
UUID: Final[Json] = {"type": "string", "format": "uuid"}
MOMENT: Final[Json] = {"type": "string", "format": "date-time"}
MAYBE_MOMENT: Final[Json] = {"type": ["string", "null"], "format": "date-time"}
TRUTH: Final[Json] = {"type": "boolean"}
MAYBE_TRUTH: Final[Json] = {"type": ["boolean", "null"]}
NUMBER: Final[Json] = {"type": "integer"}
MAYBE_NUMBER: Final[Json] = {"type": ["integer", "null"]}
OBJECT: Final[Json] = {"type": "object"}
MAYBE_OBJECT: Final[Json] = {"type": ["object", "null"]}
SHARE: Final[Json] = {"type": "number", "minimum": 0, "maximum": 100}


def list_of(item: Json) -> Json:
    return {"type": "array", "items": item}


RECORD_NAME: Final = "x-record"
"""Marks the schema of a kind of record, whose fields differ between generations."""


def record(properties: Mapping[str, Json], required: Iterable[str] = (), of: str = "") -> Json:
    """Return an object; `of` is the name of the record in the table of generations."""
    named = {"required": list(required)} if required else {}
    marked = {RECORD_NAME: of} if of else {}
    return {"type": "object", "properties": dict(properties), **named, **marked}


def nullable(schema: Json) -> Json:
    return {**schema, "type": ["object", "null"]}


def whole(properties: Mapping[str, Json]) -> Json:
    """Return a record that always has every field."""
    return record(properties, properties)


def words(allowed: Iterable[str], *more: str | None) -> Json:
    return {"enum": [*allowed, *more]}


TEXTS: Final = list_of(TEXT)
MAYBE_TEXTS: Final[Json] = {"type": ["array", "null"], "items": TEXT}
NUMBERS: Final = list_of(NUMBER)
OBJECTS: Final = list_of(OBJECT)

USER_FIELDS: Final[Mapping[str, Json]] = {
    "id": NUMBER,
    "uuid": UUID,
    "distinct_id": MAYBE_TEXT,
    "first_name": TEXT,
    "last_name": TEXT,
    "email": TEXT,
    "is_email_verified": MAYBE_TRUTH,
    "hedgehog_config": MAYBE_OBJECT,
    "role_at_organization": MAYBE_TEXT,
}
USER: Final = nullable(record(USER_FIELDS, ("id", "uuid", "email"), of="user"))
"""A user as other records nest it; null where no user is stored."""
ACTIVITY_PAGE: Final = whole(
    {"results": OBJECTS, "next": MAYBE_TEXT, "previous": MAYBE_TEXT, "total_count": NUMBER}
)


def page_of(item: Json, **more: Json) -> Json:
    places = {"count": NUMBER, "next": MAYBE_TEXT, "previous": MAYBE_TEXT}
    return record({**places, **more, "results": list_of(item)}, (*places, "results"))
