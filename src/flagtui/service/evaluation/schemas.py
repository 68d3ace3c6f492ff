"""JSON Schemas of the evaluating operations, for the schema document."""

from typing import Final

from flagtui.service.errors import Json
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MAYBE_NUMBER,
    MAYBE_OBJECT,
    MAYBE_TEXT,
    NUMBER,
    OBJECT,
    TEXT,
    TRUTH,
    listed,
    page_of,
    record,
    whole,
)

_VALUE: Final[Json] = {"type": ["boolean", "string"]}

_MINIMAL_FLAG: Final = whole(
    {
        "id": NUMBER,
        "team_id": NUMBER,
        "key": TEXT,
        "name": TEXT,
        "filters": OBJECT,
        "deleted": TRUTH,
        "active": TRUTH,
        "version": MAYBE_NUMBER,
    }
)
_REASON: Final = record(
    {"reason": TEXT, "condition_index": MAYBE_NUMBER, "description": TEXT}, ("reason", "condition_index")
)
_PROPERTY: Final = whole({"key": TEXT, "operator": TEXT, "type": TEXT, "matched": TRUTH, "explanation": TEXT})
_CONDITION: Final = whole(
    {
        "index": NUMBER,
        "matched": TRUTH,
        "properties_matched": TRUTH,
        "explanation": TEXT,
        "rollout_percentage": {"type": "number"},
        "rollout_excluded": TRUTH,
        "variant": MAYBE_TEXT,
        "properties": listed(_PROPERTY),
    }
)

REASONS: Final[Json] = {
    "type": "object",
    "additionalProperties": whole({"value": _VALUE, "evaluation": _REASON}),
}
OWN: Final = listed(whole({"feature_flag": _MINIMAL_FLAG, "value": _VALUE}))
DOCUMENT: Final = whole(
    {
        "flags": listed(_MINIMAL_FLAG),
        "group_type_mapping": {"type": "object", "additionalProperties": TEXT},
        "cohorts": {"type": "object", "additionalProperties": OBJECT},
    }
)
REACH: Final[Json] = {
    "type": "object",
    "minProperties": 2,
    "additionalProperties": {"type": "integer", "minimum": 0},
}
REACH_BODY: Final = record(
    {
        "condition": {**MAYBE_OBJECT, "properties": {"properties": {"type": ["array", "null"]}}},
        "group_type_index": MAYBE_NUMBER,
    },
    ("condition",),
)
TRIAL: Final = whole(
    {
        "flag_key": TEXT,
        "result": _VALUE,
        "reason": TEXT,
        "reason_description": MAYBE_TEXT,
        "condition_index": MAYBE_NUMBER,
        "person_properties": OBJECT,
        "evaluation_distinct_id": TEXT,
        "conditions": listed(_CONDITION),
    }
)
TRIAL_BODY: Final = record(
    {
        "distinct_id": MAYBE_TEXT,
        "person_id": MAYBE_TEXT,
        "timestamp": MAYBE_MOMENT,
        "groups": MAYBE_OBJECT,
    }
)
_COHORT: Final = whole(
    {
        "id": NUMBER,
        "name": TEXT,
        "is_static": TRUTH,
        "is_calculating": TRUTH,
        "count": MAYBE_NUMBER,
        "created_at": TEXT,
    }
)
ANSWERED_COHORT: Final = whole({"cohort": _COHORT})
COHORTS: Final = page_of(_COHORT)
