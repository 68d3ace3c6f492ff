"""JSON Schema of event definitions, for the schema document."""

from flagtui.service.errors import Json
from flagtui.service.flags.schemas import USER

_MOMENT = {"type": ["string", "null"], "format": "date-time"}
_TRUTH = {"type": "boolean"}
_MAYBE = {"type": ["boolean", "null"]}
_TEXT = {"type": "string"}
_MAYBE_TEXT = {"type": ["string", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
_ID = {"type": "string", "format": "uuid"}
_IDS = {"type": "array", "items": _ID, "minItems": 1, "maxItems": 500}


def _object(properties: dict[str, Json], *required: str) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


def _listed(item: Json) -> Json:
    return {"type": "array", "items": item}


DEFINITION: Json = _object(
    {
        "id": _ID,
        "name": _TEXT,
        "created_at": _MOMENT,
        "last_seen_at": _MOMENT,
        "last_updated_at": _MOMENT,
        "tags": _TEXTS,
        "is_action": _TRUTH,
        "action_id": {"type": ["integer", "null"]},
        "is_calculating": _TRUTH,
        "last_calculated_at": _MOMENT,
        "created_by": USER,
        "post_to_slack": _TRUTH,
        "enforcement_mode": {"enum": ["allow", "reject"]},
        "primary_property": _MAYBE_TEXT,
        "description": _MAYBE_TEXT,
        "owner": USER,
        "verified": _TRUTH,
        "verified_at": _MOMENT,
        "verified_by": USER,
        "hidden": _MAYBE,
        "updated_at": _MOMENT,
        "updated_by": USER,
        "default_columns": _TEXTS,
        "media_preview_urls": _TEXTS,
    },
    "id",
    "name",
    "tags",
)

DEFINITION_PAGE: Json = _object(
    {
        "count": {"type": "integer"},
        "next": _MAYBE_TEXT,
        "previous": _MAYBE_TEXT,
        "count_is_capped": _TRUTH,
        "results": _listed(DEFINITION),
    },
    "count",
    "next",
    "previous",
    "results",
)

_WRITABLE: dict[str, Json] = {
    "description": _MAYBE_TEXT,
    "owner": {"type": ["integer", "null"]},
    "tags": _TEXTS,
    "verified": _TRUTH,
    "hidden": _MAYBE,
    "enforcement_mode": {"enum": ["allow", "reject"]},
    "primary_property": {"type": ["string", "null"], "minLength": 1, "maxLength": 400},
    "post_to_slack": _TRUTH,
    "default_columns": _TEXTS,
}
UPDATE_BODY: Json = _object(_WRITABLE)
CREATE_BODY: Json = _object(
    {"name": {"type": "string", "minLength": 1, "maxLength": 400}, **_WRITABLE}, "name"
)

_SKIPPED = _listed(_object({"id": _ID, "reason": _TEXT}, "id", "reason"))
_TAGGED = _object({"id": _ID, "tags": _TEXTS}, "id", "tags")
_VERIFIED = _object({"id": _ID, "verified": _TRUTH}, "id", "verified")
_TAG_ACTION = {"enum": ["add", "remove", "set"]}

TAGS_BODY: Json = _object({"ids": _IDS, "action": _TAG_ACTION, "tags": _TEXTS}, "ids", "action", "tags")
VERIFIED_BODY: Json = _object({"ids": _IDS, "verified": _TRUTH}, "ids", "verified")
TAGS_DONE: Json = _object({"updated": _listed(_TAGGED), "skipped": _SKIPPED}, "updated", "skipped")
VERIFIED_DONE: Json = _object({"updated": _listed(_VERIFIED), "skipped": _SKIPPED}, "updated", "skipped")

METRICS: Json = _object({"query_usage_30_day": {"type": "integer"}}, "query_usage_30_day")
PRIMARY: Json = _object(
    {"primary_properties": {"type": "object", "additionalProperties": _TEXT}}, "primary_properties"
)
SOURCE: Json = _object(
    {
        "content": _TEXT,
        "event_count": {"type": "integer"},
        "schema_hash": _TEXT,
        "generator_version": _TEXT,
    },
    "content",
    "event_count",
    "schema_hash",
    "generator_version",
)
