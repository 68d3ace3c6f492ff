"""The table of evaluating operations."""

from functools import partial
from typing import Any

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
_DOCUMENTS = {200: schemas.DOCUMENT, 304: None}
_FOR_SDK: dict[str, Any] = {
    "public": True,
    "slow": True,
    "parameters": ("token", "send_cohorts"),
    "answers": _DOCUMENTS,
}

_ask = partial(Operation, scope=READ, slow=True)

LOCAL_EVALUATION = _ask(
    "GET",
    f"{FLAGS}/local_evaluation",
    local_evaluation,
    "Everything an SDK evaluates with",
    parameters=("send_cohorts",),
    answers=_DOCUMENTS,
)


def definitions_for_sdk(call: Call) -> Answer:
    return document_answer(call, sdk_project(call, LOCAL_EVALUATION))


OPERATIONS = (
    _ask(
        "GET",
        f"{FLAGS}/evaluation_reasons",
        evaluation_reasons,
        "Every flag's value for one person, and why",
        parameters=_OF_PERSON,
        answers={200: schemas.REASONS},
    ),
    _ask(
        "GET",
        f"{FLAGS}/my_flags",
        my_flags,
        "Every flag's value for the caller",
        parameters=_OF_PERSON[1:],
        answers={200: schemas.OWN},
    ),
    LOCAL_EVALUATION,
    *(
        Operation("GET", path, definitions_for_sdk, summary, **_FOR_SDK)
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
        body=schemas.REACH_BODY,
        answers={200: schemas.REACH},
    ),
    _ask(
        "POST",
        f"{ONE}/test_evaluation",
        try_flag,
        "One flag for one person, explained",
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
