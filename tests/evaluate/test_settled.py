"""Flags that serve one value to all are recognised, and no others."""

from random import Random
from typing import Any

import pytest
from tests.doubles import random_flags
from tests.doubles.targeting import group

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.parts import for_everyone, read_flag
from flagtui.evaluate.run import Person

ASKS = {"key": "plan", "type": "person", "operator": "exact", "value": "pro"}
HALVES = {"variants": [{"key": "a", "rollout_percentage": 50}, {"key": "b", "rollout_percentage": 50}]}
WON = {"variants": [{"key": "a", "rollout_percentage": 0}, {"key": "b", "rollout_percentage": 100}]}


def made(*groups: dict[str, Any], active: bool = True, **filters: Any) -> dict[str, Any]:
    return {"id": 1, "key": "flag", "active": active, "filters": {"groups": list(groups), **filters}}


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        (made({"rollout_percentage": 100}), True),
        (made({}), True),
        (made({"rollout_percentage": 99}), None),
        (made({"rollout_percentage": 0}), False),
        (made(), False),
        (made({}, active=False), False),
        (made({"properties": [ASKS]}), None),
        (made(group(0, ASKS), {}), True),
        (made({"properties": [ASKS]}, {}), True),
        (made(group(10, ASKS), {}, early_exit=True), None),
        (made({}, multivariate=HALVES), None),
        (made({}, multivariate=WON), "b"),
        (made({"variant": "a"}, multivariate=HALVES), "a"),
        (made({"variant": "gone"}, multivariate=HALVES), None),
        (made({"properties": [ASKS], "variant": "a"}, {}, multivariate=WON), None),
        (made({"properties": [ASKS], "variant": "b"}, {}, multivariate=WON), "b"),
        (made({}, holdout={"id": 4, "exclusion_percentage": 5}), None),
        (made({}, feature_enrollment=True), None),
        (made({"aggregation_group_type_index": 0}), None),
        (made({}, aggregation_group_type_index=0), None),
        (made({"properties": "odd"}, {}), None),
    ],
)
def test_value_for_everyone_is_reported_where_it_exists(flag: Any, value: Any) -> None:
    shared = for_everyone(read_flag(flag))
    assert (type(shared), shared) == (type(value), value)


def test_nobody_gets_anything_else_than_everyone_is_said_to_get() -> None:
    random = Random("settled")
    checked = 0
    for _ in range(4_000):
        raw = random_flags.flag(random, 1, 1)
        settled = for_everyone(read_flag(raw))
        if settled is None:
            continue
        checked += 1
        definitions = Definitions.of([raw])
        for number in range(4):
            person = Person(f"p{number}", random_flags.properties(random), is_complete=True)
            # A cohort that cannot be evaluated here leaves the value open.
            assert evaluate("flag-1", person, definitions).value in (settled, None), raw
    assert checked > 200
