"""Property filters that can never match are found, and no others."""

from random import Random
from typing import Any

import pytest

from flagtui.evaluate.evaluation import Unknown
from flagtui.evaluate.filters import compare
from flagtui.evaluate.impossible_filters import can_match
from flagtui.evaluate.operators import COMPARISONS
from flagtui.evaluate.run import Manner

ACTUAL: list[Any] = [None, True, False, 0, 1, 30, -2.5, "", "abc", "30", "1.2.3", "2024-01-01", [1], {"a": 1}]
VALUES: list[Any] = [*ACTUAL, "[", "(", "-7d", "1.2.*", [18, 65], [65, 18], ["a", "b"], [], ["x", 3]]


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        ("gt", "abc"),
        ("lte", True),
        ("between", [65, 18]),
        ("between", "18"),
        ("regex", "["),
        ("not_regex", "("),
        ("is_date_before", "soon"),
        ("semver_gt", "latest"),
        ("exact", None),
        ("is_not", None),
    ],
)
def test_filter_with_an_unusable_value_can_never_match(operator: str, value: object) -> None:
    assert not can_match(operator, value)


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        ("gt", "30"),
        ("between", [18, 65]),
        ("regex", "^a"),
        ("is_date_before", "-7d"),
        ("semver_wildcard", "1.2.*"),
        ("exact", "abc"),
        ("is_set", None),
        ("operator_of_tomorrow", None),
    ],
)
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
