"""Property filters that can never match are found, and no others."""

from random import Random
from typing import Any

import pytest
from tests.doubles.official_sdk import Document, OfficialSdk
from tests.doubles.targeting import flag_of

from flagtui.changes.flags.flag_words import NEVER_MATCHES, property_in_short
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Unknown
from flagtui.evaluate.filters import compare
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.impossible_filters import can_match
from flagtui.evaluate.operators import COMPARISONS
from flagtui.evaluate.run import Manner, Person, Rules
from flagtui.models.filters import Property

ACTUAL: list[Any] = [None, True, False, 0, 1, 30, -2.5, "", "abc", "30", "1.2.3", "2024-01-01", [1], {"a": 1}]
VALUES: list[Any] = [*ACTUAL, "[", "(", "-7d", "1.2.*", [18, 65], [65, 18], ["a", "b"], [], ["x", 3]]


@pytest.mark.parametrize(("operator", "value"), [
    ("gt", "abc"), ("lte", True), ("between", [65, 18]), ("between", "18"), ("regex", "["),
    ("not_regex", "("), ("is_date_before", "soon"), ("semver_gt", "latest"), ("exact", None),
    ("is_not", None),
])  # fmt: skip
def test_filter_with_an_unusable_value_can_never_match(operator: str, value: object) -> None:
    assert not can_match(operator, value)


@pytest.mark.parametrize(("operator", "value"), [
    ("gt", "30"), ("between", [18, 65]), ("regex", "^a"), ("is_date_before", "-7d"),
    ("semver_wildcard", "1.2.*"), ("exact", "abc"), ("is_set", None), ("operator_of_tomorrow", None),
])  # fmt: skip
def test_filter_with_a_usable_value_can_match(operator: str, value: object) -> None:
    assert can_match(operator, value)


def test_filters_that_can_never_match_match_no_property() -> None:
    random = Random("impossible")
    impossible = 0
    for operator in COMPARISONS:
        for value in VALUES:
            if can_match(operator, value):
                continue
            impossible += 1
            for actual in random.sample(ACTUAL, len(ACTUAL)):
                verdict = compare(operator, value, actual, Manner())
                assert verdict is False or isinstance(verdict, Unknown), (operator, value, actual)
    assert impossible > 60


PRO: Document = {"key": "plan", "operator": "exact", "value": "pro"}
USER = Person("user", properties={"plan": "pro", "": "pro", "5": "pro"}, is_complete=True)


@pytest.mark.parametrize(("filter", "in_libraries"), [
    ({**PRO, "type": "event"}, True),
    ({**PRO, "type": "hogql"}, True),
    ({**PRO, "type": "Person"}, True),
    ({**PRO, "type": "person", "key": None}, None),
    ({**PRO, "type": "person", "key": 5}, None),
    ({"type": "person", "operator": "exact", "value": "pro"}, None),
    ({"type": "cohort", "key": "id", "operator": "in", "value": None}, None),
    ({"type": "cohort", "key": "id", "operator": "not_in", "value": [3]}, None),
])  # fmt: skip
def test_filter_without_a_known_key_or_type_matches_no_one(filter: Document, in_libraries: object) -> None:
    flag = flag_of({"properties": [filter]})
    definitions = Definitions.of([flag])
    assert property_in_short(Property.of(filter)).endswith(NEVER_MATCHES)
    assert evaluate("it", USER, definitions).value is False
    assert evaluate("it", USER, definitions, Rules.LIBRARY).value is in_libraries
    assert OfficialSdk({"flags": [flag]}).values(USER).get("it") is in_libraries


def test_property_without_a_type_is_the_persons() -> None:
    assert evaluate("it", USER, Definitions.of([flag_of({"properties": [PRO]})])).value is True
    assert NEVER_MATCHES not in property_in_short(Property.of(PRO))
