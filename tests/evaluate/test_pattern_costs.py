"""No pattern of another user takes long, and none that is cut off counts as a no.

Times are those of the processor: other programs on the machine do not count.
"""

import gc
import re
from collections.abc import Iterator
from itertools import product
from time import process_time
from typing import Any

import pytest
from tests.doubles.expensive_patterns import EXPENSIVE, Expensive, expensive_flags, expensive_properties
from tests.doubles.slices import one_in
from tests.doubles.targeting import asks, asks_flag, flag_of, group, variants

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Unknown, Why
from flagtui.evaluate.explanation import describe
from flagtui.evaluate.filters import compare
from flagtui.evaluate.flags import evaluate, evaluate_all
from flagtui.evaluate.pattern_budget import (
    PatternBudget,
    TooCostlyError,
    current_budget,
    is_malformed,
    limited_patterns,
)
from flagtui.evaluate.run import Manner, Person, Rules

COSTLY = "(?=.)(a|aa)+$"
LONG = "a" * 80 + "!"
ORDINARY = (
    r".*@acme\.com$", "^(pro|team)$", r"^\d{3}-\d{4}$", "a+b?c*", r"^[\w.-]+@[\w-]+\.(com|org)$", "x{2,3}y",
    "(?:ab|cd)+e", "", "^$", "[^a-c]+$", r"\.js|\.ts",
)  # fmt: skip
TEXTS = ("ada@acme.com", "pro", "555-1234", "aabcc", "xxy", "ababcde", "", "abcabc", "main.ts", "a" * 300)


def person(*, is_complete: bool = True) -> Person:
    return Person("ada", expensive_properties(), is_complete=is_complete)


@pytest.mark.parametrize(
    ("expensive", "rules"),
    [*product(EXPENSIVE, [Rules.SERVER]), *product(one_in(5, EXPENSIVE), [Rules.LIBRARY])],
)
def test_expensive_pattern_ends_soon_and_is_never_wrong(expensive: Expensive, rules: Rules) -> None:
    start = process_time()
    verdict = compare("regex", expensive.pattern, expensive.text, Manner(rules=rules))
    assert process_time() - start < 1
    assert verdict is expensive.is_match or isinstance(verdict, Unknown)


def test_fifty_expensive_patterns_share_one_budget() -> None:
    definitions = Definitions.of(expensive_flags())
    start = process_time()
    with limited_patterns():
        values = evaluate_all(person(), definitions)
    assert process_time() - start < 1
    for expensive, evaluation in zip(EXPENSIVE, values.values(), strict=True):
        is_open = evaluation.unknown is not None and evaluation.unknown.why is Why.PATTERN_COSTLY
        assert is_open or evaluation.value is expensive.is_match, expensive.pattern[:40]
        assert not is_open or describe(evaluation).startswith("too costly to evaluate here: ")


def test_budget_ends_with_a_reserve_for_ordinary_patterns() -> None:
    budget = PatternBudget(0.075)
    budget.charge(0.06)
    assert 0.01 < budget.allowance("a") <= 0.02
    budget.charge(0.06)
    assert budget.allowance("a") == 0.001
    budget.charge(0.06)
    with pytest.raises(TooCostlyError):
        budget.allowance("a")
    budget = PatternBudget(0.075)
    budget.charge(0.075 - 1e-6, free=0.0)
    assert budget.allowance("a") == 0.001
    budget = PatternBudget(0.001)
    for _ in range(1_000):
        budget.charge(10e-6)
    assert budget.has_rest


def test_costly_patterns_are_paid_for_once_then_refused() -> None:
    with limited_patterns():
        for _ in range(50):
            assert compare("regex", COSTLY, LONG, Manner()) == Unknown(Why.PATTERN_COSTLY, COSTLY)
        assert current_budget().allowance("another") > 0.01
    with limited_patterns(0.0):
        verdict = compare("regex", "^(pro|team)$", "pro", Manner())
        assert verdict == Unknown(Why.PATTERN_COSTLY, "^(pro|team)$")
        assert compare("regex", "^pro$", "pro", Manner()) is True


@pytest.fixture
def paused_collections() -> Iterator[None]:
    """Let no garbage of thousands of other tests be collected, and charged, while a pattern runs."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("paused_collections")
def test_costly_flags_leave_ordinary_patterns_decided() -> None:
    with limited_patterns():
        for pattern in (f"{number}|{COSTLY}" for number in range(6)):
            assert compare("regex", pattern, LONG, Manner()) == Unknown(Why.PATTERN_COSTLY, pattern)
        assert compare("regex", r"@(acme|corp)\.com$", "ada@acme.com", Manner()) is True


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("pattern", ORDINARY)
def test_ordinary_pattern_matches_as_the_plain_engine(pattern: str, rules: Rules) -> None:
    expected = [re.search(pattern, text) is not None for text in TEXTS]
    assert [compare("regex", pattern, text, Manner(rules=rules)) for text in TEXTS] == expected


ASKS_COSTLY = asks("name", "regex", COSTLY)
ASKS_ORDINARY = asks("name", "regex", "no")


def costly_flag(*conditions: Any, **filters: Any) -> Definitions:
    return Definitions.of([flag_of({"properties": [ASKS_COSTLY]}, *conditions, **filters)])


@pytest.mark.parametrize(("definitions", "value"), [
    (costly_flag({"properties": []}), True),
    (costly_flag({"properties": [ASKS_ORDINARY]}), None),
    (costly_flag({"properties": [], "variant": "x"}, multivariate=variants(x=50, y=50)), None),
    (costly_flag({"properties": []}, early_exit=True), None),
    (costly_flag(super_groups=[group(100, ASKS_COSTLY)]), None),
])  # fmt: skip
def test_later_condition_decides_only_where_the_costly_one_cannot(
    definitions: Definitions, value: bool | None
) -> None:
    evaluation = evaluate("it", Person("ada", {"name": LONG}, is_complete=True), definitions)
    assert evaluation.value is value
    assert value is not None or evaluation.unknown == Unknown(Why.PATTERN_COSTLY, COSTLY)


def test_dependent_flag_names_the_costly_pattern() -> None:
    base = flag_of({"properties": [ASKS_COSTLY]}, key="base")
    dependent = flag_of({"properties": [asks_flag("base", dependency_chain=["base"])]}) | {"id": 2}
    definitions = Definitions.of([base, dependent])
    evaluation = evaluate("it", Person("ada", {"name": LONG}, is_complete=True), definitions)
    assert evaluation.unknown == Unknown(Why.PATTERN_COSTLY, COSTLY)


def test_long_pattern_is_cut_in_its_reason() -> None:
    definitions = Definitions.of(expensive_flags())
    longest = max(range(50), key=lambda number: len(EXPENSIVE[number].pattern))
    words = describe(evaluate(f"costly-{longest}", person(), definitions))
    assert len(words) < 120
    assert words.startswith("too costly to evaluate here: ")
    assert words.endswith("…")


def test_fifty_patterns_are_checked_soon() -> None:
    start = process_time()
    with limited_patterns():
        assert not any(is_malformed(expensive.pattern) for expensive in EXPENSIVE)
    assert process_time() - start < 1
    assert len(EXPENSIVE) == 50


@pytest.mark.parametrize("pattern", ["(", "[", "a**", "(?P<x", "*", "a{2,1}"])
def test_check_refuses_what_python_cannot_read(pattern: str) -> None:
    assert is_malformed(pattern)
