"""The server's rules and a library's, compared, and the sentences about both."""

from typing import Any

import pytest
from tests.doubles.targeting import asks, asks_flag, flag_of

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Reason, Unknown, Why
from flagtui.evaluate.explanation import describe, parting
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Group, Person, Rules

JSON = dict[str, Any]
PRO = {"key": "plan", "type": "group", "group_type_index": 0, "operator": "exact", "value": "pro"}
IN_FREE = Person("ada", {"plan": "pro"}, {"company": Group("acme", {"plan": "free"})}, is_complete=True)


def test_comparison_names_the_person_who_sees_the_flag() -> None:
    base = flag_of({"properties": [PRO]}, key="base", aggregation_group_type_index=0) | {"id": 4}
    needs_base = flag_of({"properties": [asks_flag("4")]})
    definitions = Definitions.of([base, needs_base], group_types={"0": "company"})
    server, library = (evaluate("it", IN_FREE, definitions, rules) for rules in Rules)
    assert (server.value, library.value) == (False, True)
    assert parting(server, library) == (
        "condition 1 does not match: flag base evaluates to true: it is false",
        "condition 1 matches",
    )


def test_group_type_whose_name_is_no_text_is_unknown() -> None:
    base = flag_of({"properties": [PRO]}, aggregation_group_type_index=0)
    named = [{"0": "company"}, {"0": ["company"]}]
    documents = [{"flags": [base], "group_type_mapping": types} for types in named]
    in_pro = Person("ada", groups={"company": Group("acme", {"plan": "pro"})}, is_complete=True)
    values = [evaluate("it", in_pro, Definitions.of_document(document)).value for document in documents]
    assert values == [True, False]


def test_circular_or_missing_dependencies_turn_a_flag_off() -> None:
    needs = {"a": 2, "b": 1, "c": 1, "d": 77, "e": 4}
    definitions = Definitions.of(
        [
            flag_of({"properties": [asks_flag(number)]}, *([{}] if key in "ad" else []), key=key) | {"id": id}
            for id, (key, number) in enumerate(needs.items(), 1)
        ]
    )
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
    question = asks("created_at", "is_date_after", "2026-01-01", type="person_metadata")
    definitions = Definitions.of([flag_of({"properties": [question]})])
    metadata = {"created_at": "2026-02-02"}

    def value(person: Person) -> object:
        return evaluate("it", person, definitions).value

    assert value(Person("ada", metadata, metadata={"created_at": "2025-02-02"}, is_complete=True)) is False
    assert value(Person("ada", metadata=metadata, is_complete=True)) is True
    assert value(Person("ada", metadata, metadata={}, is_complete=True)) is False
    assert value(Person("ada", metadata, is_complete=True)) is None


@pytest.mark.parametrize(
    ("zone", "value"), [("UTC", True), ("America/New_York", False), ("Mars/Crater", True)]
)
def test_date_without_offset_is_in_the_project_time_zone(zone: str, value: bool) -> None:
    raw = flag_of({"properties": [asks("age", "is_date_after", "2026-05-01")]})
    definitions = Definitions.of([raw], time_zone=zone)
    person = Person("ada", {"age": "2026-05-01T02:00:00Z"})
    assert evaluate("it", person, definitions).value is value
    assert evaluate("it", person, definitions, Rules.LIBRARY).value is True


HUGE = 10**400


@pytest.mark.parametrize(("filters", "value"), [
    ({"groups": [{"rollout_percentage": HUGE}]}, True),
    ({"groups": [{"rollout_percentage": -HUGE}]}, False),
    ({"groups": [{}], "multivariate": {"variants": [{"key": "a", "rollout_percentage": HUGE}]}}, "a"),
    ({"groups": [{}], "holdout": {"id": 1, "exclusion_percentage": HUGE}}, True),
])  # fmt: skip
def test_percentage_beyond_a_float_is_evaluated(filters: JSON, value: object) -> None:
    definitions = Definitions.of([{"key": "it", "active": True, "filters": filters}])
    assert evaluate("it", Person("ada"), definitions).value == value


@pytest.mark.parametrize("version", [1.5, "1", True, None, 1.0, 3, "2", 0, []])
def test_only_integer_1_is_the_known_configuration_version(version: Any) -> None:
    definitions = Definitions.of([flag_of({}, version=version), flag_of({}, key="other", version=1)])
    assert evaluate("it", IN_FREE, definitions).unknown == Unknown(Why.CONFIGURATION_NEWER, "it")
    assert evaluate("other", IN_FREE, definitions).value is True
