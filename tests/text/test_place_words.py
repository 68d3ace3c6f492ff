"""Places of a record, and the values there, in words."""

import pytest

from flagtui.changes.difference import MISSING, Path
from flagtui.changes.experiments.metric_words import named_words
from flagtui.models.json_value import JSON
from flagtui.text.conflict_lines import place_words, side_words

GROUPS = ("filters", "groups")


@pytest.mark.parametrize(
    ("path", "noun", "words"),
    [
        ((*GROUPS, 0, "rollout_percentage"), "flag", "rollout of condition 1"),
        ((*GROUPS, 1, "properties", 0, "value", 2), "flag", "item 3 of value of property 1 of condition 2"),
        ((*GROUPS, 2), "flag", "condition 3"),
        (("filters", "multivariate", "variants", 1, "name"), "flag", "name of variant 2"),
        (("filters", "payloads", "true"), "flag", "payload of true"),
        (GROUPS, "flag", "conditions"),
        (("filters", "multivariate"), "flag", "variants"),
        (("verified",), "event definition", "verified"),
        (("verified",), "something new", "verified"),
        (("filters", "new", 1), "flag", "filters.new[1]"),
    ],
)
def test_places_are_named_from_the_inside(path: Path, noun: str, words: str) -> None:
    assert place_words(path, noun) == words


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("name",), MISSING, ""),
        ((*GROUPS, 0, "rollout_percentage"), 40, "40 %"),
        ((*GROUPS, 0), {"properties": [], "rollout_percentage": 5}, "5 % of everyone"),
        (("active",), False, "off"),
        (("tags",), ["a", "b"], "a, b"),
        ((*GROUPS, 0, "properties", 0, "value"), [], "none"),
        ((*GROUPS, 0, "properties", 0, "value"), "", '""'),
        ((*GROUPS, 0, "properties", 0, "value"), {"a": 1}, '{"a": 1}'),
    ],
)
def test_values_are_whole_and_in_words(path: Path, value: JSON, words: str) -> None:
    assert side_words(path, value, "flag") == words


def test_metrics_and_owners_are_values_in_words() -> None:
    assert side_words(("owner",), 7, "event definition") == "user 7"
    signups = {"metric_type": "mean", "source": {"kind": "EventsNode", "event": "signup", "math": "total"}}
    named = {**signups, "name": "Signups"}
    words = named_words(signups)
    assert side_words(("metrics",), [named, {**signups, "name": words}], "experiment") == (
        f"Signups ({words}); {words}"
    )
    assert side_words(("metrics_secondary",), [], "experiment") == "none"
