"""An evaluation says what decided it, with the figures, and where those of two people part."""

from typing import Any

import pytest
from tests.doubles.expected import require
from tests.doubles.targeting import asks, asks_cohort, asks_flag, flag_of, group, variants

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, Unknown, Why
from flagtui.evaluate.explanation import describe, describe_check, describe_condition, parting
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person

JSON = dict[str, Any]
STAFF = asks("email", "ends_with", "@acme.com")
ADA = Person("ada", {"email": "ada@acme.com"})
BOB = Person("bob", {"email": "bob@other.com"})
SURE = Person("ada", is_complete=True)


def beta(*groups: Any, **filters: Any) -> JSON:
    return flag_of(*groups, key="beta", **filters)


def evaluate_flag(person: Person, raw: JSON, **definitions: Any) -> Evaluation:
    return evaluate(raw["key"], person, Definitions.of([raw], **definitions))


def check_words(raw: JSON, person: Person, **definitions: Any) -> list[str]:
    """What came of each question of the first condition."""
    return [describe_check(each) for each in evaluate_flag(person, raw, **definitions).conditions[0].checks]


def enrolled(answer: Any) -> Person:
    return Person("p", {"$feature_enrollment/beta": answer})


ENROLLS = beta(group(100), feature_enrollment=True)
OLDER = beta(group(0), super_groups=[group(100, asks("$feature_enrollment/beta", "exact", ["true"]))])
UNREADABLE = "the flag matches no one, since it cannot be read: filters is not an object"
OUT = "condition 1 matches, but its rollout excludes them (hash 0.327 > 0.326: out)"
OTHER_EMAIL = "condition 1 does not match: email ends with @acme.com: it is bob@other.com"


@pytest.mark.parametrize(("raw", "person", "value", "reason", "words"), [
    (beta(group(50, STAFF)), ADA, True, "condition_match", "condition 1 matches (hash 0.33 ≤ 0.50: in)"),
    (beta(group(32.6, STAFF)), ADA, False, "out_of_rollout_bound", OUT),
    (beta({"properties": [STAFF]}), BOB, False, "no_condition_match", OTHER_EMAIL),
    (beta({}) | {"active": False}, ADA, False, "flag_disabled", "the flag is off"),
    (beta(), ADA, False, "no_condition_match", "the flag has no conditions"),
    (beta() | {"filters": []}, ADA, False, "no_condition_match", UNREADABLE),
    (beta(version=3, rules=[]), ADA, None, "unknown", "the flag has a newer kind of configuration"),
    (beta({}, holdout={"id": 4, "exclusion_percentage": 100}), ADA, "holdout-4",
     "holdout_condition_value", "held out of experiments (hash 0."),
    (beta({}) | {"bucketing_identifier": "device_id"}, SURE, False, "out_of_rollout_bound",
     "condition 1 is bucketed by device, and no device id is given"),
    *((ENROLLS, enrolled(answer), is_on, "super_condition_value", "")
      for answer, is_on in [(True, True), ("true", True), (False, False), ("yes", False)]),
    (ENROLLS, SURE, True, "condition_match", ""),
    (OLDER, enrolled("true"), True, "super_condition_value", ""),
    (OLDER, enrolled("false"), False, "super_condition_value", ""),
    (OLDER, Person("p"), False, "out_of_rollout_bound", ""),
    (beta({"properties": [asks_flag(99)]}), SURE, False, "missing_dependency", "flag 99 does not exist"),
])  # fmt: skip
def test_value_has_its_reason_and_words(
    raw: JSON, person: Person, value: object, reason: str, words: str
) -> None:
    evaluation = evaluate_flag(person, raw)
    assert (evaluation.value, evaluation.reason.value) == (value, reason)
    assert describe(evaluation).startswith(words)


def asking(operator: str, value: Any) -> JSON:
    return beta({"properties": [asks("age", operator, value)]})


METADATA = beta({"properties": [asks("created_at", "is_date_after", "2026-01-01", type="person_metadata")]})


@pytest.mark.parametrize(("raw", "person", "words"), [
    (beta({"properties": [STAFF]}), ADA, "email ends with @acme.com: it is ada@acme.com"),
    (asking("is_set", None), ADA, "age is set: age is not known"),
    (asking("between", [18, 65]), 30, "age is from 18 to 65: it is 30"),
    (asking("not_between", ["a", 65]), 30, "age is outside a to 65: the condition on age requires"),
    (asking("gt", "5"), "soon", "age > 5: it is soon"),
    (asking("semver_gt", "5"), "1.2.3.4", "it is 1.2.3.4, which cannot be compared like that"),
    (asking("is_date_after", "2026"), "1999", "the condition on age requires a value that cannot be"),
    (asking("regex", "(?=.)(a|aa)+$"), "a" * 80 + "!", "too costly to evaluate here: (?=.)(a|aa)+$"),
    (asking("regex", "a{,2}"), "a", "only the server knows what matches a{,2}"),
    (METADATA, Person("ada", metadata={"created_at": "2026-02-02"}),
     "the person's own created_at is after 2026-01-01: it is 2026-02-02"),
])  # fmt: skip
def test_a_question_says_what_came_of_it(raw: JSON, person: Any, words: str) -> None:
    (check,) = check_words(raw, person if isinstance(person, Person) else Person("ada", {"age": person}))
    assert words in check


def test_unmatched_condition_answers_every_question() -> None:
    words = check_words(beta({"properties": [STAFF, asks("plan", "is_set", None)]}), BOB)
    assert words == ["email ends with @acme.com: it is bob@other.com", "plan is set: plan is not known"]


