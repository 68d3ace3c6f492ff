"""The server's rules and a library's, compared, and the sentences about both."""

from typing import Any

import pytest
from tests.doubles.targeting import asks, asks_flag

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Reason, Unknown, Why
from flagtui.evaluate.explanation import describe, describe_check, parting
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person, Rules

JSON = dict[str, Any]
PRO = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
IN_FREE = Person("ada", {"plan": "pro"}, {"company": Group("acme", {"plan": "free"})}, is_complete=True)


def flag(key: str, *groups: JSON, **filters: Any) -> JSON:
    return {"id": len(key), "key": key, "active": True, "filters": {"groups": list(groups), **filters}}


def asking(operator: str, value: Any, **more: Any) -> JSON:
    return flag("it", {"properties": [asks("age", operator, value) | more]})


def words_of(made: JSON, person: Person, **definitions: Any) -> str:
    evaluation = evaluate("it", person, Definitions.of([made], **definitions))
    return describe_check(evaluation.conditions[0].checks[0])


def test_comparison_names_the_person_who_sees_the_flag() -> None:
    base = flag("base", {"properties": [PRO]}, aggregation_group_type_index=0)
    needs = {"key": "4", "type": "flag", "operator": "flag_evaluates_to", "value": True}
    definitions = Definitions.of([base, flag("it", {"properties": [needs]})], group_types={"0": "company"})
    server, library = (evaluate("it", IN_FREE, definitions, rules) for rules in Rules)
    assert (server.value, library.value) == (False, True)
    assert parting(server, library) == (
        "condition 1 does not match: flag base evaluates to true: it is false",
        "condition 1 matches",
    )


def test_group_type_whose_name_is_no_text_is_unknown() -> None:
    base = flag("it", {"properties": [PRO]}, aggregation_group_type_index=0)
    named = [{"0": "company"}, {"0": ["company"]}]
    documents = [{"flags": [base], "group_type_mapping": types} for types in named]
    in_pro = Person("ada", groups={"company": Group("acme", {"plan": "pro"})}, is_complete=True)
    values = [evaluate("it", in_pro, Definitions.of_document(document)).value for document in documents]
    assert values == [True, False]


def test_circular_or_missing_dependencies_turn_a_flag_off() -> None:
    def needs(number: int) -> JSON:
        return {"properties": [asks_flag(number)]}

    made = [
        {**flag("a", needs(2), {}), "id": 1},
        {**flag("b", needs(1)), "id": 2},
        {**flag("c", needs(1)), "id": 3},
        {**flag("d", needs(77), {}), "id": 4},
        {**flag("e", needs(4)), "id": 5},
    ]
    definitions = Definitions.of(made)
    everyone = Person("ada", is_complete=True)
    assert {key: describe(evaluate(key, everyone, definitions)) for key in "abcde"} == {
        "a": "flag a depends on itself",
        "b": "flag b depends on itself",
        "c": "the value of flag a cannot be known here",
        "d": "flag 77 does not exist",
        "e": "flag 77 does not exist",
    }
    for key in "abcde":
        evaluation = evaluate(key, everyone, definitions)
        assert (evaluation.value, evaluation.reason) == (False, Reason.MISSING_DEPENDENCY)
        assert evaluate(key, Person("ada"), definitions).value is None


def test_person_metadata_is_separate_from_properties_of_that_name() -> None:
    made = asking("is_date_after", "2026-01-01", key="created_at", type="person_metadata")
    metadata = {"created_at": "2026-02-02"}

    def value(person: Person) -> object:
        return evaluate("it", person, Definitions.of([made])).value

    assert value(Person("ada", metadata, metadata={"created_at": "2025-02-02"}, is_complete=True)) is False
    assert value(Person("ada", metadata=metadata, is_complete=True)) is True
    assert value(Person("ada", metadata, metadata={}, is_complete=True)) is False
    assert value(Person("ada", metadata, is_complete=True)) is None
    words = words_of(made, Person("ada", metadata=metadata, is_complete=True))
    assert words == "the person's own created_at is after 2026-01-01: it is 2026-02-02"


