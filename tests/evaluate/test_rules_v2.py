"""Configuration version 2: documents, people and the values that the product's server serves them."""

import json
from pathlib import Path
from typing import Any

import pytest

from flagtui.evaluate.conditions import holdout_fraction, rollout_fraction, variant_fraction
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, RuleReason, RulesEvaluation, Unknown, Why
from flagtui.evaluate.explanation import describe, describe_rule
from flagtui.evaluate.flags import evaluate as evaluate_flag_of
from flagtui.evaluate.rules_v2 import evaluate_rules
from flagtui.evaluate.run import Manner, Person, Rules

FACTS = json.loads((Path(__file__).parent / "rules_v2.json").read_text("utf-8"))
EVERYONE: dict[str, Any] = {"properties": []}


def evaluate(rules: list[Any], person: Person, default: Any = "default") -> RulesEvaluation:
    document = {"version": 2, "return_type": "string", "default_value": default, "rules": rules}
    return evaluate_rules(document, person, Manner())


def targeted_release(value: Any, /, **predicate: Any) -> dict[str, Any]:
    targeting = {"properties": [{"type": "person", **predicate}] if predicate else []}
    return {"id": "r", "rule_type": "targeted_release", "targeting": targeting, "value": value}


def split(**fields: Any) -> dict[str, Any]:
    variants = [{"key": "a", "weight": 50, "value": "A"}, {"key": "b", "weight": 50, "value": "B"}]
    rule = {
        "id": "r",
        "rule_type": "experiment",
        "targeting": EVERYONE,
        "experiment_id": None,
        "paused": False,
    }
    drawn = {"assignment_algorithm": "sha1_60_v1", "seed": "s", "variants": variants}
    return {**rule, "rollout_percentage": 100, "on_rollout_miss": "return_default", **drawn, **fields}


@pytest.mark.parametrize("fact", [pytest.param(fact, id=fact["name"]) for fact in FACTS["evaluations"]])
def test_rules_serve_the_value_of_the_server(fact: dict[str, Any]) -> None:
    person = Person(fact["distinct_id"], fact["properties"], is_complete=True)
    result = evaluate_rules(fact["filters"], person, Manner())
    actual = (result.value, result.reason, result.rule_index, result.variant)
    assert actual == (fact["value"], fact["reason"], fact["rule_index"], fact["variant"])
    assert type(result.value) is type(fact["value"])


@pytest.mark.parametrize(("use", "seed", "subject", "fraction"), FACTS["fractions"])
def test_seeds_hash_to_fractions_of_the_server(use: str, seed: str, subject: str, fraction: float) -> None:
    hashes = {
        "rollout": rollout_fraction(seed, subject),
        "variant": variant_fraction(seed, subject),
        "holdout": holdout_fraction(subject, seed),
    }
    assert hashes[use] == fraction


def test_missing_property_or_invalid_pattern_fails_the_whole_flag() -> None:
    rules = [targeted_release("x", key="plan", value="pro"), targeted_release("y")]
    result = evaluate(rules, Person("p"))
    assert (result.value, result.reason) == (None, RuleReason.ERROR)
    assert result.failure is not None
    assert result.failure.why is Why.PROPERTY_MISSING
    assert evaluate(rules, Person("p", is_complete=True)).value == "y"
    rule = targeted_release("x", key="plan", operator="regex", value="(", negation=True)
    result = evaluate([rule, targeted_release("y")], Person("p", {"plan": "pro"}, is_complete=True))
    assert (result.value, result.reason) == (None, RuleReason.ERROR)


def test_negation_flips_predicate_once() -> None:
    rule = targeted_release("x", key="plan", value="pro", negation=True)
    assert evaluate([rule], Person("p", {"plan": "pro"})).reason is RuleReason.NO_RULE_MATCH
    assert evaluate([rule], Person("p", {"plan": "free"})).value == "x"


def test_empty_subject_is_neither_held_out_nor_enrolled() -> None:
    holdout = {"id": None, "seed": "h", "exclusion_percentage": 100}
    assert evaluate([split(holdout=holdout)], Person("")).reason is RuleReason.ROLLOUT_MISS
    assert evaluate([split(holdout=holdout)], Person("p")).reason is RuleReason.HOLDOUT


def test_subject_is_first_200_characters() -> None:
    rule = split(rollout_percentage=50)
    people = [Person(f"{number:03}" + "é" * 197) for number in range(40)]
    values = [evaluate([rule], person).value for person in people]
    longer = [Person(person.distinct_id + "tail") for person in people]
    assert [evaluate([rule], person).value for person in longer] == values
    assert set(values) == {"default", "A", "B"}


@pytest.mark.parametrize("rule", [
    "no object",
    split(seed=None),
    split(variants=[]),
    split(rollout_percentage="50"),
    split(rollout_percentage=10**400),
    split(rollout_percentage=0, on_rollout_miss="retry"),
    split(targeting=None),
    {**targeted_release("x"), "rule_type": "unknown"},
    targeted_release("x", key="id", type="cohort", value=1),
])  # fmt: skip
def test_malformed_rule_fails_whole_flag(rule: Any) -> None:
    result = evaluate([rule, targeted_release("y")], Person("p", is_complete=True))
    assert (result.value, result.reason) == (None, RuleReason.ERROR)


def evaluate_flag(rules: list[Any], person: Person, how: Rules = Rules.SERVER, **fields: Any) -> Evaluation:
    filters = {"version": 2, "return_type": "string", "default_value": "default", "rules": rules}
    definitions = Definitions.of([{"key": "it", "active": True, "filters": filters, **fields}])
    return evaluate_flag_of("it", person, definitions, how)


def test_flag_with_rules_reports_value_and_deciding_rule() -> None:
    rules = [targeted_release("blue", key="plan", value="free"), targeted_release("red")]
    evaluation = evaluate_flag(rules, Person("ada", {"plan": "pro"}))
    assert (evaluation.value, evaluation.reason) == ("red", RuleReason.TARGETING_MATCH)
    assert (evaluation.condition_index, describe(evaluation)) == (1, "rule 2 matches")
    assert evaluation.rules is not None
    expected = ["rule 1 does not match: plan is free: it is pro", "rule 2 matches"]
    assert [describe_rule(step) for step in evaluation.rules.steps] == expected


def test_costly_or_unreadable_patterns_leave_no_value() -> None:
    rules = [targeted_release("blue", key="email", operator="regex", value="(a|a?)+$")]
    evaluation = evaluate_flag(rules, Person("ada", {"email": "a" * 3_000 + "!"}, is_complete=True))
    assert (evaluation.value, evaluation.reason, evaluation.is_known) == (None, Reason.UNKNOWN, False)
    rules = [targeted_release("blue", key="email", operator="regex", value="[")]
    evaluation = evaluate_flag(rules, Person("ada", {"email": "ada@x.com"}))
    assert (evaluation.value, evaluation.reason, evaluation.is_known) == (None, RuleReason.ERROR, True)
    assert describe(evaluation).startswith("the server cannot evaluate this flag: ")


def test_rules_of_inactive_flags_and_libraries_are_not_evaluated() -> None:
    assert evaluate_flag([targeted_release("red")], Person("ada"), active=False).reason is Reason.DISABLED
    evaluation = evaluate_flag([targeted_release("red")], Person("ada"), Rules.LIBRARY)
    assert evaluation.unknown == Unknown(Why.CONFIGURATION_NEWER, "it")
