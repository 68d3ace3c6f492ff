"""Every flag's value for one person, with its reason; and one flag tried, with every condition explained."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import (
    Check,
    ConditionResult,
    Ending,
    Evaluation,
    Reason,
    RulesEvaluation,
    Unknown,
    Why,
)
from flagtui.evaluate.explanation import describe_check, describe_condition, describe_unknown
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.parts import FlagParts
from flagtui.evaluate.run import Person
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, invalid, not_found
from flagtui.service.evaluation.costly import is_costly
from flagtui.service.evaluation.rules import (
    describe_rules,
    evaluate_stored_rules,
    explain_rules,
    reason_of,
    serve_value,
)
from flagtui.service.evaluation.stored import (
    evaluator_fields,
    load_definitions,
    load_definitions_for,
    load_groups,
    load_person,
    minimal_text,
    read_flag_keys,
    read_groups,
)
from flagtui.service.flags.representation import shown_filters
from flagtui.service.flags.rows import called_row
from flagtui.service.responses import Response, respond, respond_text, text_of

Result = Evaluation | RulesEvaluation
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


def evaluation_reasons(call: Call) -> Response:
    distinct_id = call.query.get("distinct_id")
    if distinct_id is None:
        raise invalid("This field is required.", "distinct_id", "required")
    if not distinct_id:
        raise invalid("This field may not be blank.", "distinct_id", "blank")
    values = evaluate_for(call, distinct_id)
    return respond({key: _reason_of(call, result) for key, result in values.items()})


def my_flags(call: Call) -> Response:
    if not call.caller.distinct_id:
        raise invalid("User distinct_id is required")
    values = evaluate_for(call, call.caller.distinct_id)
    rows = call.db.execute(
        "SELECT * FROM flags WHERE project_id = ? AND deleted = 0"
        " AND NOT EXISTS (SELECT 1 FROM surveys AS s WHERE s.internal_flag_id = flags.id)"
        " ORDER BY created_at DESC, id DESC",
        (call.project.id,),
    )
    return respond_text("[" + ",".join(_own(call, row, values) for row in rows if row["key"] in values) + "]")


def _own(call: Call, row: sqlite3.Row, values: Mapping[str, Result]) -> str:
    flag = minimal_text(call, row, shown_filters(call, row))
    return f'{{"feature_flag":{flag},"value":{text_of(value_served(values[row["key"]]))}}}'


def evaluate_for(call: Call, distinct_id: str) -> dict[str, Result]:
    """Return the results by flag key, in the order flags are listed."""
    groups, requested = read_groups(call), read_flag_keys(call)
    person: Person = load_person(call.db, call.project.id, distinct_id, groups, call.now)
    definitions = load_definitions(call.db, call.project.id, requested)
    keys = [key for key in definitions.flags if requested is None or key in requested]
    return {
        key: evaluate_stored_rules(call, key, person, definitions) or _by_conditions(key, person, definitions)
        for key in keys
    }


def _by_conditions(key: str, person: Person, definitions: Definitions) -> Evaluation:
    """Return the result of a flag with conditions; without the pilot, rules cannot be evaluated."""
    evaluation = evaluate(key, person, definitions)
    if evaluation.rules is None:
        return evaluation
    return Evaluation(key, None, Reason.UNKNOWN, unknown=Unknown(Why.CONFIGURATION_NEWER, key))


def value_served(evaluation: Result) -> bool | str | None:
    """Return the value; False if the server cannot evaluate it, None if only this service cannot."""
    if isinstance(evaluation, RulesEvaluation):
        return serve_value(evaluation)
    if is_costly(evaluation.unknown):
        return None
    return False if evaluation.value is None else evaluation.value


def describe_reason(evaluation: Evaluation) -> str:
    if evaluation.reason is Reason.CONDITION_MATCH:
        return f"Matched condition set {(evaluation.condition_index or 0) + 1}"
    if evaluation.unknown and evaluation.reason is Reason.UNKNOWN:
        return f"{_DESCRIPTIONS[Reason.UNKNOWN]}: {describe_unknown(evaluation.unknown)}"
    return _DESCRIPTIONS[Reason(evaluation.reason)]


def _reason_of(call: Call, evaluation: Result) -> dict[str, Json]:
    if evaluation.reason is Reason.DISABLED:
        return {"value": False, "evaluation": {"reason": "disabled", "condition_index": None}}
    reason: dict[str, Json]
    if isinstance(evaluation, RulesEvaluation):
        index, word, description = evaluation.rule_index, reason_of(evaluation), describe_rules(evaluation)
    else:
        index, word = evaluation.condition_index, evaluation.reason.value
        description = describe_reason(evaluation)
    reason = {"reason": word, "condition_index": index, "description": description}
    return {"value": value_served(evaluation), "evaluation": call.generation.adapt_record("reason", reason)}


def try_flag(call: Call) -> Response:
    row = called_row(call, "viewer")
    if row["deleted"]:
        raise not_found()
    person = _subject(call)
    definitions = load_definitions_for(call.db, call.project.id, evaluator_fields(row))
    explained = _explain(row, person, definitions, _by_conditions(row["key"], person, definitions))
    rules = evaluate_stored_rules(call, row["key"], person, definitions)
    return respond(explained if rules is None else explained | explain_rules(rules))


def _subject(call: Call) -> Person:
    fields = Fields(call.body())
    distinct_id = fields.text("distinct_id", null=True)
    person_id = fields.text("person_id", null=True)
    if not distinct_id and not person_id:
        raise invalid("Either distinct_id or person_id must be provided")
    if distinct_id and person_id:
        raise invalid("Cannot provide both distinct_id and person_id")
    moment: datetime = fields.moment("timestamp") or call.now
    groups = load_groups(call.db, call.project.id, fields.mapping("groups", null=True) or {})
    chosen = distinct_id or _distinct_id_of(call, person_id or "")
    return load_person(call.db, call.project.id, chosen, groups, moment)


def _distinct_id_of(call: Call, person_id: str) -> str:
    row = call.db.execute(
        "SELECT min(d.distinct_id) AS distinct_id FROM persons AS p"
        " JOIN distinct_ids AS d ON d.person_id = p.id WHERE p.project_id = ? AND p.uuid = ?",
        (call.project.id, person_id),
    ).fetchone()
    if row["distinct_id"] is None:
        raise Fault(404, {"detail": f"Person not found for person_id: {person_id}"})
    distinct_id: str = row["distinct_id"]
    return distinct_id


def _explain(
    row: sqlite3.Row, person: Person, definitions: Definitions, result: Evaluation
) -> dict[str, Json]:
    flag = definitions.flags[row["key"]]
    return {
        "flag_key": row["key"],
        "result": value_served(result),
        "reason": result.reason.value,
        "reason_description": describe_reason(result),
        "condition_index": result.condition_index,
        "payload": result.payload,
        "person_properties": dict(person.properties),
        "evaluation_distinct_id": person.distinct_id,
        "conditions": [_condition(flag, result) for result in result.conditions],
    }


def _condition(flag: FlagParts, result: ConditionResult) -> Json:
    condition = flag.conditions[result.index]
    percentage = 100.0 if condition.percentage is None else float(condition.percentage)
    return {
        "index": result.index,
        "matched": result.outcome is Ending.MATCHED,
        "properties_matched": result.outcome in (Ending.MATCHED, Ending.OUT_OF_ROLLOUT),
        "explanation": describe_condition(result),
        "rollout_percentage": percentage,
        "rollout_excluded": result.outcome is Ending.OUT_OF_ROLLOUT,
        "variant": condition.variant,
        "properties": [_property(check) for check in result.checks],
    }


def _property(check: Check) -> Json:
    return {
        "key": check.filter.key,
        "operator": check.filter.operator,
        "value": check.filter.value,
        "type": check.filter.type,
        "actual_value": check.actual,
        "matched": check.verdict is True,
        "explanation": describe_check(check),
    }
