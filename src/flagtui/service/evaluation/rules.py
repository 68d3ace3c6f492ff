"""Evaluation of flags of version 2 for stored persons, in the records that version 1 has."""

from collections.abc import Mapping
from typing import Final

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Reason, RuleReason, RulesEvaluation
from flagtui.evaluate.explanation import describe_unknown
from flagtui.evaluate.rules_v2 import evaluate_rules
from flagtui.evaluate.run import Manner, Person
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json
from flagtui.service.evaluation.costly import is_costly
from flagtui.service.flags.rules.documents import config_version
from flagtui.service.responses import text_of, value_of

_DESCRIPTIONS: Final[Mapping[RuleReason, str]] = {
    RuleReason.TARGETING_MATCH: "Matched rule {}",
    RuleReason.ROLLOUT_MISS: "Rule {} rollout miss",
    RuleReason.EXPERIMENT_PAUSED: "Rule {} is paused",
    RuleReason.HOLDOUT: "Rule {} holdout",
    RuleReason.NO_RULE_MATCH: "No rule matched",
}


def evaluate_stored_rules(
    call: Call, key: str, person: Person, definitions: Definitions
) -> RulesEvaluation | None:
    """Return the evaluation of an active flag of version 2; None for other flags and without the pilot."""
    flag = definitions.flags[key]
    if not (call.settings.rules_v2 and flag.is_newer and flag.is_active):
        return None
    row = find(call.db, "flags", project_id=call.project.id, key=key, deleted=0)
    filters = None if row is None else value_of(row["filters"])
    if filters is None or config_version(filters) != 2:
        return None
    manner = Manner(person.now, definitions.matching_version, definitions.time_zone)
    return evaluate_rules(filters, person, manner)


def serve_value(result: RulesEvaluation) -> bool | str | None:
    """Return what a record of version 1 has as its value.

    A string is a variant; a number and an object are true, with themselves as the payload. A null default
    and a failed evaluation are false. None: a pattern was too costly to evaluate here.
    """
    if is_costly(result.failure):
        return None
    value = result.value
    return value if isinstance(value, bool | str) else value is not None


def payload_of(result: RulesEvaluation) -> str | None:
    """Return the JSON text of a number or an object; None for the other values."""
    return None if result.value is None or isinstance(result.value, bool | str) else text_of(result.value)


def reason_of(result: RulesEvaluation) -> str:
    is_match = result.reason is RuleReason.TARGETING_MATCH
    return Reason.CONDITION_MATCH.value if is_match else result.reason.value


def describe_rules(result: RulesEvaluation) -> str:
    if result.failure is not None:
        return f"Flag cannot be evaluated: {describe_unknown(result.failure)}"
    return _DESCRIPTIONS[result.reason].format((result.rule_index or 0) + 1)


def explain_rules(result: RulesEvaluation) -> dict[str, Json]:
    """Return the members of a trial that the rules decide."""
    return {
        "result": serve_value(result),
        "reason": reason_of(result),
        "reason_description": describe_rules(result),
        "condition_index": result.rule_index,
        "payload": payload_of(result),
        "conditions": [],
    }
