"""The table of evaluating operations, and the JSON Schemas of their responses and bodies."""

from functools import partial
from typing import Final

from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.evaluation.cohorts import create_static_cohort, list_cohorts
from flagtui.service.evaluation.local import document_answer, local_evaluation, sdk_project
from flagtui.service.evaluation.reach import user_blast_radius
from flagtui.service.evaluation.reasons import evaluation_reasons, my_flags, try_flag
from flagtui.service.evaluation.stored import list_group_types
from flagtui.service.flags.fields import SUMMARY_SCHEMA
from flagtui.service.flags.operations import FLAGS, ONE, READ, WRITE
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.responses import Response
from flagtui.service.shapes import (
    MAYBE_MOMENT,
    MAYBE_NUMBER,
    MAYBE_OBJECT,
    MAYBE_TEXT,
    NUMBER,
    OBJECT,
    OBJECTS,
    TEXT,
    TRUTH,
    USER,
    list_of,
    page_of,
    record,
    whole,
)

_VALUE: Final[Json] = {"type": ["boolean", "string", "null"]}
"""Null where a pattern is too costly to evaluate here."""

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
        "properties": list_of(_PROPERTY),
    }
)

REASONS: Final[Json] = {
    "type": "object",
    "additionalProperties": whole({"value": _VALUE, "evaluation": _REASON}),
}
OWN: Final = list_of(whole({"feature_flag": SUMMARY_SCHEMA, "value": _VALUE}))
DOCUMENT: Final = whole(
    {
        "flags": list_of(SUMMARY_SCHEMA),
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
        "conditions": list_of(_CONDITION),
    }
)
TRIAL_BODY: Final = record(
    {"distinct_id": MAYBE_TEXT, "person_id": MAYBE_TEXT, "timestamp": MAYBE_MOMENT, "groups": MAYBE_OBJECT}
)
_COHORT: Final = whole(
    {
        "id": NUMBER,
        "created_by": USER,
        "name": TEXT,
        "is_static": TRUTH,
        "is_calculating": TRUTH,
        "count": MAYBE_NUMBER,
        "created_at": TEXT,
    }
)
ANSWERED_COHORT: Final = whole({"cohort": _COHORT})
COHORTS: Final = page_of(_COHORT)

_OF_PERSON = ("distinct_id", "groups", "flag_keys")
_ask = partial(Operation, scope=READ, slow=True)
_document = partial(Operation, slow=True, response=DOCUMENT, statuses=(200, 304))

LOCAL_EVALUATION = _document(
    "GET",
    f"{FLAGS}/local_evaluation",
    local_evaluation,
    "Get the definitions for local evaluation",
    READ,
    parameters=("send_cohorts",),
    project_secret=True,
)


def definitions_for_sdk(call: Call) -> Response:
    return document_answer(call, sdk_project(call, LOCAL_EVALUATION))


OPERATIONS = (
    _ask(
        "GET", f"{FLAGS}/evaluation_reasons", evaluation_reasons,
        "Evaluate all flags for a user, with reasons", response=REASONS, parameters=_OF_PERSON,
    ),
    _ask(
        "GET", f"{FLAGS}/my_flags", my_flags, "Evaluate all flags for the caller", response=OWN,
        parameters=_OF_PERSON[1:],
    ),
    LOCAL_EVALUATION,
    *(
        _document(
            "GET", path, definitions_for_sdk, summary, parameters=("token", "send_cohorts"), public=True
        )
        for path, summary in (
            ("/flags/definitions", "Get the definitions for local evaluation, by project token"),
            (
                "/api/feature_flag/local_evaluation",
                "Get the definitions for local evaluation, by the older path",
            ),
        )
    ),
    _ask(
        "POST", f"{FLAGS}/user_blast_radius", user_blast_radius, "Count the users that a condition matches",
        response=REACH, body=REACH_BODY,
    ),
    _ask(
        "POST", f"{ONE}/test_evaluation", try_flag, "Evaluate a flag for a user, with an explanation",
        response=TRIAL, body=TRIAL_BODY,
    ),
    Operation(
        "POST", f"{ONE}/create_static_cohort_for_flag", create_static_cohort,
        "Create a static cohort of the users served a flag", WRITE, ANSWERED_COHORT, statuses=(201,),
        closed=True,
    ),
    Operation(
        "GET", f"{PROJECT}/groups_types", list_group_types, "List the group types", "group:read", OBJECTS,
    ),
    Operation(
        "GET", f"{PROJECT}/cohorts", list_cohorts,
        "List cohorts; hide_behavioral_cohorts omits those that flags cannot use", "cohort:read", COHORTS,
        parameters=("limit", "offset", "search", "hide_behavioral_cohorts"),
    ),
)  # fmt: skip
