"""Rules of a flag (configuration version 2) in sentences."""

from typing import Any

import pytest

from flagtui.models.filters import Filters
from flagtui.text.flag_sentences import plain, who_sees_it
from flagtui.text.rule_sentences import FAILS, rule_values

PRO = {"type": "person", "key": "plan", "value": "pro"}
SPLIT: dict[str, Any] = {
    "rule_type": "experiment",
    "rollout_percentage": 50,
    "on_rollout_miss": "return_default",
    "holdout": {"id": None, "seed": "h", "exclusion_percentage": 5},
    "variants": [{"key": "control", "weight": 40, "value": 1}, {"key": "test", "weight": 60, "value": 2}],
}


def sentences(*rules: Any, default: Any = None) -> list[str]:
    filters = {"version": 2, "return_type": "string", "default_value": default, "rules": [*rules]}
    return plain(who_sees_it(Filters.of(filters))).splitlines()


def rule(*properties: Any, **fields: Any) -> dict[str, Any]:
    return {"rule_type": "targeted_release", "targeting": {"properties": [*properties]}, **fields}


def test_targeted_release_names_value_and_properties() -> None:
    assert sentences(rule(PRO, {**PRO, "key": "seats"}, value=True), default=False) == [
        " 1 serves true to users where",
        "      plan is pro",
        "  and seats is pro",
        " ·  everyone else: default value false",
    ]


@pytest.mark.parametrize(
    ("policy", "goal"), [("continue", "go to the next rule"), ("return_default", "get the default")]
)
def test_rollout_names_share_and_miss(policy: str, goal: str) -> None:
    fields = {"rule_type": "percentage_rollout", "rollout_percentage": 12.5, "on_rollout_miss": policy}
    expected = [' 2 serves "a" to 12.5 % of everyone else', f"      the other matching users {goal}"]
    assert sentences(rule(value="b"), rule(value="a", **fields))[1:3] == expected


def test_split_names_variants_and_holdout_or_its_pause() -> None:
    assert sentences(rule(**SPLIT))[:5] == [
        " 1 serves a variant to 50 % of everyone",
        "      5 % of them are held out and get the default",
        "      40 % of those get 1 (control)",
        "      60 % of those get 2 (test)",
        "      the other matching users get the default",
    ]
    words = " 1 serves the default to everyone; its split is paused"
    assert sentences(rule(**SPLIT, paused=True))[0] == words


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (rule({**PRO, "operator": "regex", "value": "["}), FAILS),
        (rule({**PRO, "type": "group"}), FAILS),
        (rule({**PRO, "negation": True}), "      not: plan is pro"),
        (rule(rule_type="x"), " 1 of another type: the flag fails for users who reach it"),
        ("odd", " 1 malformed: the flag fails for users who reach it"),
    ],
)
def test_unusual_rule_has_a_sentence(broken: Any, words: str) -> None:
    text = "\n".join(sentences(broken))
    assert words in text
    assert "never match" not in text


def test_rules_name_their_values_or_are_malformed() -> None:
    filters = Filters.of({"version": 2, "return_type": "number", "rules": [rule(value=0), rule(**SPLIT)]})
    assert plain(rule_values(filters)).splitlines() == [
        "values of type number",
        "rule 1: 0",
        "rule 2: 1 (control 40 %)",
        "rule 2: 2 (test 60 %)",
        "the caller's default",
    ]
    text = plain(who_sees_it(Filters.of({"version": 2})))
    assert text == "the server cannot evaluate this flag: its rules are malformed"
