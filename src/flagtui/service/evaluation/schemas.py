"""JSON Schemas of the evaluating operations, for the schema document."""

from typing import Final

from flagtui.service.errors import Json

_TEXT: Final[Json] = {"type": "string"}
_MAYBE_TEXT: Final[Json] = {"type": ["string", "null"]}
_MAYBE_NUMBER: Final[Json] = {"type": ["integer", "null"]}
_YES_OR_NO: Final[Json] = {"type": "boolean"}
_VALUE: Final[Json] = {"type": ["boolean", "string"]}


def _object(required: dict[str, Json], optional: dict[str, Json] | None = None) -> Json:
    properties = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "properties": properties}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


_MINIMAL_FLAG: Final = _object(
    {
        "id": {"type": "integer"},
        "team_id": {"type": "integer"},
        "key": _TEXT,
        "name": _TEXT,
        "filters": {"type": "object"},
        "deleted": _YES_OR_NO,
        "active": _YES_OR_NO,
        "version": _MAYBE_NUMBER,
    }
)
_REASON: Final = _object({"reason": _TEXT, "condition_index": _MAYBE_NUMBER}, {"description": _TEXT})
_PROPERTY: Final = _object(
    {"key": _TEXT, "operator": _TEXT, "type": _TEXT, "matched": _YES_OR_NO, "explanation": _TEXT}
)
_CONDITION: Final = _object(
    {
        "index": {"type": "integer"},
        "matched": _YES_OR_NO,
        "properties_matched": _YES_OR_NO,
        "explanation": _TEXT,
        "rollout_percentage": {"type": "number"},
        "rollout_excluded": _YES_OR_NO,
        "variant": _MAYBE_TEXT,
        "properties": _list(_PROPERTY),
    }
)

REASONS: Final[Json] = {
    "type": "object",
    "additionalProperties": _object({"value": _VALUE, "evaluation": _REASON}),
}
OWN: Final = _list(_object({"feature_flag": _MINIMAL_FLAG, "value": _VALUE}))
DOCUMENT: Final = _object(
    {
        "flags": _list(_MINIMAL_FLAG),
        "group_type_mapping": {"type": "object", "additionalProperties": _TEXT},
        "cohorts": {"type": "object", "additionalProperties": {"type": "object"}},
    }
)
REACH: Final[Json] = {
    "type": "object",
    "minProperties": 2,
    "additionalProperties": {"type": "integer", "minimum": 0},
}
REACH_BODY: Final = _object(
    {"condition": {"type": ["object", "null"], "properties": {"properties": {"type": ["array", "null"]}}}},
    {"group_type_index": _MAYBE_NUMBER},
)
TRIAL: Final = _object(
    {
        "flag_key": _TEXT,
        "result": _VALUE,
        "reason": _TEXT,
        "reason_description": _MAYBE_TEXT,
        "condition_index": _MAYBE_NUMBER,
        "person_properties": {"type": "object"},
        "evaluation_distinct_id": _TEXT,
        "conditions": _list(_CONDITION),
    }
)
TRIAL_BODY: Final[Json] = {
    "type": "object",
    "properties": {
        "distinct_id": _MAYBE_TEXT,
        "person_id": _MAYBE_TEXT,
        "timestamp": {"type": ["string", "null"], "format": "date-time"},
        "groups": {"type": ["object", "null"]},
    },
}
_COHORT: Final = _object(
    {
        "id": {"type": "integer"},
        "name": _TEXT,
        "is_static": _YES_OR_NO,
        "is_calculating": _YES_OR_NO,
        "count": _MAYBE_NUMBER,
        "created_at": _TEXT,
    }
)
ANSWERED_COHORT: Final = _object({"cohort": _COHORT})
COHORTS: Final = _object(
    {
        "count": {"type": "integer"},
        "next": _MAYBE_TEXT,
        "previous": _MAYBE_TEXT,
        "results": _list(_COHORT),
    }
)
