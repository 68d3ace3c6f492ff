"""The table of evaluating operations."""

from functools import partial

from flagtui.service.answers import Answer
from flagtui.service.call import Call
from flagtui.service.evaluation import schemas
from flagtui.service.evaluation.cohorts import create_static_cohort, list_cohorts
from flagtui.service.evaluation.local import document_answer, local_evaluation, sdk_project
from flagtui.service.evaluation.reach import user_blast_radius
from flagtui.service.evaluation.reasons import evaluation_reasons, my_flags, try_flag
from flagtui.service.operations import PROJECT, Operation

FLAGS = f"{PROJECT}/feature_flags"
ONE = f"{FLAGS}/{{id}}"
READ, WRITE = "feature_flag:read", "feature_flag:write"
_OF_PERSON = ("distinct_id", "groups", "flag_keys")
_ask = partial(Operation, scope=READ, slow=True)
_document = partial(Operation, slow=True, answers=schemas.DOCUMENT, statuses=(200, 304))

LOCAL_EVALUATION = _document(
    "GET",
    f"{FLAGS}/local_evaluation",
    local_evaluation,
    "Everything an SDK evaluates with",
    READ,
    parameters=("send_cohorts",),
)


def definitions_for_sdk(call: Call) -> Answer:
    return document_answer(call, sdk_project(call, LOCAL_EVALUATION))


OPERATIONS = (
    _ask(
        "GET",
        f"{FLAGS}/evaluation_reasons",
        evaluation_reasons,
        "Every flag's value for one person, and why",
        answers=schemas.REASONS,
        parameters=_OF_PERSON,
    ),
    _ask(
        "GET",
        f"{FLAGS}/my_flags",
        my_flags,
        "Every flag's value for the caller",
        answers=schemas.OWN,
        parameters=_OF_PERSON[1:],
    ),
    LOCAL_EVALUATION,
    *(
        _document(
            "GET", path, definitions_for_sdk, summary, parameters=("token", "send_cohorts"), public=True
        )
        for path, summary in (
            ("/flags/definitions", "Everything an SDK evaluates with, by project token"),
            ("/api/feature_flag/local_evaluation", "The same under its older path"),
        )
    ),
    _ask(
        "POST",
        f"{FLAGS}/user_blast_radius",
        user_blast_radius,
        "How many people a condition fits",
        answers=schemas.REACH,
        body=schemas.REACH_BODY,
    ),
    _ask(
        "POST",
        f"{ONE}/test_evaluation",
        try_flag,
        "One flag for one person, explained",
        answers=schemas.TRIAL,
        body=schemas.TRIAL_BODY,
    ),
    Operation(
        "POST",
        f"{ONE}/create_static_cohort_for_flag",
        create_static_cohort,
        "A list of the people for whom it is on",
        WRITE,
        schemas.ANSWERED_COHORT,
        statuses=(201,),
        closed=True,
    ),
    Operation(
        "GET",
        f"{PROJECT}/cohorts",
        list_cohorts,
        "List cohorts",
        "cohort:read",
        schemas.COHORTS,
        parameters=("limit", "offset", "search", "hide_behavioral_cohorts"),
    ),
)
