"""Flags that serve one value to all are recognised, and no others."""

from random import Random
from typing import Any

import pytest
from tests.doubles import random_flags
from tests.doubles.targeting import asks, flag_of, group, variants

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.parts import for_everyone, read_flag
from flagtui.evaluate.run import Person

ASKS = asks("plan", "exact", "pro")
HALVES, WON = variants(a=50, b=50), variants(a=0, b=100)


@pytest.mark.parametrize(("flag", "value"), [
    (flag_of({"rollout_percentage": 100}), True),
    (flag_of({}), True),
    (flag_of({"rollout_percentage": 99}), None),
    (flag_of({"rollout_percentage": 0}), False),
    (flag_of(), False),
    ({**flag_of({}), "active": False}, False),
    ({**flag_of({}), "archived": True}, False),
    ({**flag_of({}), "deleted": True}, False),
    (flag_of({"properties": [ASKS]}), None),
    (flag_of(group(0, ASKS), {}), True),
    (flag_of({"properties": [ASKS]}, {}), True),
    (flag_of(group(10, ASKS), {}, early_exit=True), None),
    (flag_of({}, multivariate=HALVES), None),
    (flag_of({}, multivariate=WON), "b"),
    (flag_of({"variant": "a"}, multivariate=HALVES), "a"),
    (flag_of({"variant": "gone"}, multivariate=HALVES), None),
    (flag_of({"properties": [ASKS], "variant": "a"}, {}, multivariate=WON), None),
    (flag_of({"properties": [ASKS], "variant": "b"}, {}, multivariate=WON), "b"),
    (flag_of({}, holdout={"id": 4, "exclusion_percentage": 5}), None),
    (flag_of({}, feature_enrollment=True), None),
    (flag_of({"aggregation_group_type_index": 0}), None),
    (flag_of({}, aggregation_group_type_index=0), None),
    (flag_of({"properties": "odd"}, {}), None),
])  # fmt: skip
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