def test_the_variant_is_drawn_by_a_hash_of_its_own() -> None:
    halves = variants(control=50, test=50)
    evaluation = evaluate_flag(ADA, beta({}, multivariate=halves, payloads={"test": '"hi"'}))
    drawn = require(evaluation.conditions[0].variant)
    assert (drawn.ranges, drawn.key) == ((("control", 0.0, 0.5), ("test", 0.5, 1.0)), evaluation.value)
    assert evaluation.payload == ('"hi"' if evaluation.value == "test" else None)


def test_variant_is_forced_drawn_or_none() -> None:
    forced = evaluate_flag(ADA, beta({"variant": "test"}, multivariate=variants(control=100, test=0)))
    (condition,) = forced.conditions
    assert (forced.value, condition.forced_variant, condition.variant) == ("test", "test", None)
    evaluation = evaluate_flag(ADA, beta({}, multivariate=variants(control=0.001)))
    assert evaluation.value is True
    assert require(evaluation.conditions[0].variant).key is None


def test_a_cohort_of_nested_groups_is_one_question() -> None:
    inner = {"type": "AND", "values": [{**STAFF, "negation": True}]}
    cohorts = {"7": {"type": "OR", "values": [inner, STAFF]}}
    raw = beta({"properties": [asks_cohort(7, cohort_name="Staff")]})
    assert check_words(raw, ADA, cohorts=cohorts) == ["is in cohort Staff: yes"]


@pytest.mark.parametrize(("operator", "value"), [("in", True), ("not_in", False)])
def test_a_list_of_people_is_asked_for_this_person(operator: str, value: bool) -> None:
    raw = beta({"properties": [asks_cohort(31, operator)]})
    member, other = Person("m", static_cohorts=frozenset({"31"})), Person("o")
    assert evaluate_flag(member, raw, static_cohorts=[31]).value is value
    assert evaluate_flag(other, raw, static_cohorts=[31]).value is not value
    assert evaluate_flag(member, raw).unknown == Unknown(Why.COHORT_UNKNOWN, "31", is_final=True)


def test_dependency_shows_the_other_value_or_is_missing() -> None:
    child = flag_of({"properties": [asks_flag(1)]}, key="child") | {"id": 2}
    evaluation = evaluate("child", BOB, Definitions.of([beta({"properties": [STAFF]}), child]))
    check = evaluation.conditions[0].checks[0]
    assert describe_check(check) == "flag beta evaluates to true: it is false"
    missing = evaluate_flag(ADA, beta({"properties": [asks_flag(99)]}))
    assert missing.unknown == Unknown(Why.FLAG_MISSING, "99")


def test_a_group_that_is_not_given_switches_its_conditions_off() -> None:
    raw, types = beta({"aggregation_group_type_index": 0}, {"properties": [STAFF]}), {"0": "company"}
    evaluation = evaluate_flag(BOB, raw, group_types=types)
    assert evaluation.reason is Reason.NO_CONDITION_MATCH
    words = "condition 1 is about a group that was not given"
    assert describe_condition(evaluation.conditions[0]) == words
    in_acme = Person("bob", {}, {"company": Group("acme")})
    assert evaluate_flag(in_acme, raw, group_types=types).condition_index == 0


@pytest.mark.parametrize(
    "groups",
    [None, "x", [None], [{"properties": "x"}], [{"properties": ["x"]}], [{"rollout_percentage": "50"}], [[]]],
)
def test_odd_conditions_never_raise(groups: Any) -> None:
    raw = {"key": "odd", "active": True, "filters": {"groups": groups, "payloads": [], "multivariate": []}}
    evaluation = evaluate_flag(ADA, raw)
    assert evaluation.value in (None, False)
    assert describe(evaluation)


NEVER = {"properties": [asks("plan", "exact", "none")]}
FORCED = flag_of(
    NEVER, {"properties": [STAFF], "variant": "b"}, {"properties": []}, multivariate=variants(a=100, b=0)
)
ALL_OF_ADA, ALL_OF_BOB = (Person(each.distinct_id, each.properties, is_complete=True) for each in (ADA, BOB))
BY_EMAIL = flag_of({"properties": [STAFF]})


@pytest.mark.parametrize(("raw", "person", "other", "values", "words"), [
    (BY_EMAIL, ADA, BOB, (True, False), ("condition 1 matches", OTHER_EMAIL)),
    (BY_EMAIL, ADA, Person("zoe"), (True, None),
     ("condition 1 matches", "condition 1 cannot be decided: email is not known")),
    (FORCED, ALL_OF_ADA, ALL_OF_BOB, ("b", "a"), ("condition 2 matches", "condition 2 does not match")),
    (flag_of({}, multivariate=variants(a=50, b=50)), Person("person-1"), Person("person-4"), ("a", "b"),
     ("variant a: hash 0.", "variant b: hash 0.")),
])  # fmt: skip
def test_two_people_part_at_the_first_condition_that_differs(
    raw: JSON, person: Person, other: Person, values: object, words: tuple[str, str]
) -> None:
    evaluations = evaluate_flag(person, raw), evaluate_flag(other, raw)
    assert tuple(each.value for each in evaluations) == values
    first, second = parting(*evaluations)
    assert first.startswith(words[0])
    assert second.startswith(words[1])


def test_the_same_variant_with_the_same_payload_is_no_difference() -> None:
    raw = flag_of({"properties": [STAFF]}, payloads={"true": "1"})
    person, other = evaluate_flag(ADA, raw), evaluate_flag(Person("cat", {"email": "cat@acme.com"}), raw)
    assert (person.value, person.payload) == (other.value, other.payload) == (True, "1")
