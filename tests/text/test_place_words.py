"""Places of a record, and the values there, in words."""

import pytest

from flagtui.changes.difference import MISSING, Path
from flagtui.changes.experiments.metric_words import named_words
from flagtui.models.json_value import JSON
from flagtui.text.conflict_lines import place_words, side_words

GROUPS = ("filters", "groups")
SIGNUPS = {"metric_type": "mean", "source": {"kind": "EventsNode", "event": "signup", "math": "total"}}
SIGNUP_WORDS = named_words(SIGNUPS)


def test_places_are_named_from_the_inside() -> None:
    places: dict[Path, str] = {
        (*GROUPS, 0, "rollout_percentage"): "rollout of condition 1",
        (*GROUPS, 1, "properties", 0, "value", 2): "item 3 of value of property 1 of condition 2",
        (*GROUPS, 2): "condition 3",
        ("filters", "multivariate", "variants", 1, "name"): "name of variant 2",
        ("filters", "payloads", "true"): "payload of true",
        GROUPS: "conditions",
        ("filters", "multivariate"): "variants",
        ("filters", "new", 1): "filters.new[1]",
    }
    assert {path: place_words(path, "flag") for path in places} == places
    assert {place_words(("verified",), noun) for noun in ("event definition", "new")} == {"verified"}
    assert place_words(("filters",), "holdout") == "share"


@pytest.mark.parametrize(("noun", "path", "value", "words"), [
    ("flag", ("name",), MISSING, ""),
    ("flag", (*GROUPS, 0, "rollout_percentage"), 40, "40 %"),
    ("flag", (*GROUPS, 0), {"properties": [], "rollout_percentage": 5}, "5 % of everyone"),
    ("flag", ("active",), False, "off"),
    ("flag", ("tags",), ["a", "b"], "a, b"),
    ("flag", (*GROUPS, 0, "properties", 0, "value"), [], "none"),
    ("flag", (*GROUPS, 0, "properties", 0, "value"), "", '""'),
    ("flag", (*GROUPS, 0, "properties", 0, "value"), {"a": 1}, '{"a": 1}'),
    ("event definition", ("owner",), 7, "user 7"),
    ("experiment", ("metrics",), [{**SIGNUPS, "name": "Signups"}], f"Signups ({SIGNUP_WORDS})"),
    ("experiment", ("metrics",), [{**SIGNUPS, "name": SIGNUP_WORDS}] * 2, "; ".join([SIGNUP_WORDS] * 2)),
    ("experiment", ("metrics_secondary",), [], "none"),
    ("experiment", ("end_date",), "2026-11-30T17:06:46.5Z", "2026-11-30 17:06 UTC"),
    ("experiment", ("start_date",), None, "none"),
    ("shared metric", ("query",), {**SIGNUPS, "name": "Signups"}, f"Signups ({SIGNUP_WORDS})"),
    ("holdout", ("filters",), [{"properties": [], "rollout_percentage": 7}], "7 %"),
    ("holdout", ("filters",), "deleted", "deleted"),
])  # fmt: skip
def test_values_are_whole_and_in_words(noun: str, path: Path, value: JSON, words: str) -> None:
    assert side_words(path, value, noun) == words
