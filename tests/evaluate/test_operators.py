"""Every operator with every odd value, compared with the product's client; facts/ has the server."""

import os
from datetime import UTC, datetime
from itertools import product
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from posthog.feature_flags import InconclusiveMatchError, match_property
from tests.doubles.random_flags import OPERATORS, VALUES
from tests.doubles.targeting import asks, flag_of

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Unknown, Why
from flagtui.evaluate.filters import compare
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.operators import COMPARISONS
from flagtui.evaluate.pattern_budget import limited_patterns
from flagtui.evaluate.run import Manner, Person, Rules

EXAMPLES = 5_000 if "FLAGTUI_AGREEMENT_ROUNDS" in os.environ else 100
STEP = 1 if "FLAGTUI_AGREEMENT_ROUNDS" in os.environ else 7
"""Every seventh pair of values in the suite, every pair in the long run."""

PIECES = [
    "a", "b", "(", ")", "[", "]", "*", "+", "?", "{2}", "{1,}", "|", "^", "$", ".", "\\d", "\\w", "\\", "-",
    "(?:", "x", "\\.", "\\x61", "&&", "~", "é", "\n",
]  # fmt: skip
patterns = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
subjects = st.text("abx1. \n-é", max_size=8)
dates = st.builds(
    "{}-{:02}-{:02}{}".format,
    st.integers(1, 9999),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(["", "T10:00", " 10:00:00 +02:00", "T10:00:00Z", " UTC", "x", "T25:00"]),
) | st.from_regex(r"-?[0-9]{1,5}[hdwmyx]\n?", fullmatch=True)
versions = st.from_regex(r"[vV ]{0,2}[0-9]{0,2}(\.[0-9*]{0,2}){0,3}([-+][a-z0-9.]{1,3})?", fullmatch=True)
by_date = st.sampled_from(["is_date_before", "is_date_after"])
by_version = st.sampled_from([name for name in OPERATORS if name and "semver" in name])


def theirs(operator: str | None, value: Any, actual: Any, version: int = 1) -> bool | None:
    """None where the client cannot tell."""
    try:
        return match_property({"key": "it", "operator": operator, "value": value}, {"it": actual}, version)
    except InconclusiveMatchError:
        return None


def ours(operator: str | None, value: Any, actual: Any, version: int = 1) -> bool | None:
    verdict = compare(operator or "exact", value, actual, Manner(None, version, rules=Rules.LIBRARY))
    return None if isinstance(verdict, Unknown) else verdict


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_treats_odd_values_as_the_official_client_does(operator: str | None, version: int) -> None:
    pairs = list(product(VALUES, VALUES))[::STEP]
    expected = {(str(pair), theirs(operator, *pair, version)) for pair in pairs}
    comparable = {text for text, verdict in expected if verdict is not None}
    verdicts = {(str(pair), ours(operator, *pair, version)) for pair in pairs if str(pair) in comparable}
    assert verdicts == {(text, verdict) for text, verdict in expected if verdict is not None}
    assert comparable


@settings(max_examples=EXAMPLES, deadline=None)
@given(patterns, subjects, st.sampled_from(["regex", "not_regex"]))
def test_patterns_match_as_in_the_official_client(pattern: str, subject: str, operator: str) -> None:
    expected = theirs(operator, pattern, subject)
    assert expected is None or ours(operator, pattern, subject) == expected


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(st.tuples(by_date, dates, dates) | st.tuples(by_version, versions, versions))
def test_dates_and_versions_compare_as_in_the_official_client(case: tuple[str, str, str]) -> None:
    assert ours(*case) == theirs(*case)


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3), st.lists))
def test_any_json_value_is_written_as_in_the_official_client(value: Any) -> None:
    for expected in ["1", "true", value]:
        assert ours("exact", expected, value) == theirs("exact", expected, value)
        assert ours("icontains", expected, value) == theirs("icontains", expected, value)


UNSUPPORTED = ("[a&&b&&c]", "[a&&]", "[^a&&b]", r"[a-\W]", r"[\d-x]")
"""Patterns with sets that only the server can be sure of."""


