"""What a condition asks for in words: every value seen, told apart and counted, as the evaluator takes it."""

from typing import Any

import pytest

from flagtui.evaluate.filters import compare
from flagtui.evaluate.operator_words import asked_words, list_values
from flagtui.evaluate.run import Manner

JSON = Any


def words_of(operator: str, value: JSON, version: int = 1) -> str:
    return " ".join(part for part in asked_words(operator, value, version) if part)


def test_long_lists_and_values_count_what_is_left_out() -> None:
    emails = [f"person-{number:04}@example.com" for number in range(2_500)]
    assert words_of("exact", emails) == f"is any of {', '.join(emails[:4])} and 2,496 more"
    assert list_values(emails[:4]) == ", ".join(emails[:4])
    assert list_values("x" * 130) == "x" * 120 + "… (10 more characters)"
    assert list_values(["x" * 121, "y"]) == "x" * 120 + "… (1 more character) and 1 more"


@pytest.mark.parametrize(("value", "words"), [
    ([None, "", 0, False], 'null, "", 0, false'), (["a, b", "c"], '"a, b", c'), ([" a", "a"], '" a", a'),
    (['"a"', "[]", "{"], '"\\"a\\"", "[]", "{"'), ("", '""'), (" ", '" "'), ("a, b", "a, b"), ([], "[]"),
    ({"a": [1]}, '{"a": [1]}'),
])  # fmt: skip
def test_every_value_is_seen_and_taken_for_nothing_else(value: JSON, words: str) -> None:
    assert list_values(value) == words


def test_operators_and_newer_matching_read_values_their_way() -> None:
    assert words_of("regex", ["a", "b"]) == 'matches ["a", "b"]'
    assert words_of("icontains_multi", ["a", "b"]) == "contains any of a, b"
    assert list_values([18, 65], "between") == "18 to 65"
    assert words_of("exact", "false", 2) == "is false"
    assert compare("exact", "false", "banana", Manner(matching_version=2)) is False
    assert words_of("exact", [], 2) == "is true (no value is listed)"
    assert compare("exact", [], True, Manner(matching_version=2)) is True


@pytest.mark.parametrize(("operator", "value", "words"), [
    ("exact", [], "is true (no value is listed)"),
    ("is_not", [], "is not true (no value is listed)"),
    ("exact", True, "is true"),
    ("exact", ["true"], "is true"),
    ("exact", "false", "is anything but true (false is required)"),
    ("exact", [False], "is anything but true (false is required)"),
    ("exact", ["true", "false"], "is anything but true (true, false is required)"),
    ("is_not", ["false"], "is true or not set (false is required)"),
    ("is_not", "true", "is not true"),
    ("exact", ["false", "no"], "is any of false, no"),
])  # fmt: skip
def test_true_and_false_are_asked_for_as_servers_compare_them(operator: str, value: JSON, words: str) -> None:
    assert words_of(operator, value) == words
    for actual in (True, "TRUE", False, "false", "banana", 3, None):
        is_true = actual in (True, "TRUE")
        fits = {
            "is true": is_true,
            "is not true": not is_true,
            "is anything but true": not is_true,
            "is true or not set": is_true,
        }.get(words.partition(" (")[0])
        if fits is not None:
            assert compare(operator, value, actual, Manner()) is fits, actual
