"""An evaluation says what decided it, with the figures."""

from typing import Any

import pytest
from tests.doubles.expected import require

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, Unknown, Why
from flagtui.evaluate.explanation import describe, describe_check, describe_condition
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person

JSON = dict[str, Any]
STAFF = {"key": "email", "type": "person", "operator": "ends_with", "value": "@acme.com"}
ADA = Person("ada", {"email": "ada@acme.com"})
BOB = Person("bob", {"email": "bob@other.com"})


def flag(*groups: JSON, **filters: Any) -> JSON:
    return {"id": 1, "key": "beta", "active": True, "filters": {"groups": list(groups), **filters}}


def evaluate_flag(person: Person, made: JSON, **definitions: Any) -> Evaluation:
    return evaluate(made["key"], person, Definitions.of([made], **definitions))


def test_condition_and_rollout_are_named_with_the_hash() -> None:
    evaluation = evaluate_flag(ADA, flag({"properties": [STAFF], "rollout_percentage": 50}))
    expected = (True, Reason.CONDITION_MATCH, 0)
    assert (evaluation.value, evaluation.reason, evaluation.condition_index) == expected
    assert describe(evaluation) == "condition 1 matches (hash 0.33 ≤ 0.50: in)"
    assert (
        describe_check(evaluation.conditions[0].checks[0]) == "email ends with @acme.com: it is ada@acme.com"
    )
    evaluation = evaluate_flag(ADA, flag({"properties": [STAFF], "rollout_percentage": 32.6}))
    assert (evaluation.value, evaluation.reason) == (False, Reason.OUT_OF_ROLLOUT)
    assert describe(evaluation) == (
        "condition 1 matches, but its rollout excludes them (hash 0.327 > 0.326: out)"
    )


def test_unmatched_condition_answers_every_question() -> None:
    evaluation = evaluate_flag(BOB, flag({"properties": [STAFF]}))
    assert (
        describe(evaluation) == "condition 1 does not match: email ends with @acme.com: it is bob@other.com"
    )
    plan = {"key": "plan", "type": "person", "operator": "is_set"}
    evaluation = evaluate_flag(BOB, flag({"properties": [STAFF, plan]}))
    words = [describe_check(check) for check in evaluation.conditions[0].checks]
    assert words == ["email ends with @acme.com: it is bob@other.com", "plan is set: plan is not known"]


