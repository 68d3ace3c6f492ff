"""One flag tried on one person, with every condition explained."""

import sqlite3
from datetime import datetime

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Check, ConditionResult, Evaluation, Outcome
from flagtui.evaluate.explanation import describe_check, describe_condition
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.parts import Flag
from flagtui.evaluate.run import Person
from flagtui.service.answers import Answer, answer
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, hand_written, invalid, not_found
from flagtui.service.evaluation.definitions import evaluated, load_definitions_for
from flagtui.service.evaluation.people import load_groups, load_person
from flagtui.service.evaluation.reasons import describe_reason, told
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.rows import called_row


def try_flag(call: Call) -> Answer:
    row = called_row(call)
    check_level(call, row["id"], "viewer")
    if row["deleted"]:
        raise not_found()
    person = _subject(call)
    definitions = load_definitions_for(call.db, call.project.id, evaluated(row))
    found = evaluate(row["key"], person, definitions)
    return answer(_explained(row, person, definitions, found))


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
        raise hand_written(404, {"detail": f"Person not found for person_id: {person_id}"})
    distinct_id: str = row["distinct_id"]
    return distinct_id


def _explained(row: sqlite3.Row, person: Person, definitions: Definitions, found: Evaluation) -> Json:
    flag = definitions.flags[row["key"]]
    return {
        "flag_key": row["key"],
        "result": told(found),
        "reason": found.reason.value,
        "reason_description": describe_reason(found),
        "condition_index": found.condition_index,
        "payload": found.payload,
        "person_properties": dict(person.properties),
        "evaluation_distinct_id": person.distinct_id,
        "conditions": [_condition(flag, result) for result in found.conditions],
    }


def _condition(flag: Flag, result: ConditionResult) -> Json:
    condition = flag.conditions[result.index]
    percentage = 100.0 if condition.percentage is None else float(condition.percentage)
    return {
        "index": result.index,
        "matched": result.outcome is Outcome.MATCHED,
        "properties_matched": result.outcome in (Outcome.MATCHED, Outcome.OUT_OF_ROLLOUT),
        "explanation": describe_condition(result),
        "rollout_percentage": percentage,
        "rollout_excluded": result.outcome is Outcome.OUT_OF_ROLLOUT,
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
