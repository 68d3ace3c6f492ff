"""Every flag's value for one person: with its reason, and as the caller's own flags."""

import sqlite3
from collections.abc import Mapping

from flagtui.evaluate.evaluation import Evaluation, Reason
from flagtui.evaluate.explanation import describe_unknown
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.service.answers import Answer, answer, spliced, text_of
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.definitions import load_definitions, minimal_text
from flagtui.service.evaluation.people import load_person, read_flag_keys, read_groups
from flagtui.service.flags.representation import shown_filters

_DESCRIPTIONS: Mapping[Reason, str] = {
    Reason.NO_CONDITION_MATCH: "No matching condition set",
    Reason.OUT_OF_ROLLOUT: "Out of rollout bound",
    Reason.NO_GROUP_TYPE: "No group type",
    Reason.ENROLLMENT: "Super condition value",
    Reason.HOLDOUT: "Holdout condition value",
    Reason.DISABLED: "Feature flag is disabled",
    Reason.MISSING_DEPENDENCY: "Flag cannot be evaluated due to missing dependency",
    Reason.UNKNOWN: "Flag cannot be evaluated",
}


def evaluation_reasons(call: Call) -> Answer:
    distinct_id = call.query.get("distinct_id")
    if distinct_id is None:
        raise invalid("This field is required.", "distinct_id", "required")
    if not distinct_id:
        raise invalid("This field may not be blank.", "distinct_id", "blank")
    values = evaluate_for(call, distinct_id)
    return answer({key: _reasoned(call, found) for key, found in values.items()})


def my_flags(call: Call) -> Answer:
    if not call.caller.distinct_id:
        raise invalid("User distinct_id is required")
    values = evaluate_for(call, call.caller.distinct_id)
    rows = call.db.execute(
        "SELECT * FROM flags WHERE project_id = ? AND deleted = 0"
        " AND NOT EXISTS (SELECT 1 FROM surveys AS s WHERE s.internal_flag_id = flags.id)"
        " ORDER BY created_at DESC, id DESC",
        (call.project.id,),
    )
    return spliced("[" + ",".join(_own(call, row, values) for row in rows if row["key"] in values) + "]")


def _own(call: Call, row: sqlite3.Row, values: Mapping[str, Evaluation]) -> str:
    flag = minimal_text(call, row, shown_filters(call, row))
    return f'{{"feature_flag":{flag},"value":{text_of(told(values[row["key"]]))}}}'


def evaluate_for(call: Call, distinct_id: str) -> dict[str, Evaluation]:
    """By key, in the order flags are listed."""
    groups, wanted = read_groups(call), read_flag_keys(call)
    person: Person = load_person(call.db, call.project.id, distinct_id, groups, call.now)
    definitions = load_definitions(call.db, call.project.id)
    keys = [key for key in definitions.flags if wanted is None or key in wanted]
    return {key: evaluate(key, person, definitions) for key in keys}


def told(evaluation: Evaluation) -> bool | str:
    """The server always has a value: what it cannot evaluate is off."""
    return False if evaluation.value is None else evaluation.value


def describe_reason(evaluation: Evaluation) -> str:
    if evaluation.reason is Reason.CONDITION_MATCH:
        return f"Matched condition set {(evaluation.condition_index or 0) + 1}"
    if evaluation.unknown and evaluation.reason is Reason.UNKNOWN:
        return f"{_DESCRIPTIONS[Reason.UNKNOWN]}: {describe_unknown(evaluation.unknown)}"
    return _DESCRIPTIONS[evaluation.reason]


def _reasoned(call: Call, evaluation: Evaluation) -> dict[str, Json]:
    if evaluation.reason is Reason.DISABLED:
        return {"value": False, "evaluation": {"reason": "disabled", "condition_index": None}}
    reason: dict[str, Json] = {
        "reason": evaluation.reason.value,
        "condition_index": evaluation.condition_index,
        "description": describe_reason(evaluation),
    }
    return {"value": told(evaluation), "evaluation": call.generation.written("reason", reason)}