@pytest.mark.parametrize(
    ("zone", "value"), [("UTC", True), ("America/New_York", False), ("Mars/Crater", True)]
)
def test_date_without_offset_is_in_the_project_time_zone(zone: str, value: bool) -> None:
    definitions = Definitions.of([asking("is_date_after", "2026-05-01")], time_zone=zone)
    person = Person("ada", {"age": "2026-05-01T02:00:00Z"})
    assert evaluate("it", person, definitions).value is value
    assert evaluate("it", person, definitions, Rules.LIBRARY).value is True


@pytest.mark.parametrize(
    ("made", "age", "words"),
    [
        (asking("between", [18, 65]), 30, "age is from 18 to 65: it is 30"),
        (asking("not_between", ["a", 65]), 30,
         "age is outside a to 65: the condition on age requires a value"),
        (asking("gt", "5"), "soon", "age > 5: it is soon"),
        (asking("semver_gt", "5"), "1.2.3.4", "it is 1.2.3.4, which cannot be compared like that"),
        (asking("is_date_after", "2026"), "1999-01-01",
         "the condition on age requires a value that cannot be"),
        (asking("regex", "(?=.)(a|aa)+$"), "a" * 80 + "!", "too costly to evaluate here: (?=.)(a|aa)+$"),
        (asking("regex", "a{,2}"), "a", "only the server knows what matches a{,2}"),
    ],
)  # fmt: skip
def test_a_question_says_what_came_of_it(made: JSON, age: Any, words: str) -> None:
    assert words in words_of(made, Person("ada", {"age": age}))


def test_filters_that_cannot_be_read_say_so() -> None:
    evaluation = evaluate("it", Person("ada"), Definitions.of([{"key": "it", "active": True, "filters": []}]))
    assert (evaluation.value, evaluation.reason) == (False, Reason.NO_CONDITION_MATCH)
    expected = "the flag matches no one, since it cannot be read: filters is not an object"
    assert describe(evaluation) == expected


HUGE = 10**400


@pytest.mark.parametrize(
    ("filters", "value"),
    [
        ({"groups": [{"rollout_percentage": HUGE}]}, True),
        ({"groups": [{"rollout_percentage": -HUGE}]}, False),
        ({"groups": [{}], "multivariate": {"variants": [{"key": "a", "rollout_percentage": HUGE}]}}, "a"),
        ({"groups": [{}], "holdout": {"id": 1, "exclusion_percentage": HUGE}}, True),
    ],
)
def test_percentage_beyond_a_float_is_evaluated(filters: JSON, value: object) -> None:
    definitions = Definitions.of([{"key": "it", "active": True, "filters": filters}])
    assert evaluate("it", Person("ada"), definitions).value == value


@pytest.mark.parametrize("version", [1.5, "1", True, None, 1.0, 3, "2", 0, []])
def test_only_integer_1_is_the_known_configuration_version(version: Any) -> None:
    definitions = Definitions.of([flag("it", {}, version=version), flag("other", {}, version=1)])
    assert evaluate("it", IN_FREE, definitions).unknown == Unknown(Why.CONFIGURATION_NEWER, "it")
    assert evaluate("other", IN_FREE, definitions).value is True


def test_a_flag_by_device_leaves_out_whoever_comes_without_one() -> None:
    evaluation = evaluate(
        "it", IN_FREE, Definitions.of([{**flag("it", {}), "bucketing_identifier": "device_id"}])
    )
    assert (evaluation.value, evaluation.reason, evaluation.condition_index) == (
        False,
        Reason.OUT_OF_ROLLOUT,
        0,
    )
    assert describe(evaluation) == "condition 1 is bucketed by device, and no device id is given"