def test_the_variant_is_drawn_by_a_hash_of_its_own() -> None:
    variants = [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    evaluation = evaluate_flag(ADA, flag({}, multivariate={"variants": variants}, payloads={"test": '"hi"'}))
    drawn = require(evaluation.conditions[0].variant)
    assert (drawn.ranges, drawn.key) == ((("control", 0.0, 0.5), ("test", 0.5, 1.0)), evaluation.value)
    assert evaluation.payload == ('"hi"' if evaluation.value == "test" else None)


def test_variant_is_forced_drawn_or_none() -> None:
    variants = [{"key": "control", "rollout_percentage": 100}, {"key": "test", "rollout_percentage": 0}]
    evaluation = evaluate_flag(ADA, flag({"variant": "test"}, multivariate={"variants": variants}))
    assert (evaluation.value, evaluation.conditions[0].forced_variant) == ("test", "test")
    assert evaluation.conditions[0].variant is None
    variants = [{"key": "control", "rollout_percentage": 0.001}]
    evaluation = evaluate_flag(ADA, flag({}, multivariate={"variants": variants}))
    assert evaluation.value is True
    assert require(evaluation.conditions[0].variant).key is None


def test_a_cohort_of_nested_groups_is_one_question() -> None:
    cohorts = {
        "7": {"type": "OR", "values": [{"type": "AND", "values": [{**STAFF, "negation": True}]}, STAFF]}
    }
    asks = {"key": "id", "type": "cohort", "operator": "in", "value": 7, "cohort_name": "Staff"}
    check = evaluate_flag(ADA, flag({"properties": [asks]}), cohorts=cohorts).conditions[0].checks[0]
    assert describe_check(check) == "is in cohort Staff: yes"


@pytest.mark.parametrize(("operator", "value"), [("in", True), ("not_in", False)])
def test_a_list_of_people_is_asked_for_this_person(operator: str, value: bool) -> None:
    made = flag({"properties": [{"key": "id", "type": "cohort", "operator": operator, "value": 31}]})
    member, other = Person("m", static_cohorts=frozenset({"31"})), Person("o")
    assert evaluate_flag(member, made, static_cohorts=[31]).value is value
    assert evaluate_flag(other, made, static_cohorts=[31]).value is not value
    assert evaluate_flag(member, made).unknown == Unknown(Why.COHORT_UNKNOWN, "31", is_final=True)


def test_dependency_shows_the_other_value_or_is_missing() -> None:
    asks = {"key": 1, "type": "flag", "operator": "flag_evaluates_to", "value": True}
    child = {"id": 2, "key": "child", "active": True, "filters": {"groups": [{"properties": [asks]}]}}
    evaluation = evaluate("child", BOB, Definitions.of([flag({"properties": [STAFF]}), child]))
    check = evaluation.conditions[0].checks[0]
    assert describe_check(check) == "flag beta evaluates to true: it is false"
    made = flag({"properties": [{"key": 99, "type": "flag", "operator": "flag_evaluates_to", "value": True}]})
    assert evaluate_flag(ADA, made).unknown == Unknown(Why.FLAG_MISSING, "99")
    server = evaluate_flag(Person("ada", is_complete=True), made)
    assert (server.value, server.reason) == (False, Reason.MISSING_DEPENDENCY)


def test_a_group_that_is_not_given_switches_its_conditions_off() -> None:
    made = flag({"aggregation_group_type_index": 0}, {"properties": [STAFF]})
    types = {"0": "company"}
    assert evaluate_flag(BOB, made, group_types=types).reason is Reason.NO_CONDITION_MATCH
    assert describe_condition(evaluate_flag(BOB, made, group_types=types).conditions[0]) == (
        "condition 1 is about a group that was not given"
    )
    assert (
        evaluate_flag(Person("bob", {}, {"company": Group("acme")}), made, group_types=types).condition_index
        == 0
    )


def test_early_access_decides_before_any_condition() -> None:
    made = flag({"rollout_percentage": 100}, feature_enrollment=True)
    for answer, value in [(True, True), ("true", True), (False, False), ("yes", False)]:
        evaluation = evaluate_flag(Person("p", {"$feature_enrollment/beta": answer}), made)
        assert (evaluation.value, evaluation.reason) == (value, Reason.ENROLLMENT)
    assert evaluate_flag(Person("p", is_complete=True), made).reason is Reason.CONDITION_MATCH


def test_the_older_early_access_decides_only_for_those_who_answered() -> None:
    asks = {"key": "$feature_enrollment/beta", "type": "person", "operator": "exact", "value": ["true"]}
    made = flag({"rollout_percentage": 0}, super_groups=[{"properties": [asks], "rollout_percentage": 100}])
    assert evaluate_flag(Person("p", {"$feature_enrollment/beta": "true"}), made).value is True
    assert evaluate_flag(Person("p", {"$feature_enrollment/beta": "false"}), made).reason is Reason.ENROLLMENT
    assert evaluate_flag(Person("p"), made).reason is Reason.OUT_OF_ROLLOUT


def test_a_holdout_comes_before_the_conditions() -> None:
    evaluation = evaluate_flag(ADA, flag({}, holdout={"id": 4, "exclusion_percentage": 100}))
    assert (evaluation.value, evaluation.reason) == ("holdout-4", Reason.HOLDOUT)
    assert describe(evaluation).startswith("held out of experiments (hash 0.")


@pytest.mark.parametrize(
    "groups",
    [None, "x", [None], [{"properties": "x"}], [{"properties": ["x"]}], [{"rollout_percentage": "50"}], [[]]],
)
def test_odd_conditions_never_raise(groups: Any) -> None:
    made = {"key": "odd", "active": True, "filters": {"groups": groups, "payloads": [], "multivariate": []}}
    evaluation = evaluate_flag(ADA, made)
    assert evaluation.value in (None, False)
    assert describe(evaluation)


def test_flags_that_serve_no_one_say_why() -> None:
    evaluation = evaluate_flag(ADA, {**flag({}), "active": False})
    assert (evaluation.value, describe(evaluation)) == (False, "the flag is off")
    evaluation = evaluate_flag(ADA, flag())
    assert (evaluation.value, describe(evaluation)) == (False, "the flag has no conditions")
    evaluation = evaluate_flag(ADA, flag(version=3, rules=[]))
    assert (evaluation.value, evaluation.unknown) == (None, Unknown(Why.CONFIGURATION_NEWER, "beta"))
    assert describe(evaluation) == "the flag has a newer kind of configuration"