@pytest.mark.parametrize(("operator", "value", "actual", "verdict"), [
    ("is_date_exact", "2024-01-01", "2024-01-01T00:00:00Z", True),
    ("min", "3", 3, True),
    ("max", "3", 4, False),
    ("contains", "a", "a", Unknown(Why.OPERATOR_UNKNOWN, "contains")),
    ("gt", "many", 4, Unknown(Why.FILTER_UNUSABLE)),
    ("is_date_after", "2024-01-01", "soon", Unknown(Why.PROPERTY_UNREADABLE)),
    ("semver_caret", "1.2.3", "1.2.3+build", True),
    ("semver_tilde", "1.2.3", "1.3.0+build", False),
    ("is_date_before", "1970-01-01T00:00:00.000001Z", float("nan"), True),
    ("regex", "(?x) a b", "ab", Unknown(Why.PATTERN_UNSUPPORTED, "(?x) a b")),
    ("regex", "[a-z&&x]", "x", True),
    *((("regex", text, "x", Unknown(Why.PATTERN_UNSUPPORTED, text))) for text in UNSUPPORTED),
])  # fmt: skip
def test_by_default_an_operator_compares_as_the_server_does(
    operator: str, value: Any, actual: Any, verdict: Any
) -> None:
    assert compare(operator, value, actual, Manner()) == verdict


def test_costly_texts_use_up_one_budget_and_spoil_no_pattern() -> None:
    costly = "(?=.)(a|aa)+$"
    start = process_time()
    with limited_patterns():
        for number in range(100):
            verdict = compare("regex", costly, "a" * (60 + number) + "!", Manner())
            assert verdict == Unknown(Why.PATTERN_COSTLY, costly)
    assert process_time() - start < 1
    assert compare("regex", costly, "aa", Manner()) is True


@pytest.mark.parametrize(("operator", "value", "actual"), [
    ("regex", "a$", "a\n"), ("regex", "^a$", "a"),
    ("exact", "0.00001", 0.00001), ("exact", "0.000001", 0.000001), ("exact", "1e-6", 0.000001),
    ("exact", "1e-7", 1e-7), ("exact", "1e+16", 1e16), ("exact", "10000000000000000.0", 1e16),
    ("exact", '{"a":[1.0,null],"b":true}', {"b": True, "a": [1.0, None]}),
    ("icontains", "É", "é"), ("exact", "É", "é"),
    ("exact", [], True), ("exact", [], "pro"), ("exact", ["true"], "pro"),
])  # fmt: skip
@pytest.mark.parametrize("version", [1, 2])
def test_values_that_are_easily_taken_for_others(
    operator: str, value: Any, actual: Any, version: int
) -> None:
    assert ours(operator, value, actual, version) == theirs(operator, value, actual, version)


@pytest.mark.parametrize(("now", "distance", "moment"), [
    ("2026-03-31", "-1m", "2026-02-28"), ("2026-03-31", "-2m", "2026-01-28"),
    ("2024-03-31", "1m", "2024-02-29"), ("2026-01-31", "-1m", "2025-12-31"),
    ("2024-02-29", "-1y", "2023-02-28"), ("2024-02-29", "-4y", "2020-02-28"),
    ("2024-02-29", "0y", "2024-02-29"), ("2026-03-10", "-2w", "2026-02-24"),
    ("2026-03-10", "-48h", "2026-03-08"),
])  # fmt: skip
def test_distances_into_the_past_by_the_calendar(now: str, distance: str, moment: str) -> None:
    manner = Manner(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert compare("is_date_exact", distance, moment, manner) is True


@pytest.mark.parametrize("operator", sorted(COMPARISONS))
def test_a_missing_property_is_unknown_unless_everything_is_known(operator: str) -> None:
    definitions = Definitions.of([flag_of({"properties": [asks("plan", operator, "5")]})])
    unsure, sure = (evaluate("it", Person("u", is_complete=each), definitions) for each in (False, True))
    assert (unsure.value, unsure.unknown) == (None, Unknown(Why.PROPERTY_MISSING, "plan"))
    assert sure.value == (operator == "is_not" or operator.startswith(("not_", "is_not_set")))
