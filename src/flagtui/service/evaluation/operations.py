"""The table of evaluating operations."""

from flagtui.service.answers import Answer
from flagtui.service.call import Call
from flagtui.service.evaluation import schemas
from flagtui.service.evaluation.cohorts import create_static_cohort, list_cohorts
from flagtui.service.evaluation.local import document_answer, local_evaluation, sdk_project
from flagtui.service.evaluation.reach import user_blast_radius
from flagtui.service.evaluation.reasons import evaluation_reasons, my_flags
from flagtui.service.evaluation.trial import try_flag
from flagtui.service.operations import PROJECT, Operation

FLAGS = f"{PROJECT}/feature_flags"
ONE = f"{FLAGS}/{{id}}"
READ, WRITE = "feature_flag:read", "feature_flag:write"
_OF_PERSON = ("distinct_id", "groups", "flag_keys")
_OF_SDK = ("token", "send_cohorts")
_DOCUMENTS = {200: schemas.DOCUMENT, 304: None}

LOCAL_EVALUATION = Operation(
    "GET",
    f"{FLAGS}/local_evaluation",
    local_evaluation,
    "Everything an SDK evaluates with",
    scope=READ,
    slow=True,
    parameters=("send_cohorts",),
    answers=_DOCUMENTS,
)


def definitions_for_sdk(call: Call) -> Answer:
    return document_answer(call, sdk_project(call, LOCAL_EVALUATION))


OPERATIONS = (
    Operation(
        "GET",
        f"{FLAGS}/evaluation_reasons",
        evaluation_reasons,
        "Every flag's value for one person, and why",
        scope=READ,
        slow=True,
        parameters=_OF_PERSON,
        answers={200: schemas.REASONS},
    ),
    Operation(
        "GET",
        f"{FLAGS}/my_flags",
        my_flags,
        "Every flag's value for the caller",
        scope=READ,
        slow=True,
        parameters=_OF_PERSON[1:],
        answers={200: schemas.OWN},
    ),
    LOCAL_EVALUATION,
    Operation(
        "GET",
        "/flags/definitions",
        definitions_for_sdk,
        "Everything an SDK evaluates with, by project token",
        public=True,
        slow=True,
        parameters=_OF_SDK,
        answers=_DOCUMENTS,
    ),
    Operation(
        "GET",
        "/api/feature_flag/local_evaluation",
        definitions_for_sdk,
        "The same under its older path",
        public=True,
        slow=True,
        parameters=_OF_SDK,
        answers=_DOCUMENTS,
    ),
    Operation(
        "POST",
        f"{FLAGS}/user_blast_radius",
        user_blast_radius,
        "How many people a condition fits",
        scope=READ,
        slow=True,
        body=schemas.REACH_BODY,
        answers={200: schemas.REACH},
    ),
    Operation(
        "POST",
        f"{ONE}/test_evaluation",
        try_flag,
        "One flag for one person, explained",
        scope=READ,
        slow=True,
        body=schemas.TRIAL_BODY,
        answers={200: schemas.TRIAL},
    ),
    Operation(
        "POST",
        f"{ONE}/create_static_cohort_for_flag",
        create_static_cohort,
        "A list of the people for whom it is on",
        scope=WRITE,
        writes=True,
        closed=True,
        success=201,
        answers={201: schemas.ANSWERED_COHORT},
    ),
    Operation(
        "GET",
        f"{PROJECT}/cohorts",
        list_cohorts,
        "List cohorts",
        scope="cohort:read",
        parameters=("limit", "offset", "search", "hide_behavioral_cohorts"),
        answers={200: schemas.COHORTS},
    ),
)
