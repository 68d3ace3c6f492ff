"""Rules of a flag (configuration version 2) in sentences, and evaluated for one user."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.doubles.targeting import asks

from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Trial
from flagtui.text.evaluation_words import condition_sentences, decided_by, served_words, why_they_differ
from flagtui.text.flag_sentences import plain, who_sees_it
from flagtui.text.rule_sentences import FAILS, rule_values

PRO = asks("plan", "exact", "pro")
SPLIT: dict[str, Any] = {
    "rule_type": "experiment",
    "rollout_percentage": 50,
    "on_rollout_miss": "return_default",
    "holdout": {"id": None, "seed": "h", "exclusion_percentage": 5},
    "variants": [{"key": "control", "weight": 40, "value": 1}, {"key": "test", "weight": 60, "value": 2}],
}
FAILING = "the flag fails for users who reach it"


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


def test_rollout_names_share_and_miss() -> None:
    goals = {"continue": "go to the next rule", "return_default": "get the default"}
    for policy, goal in goals.items():
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


@pytest.mark.parametrize(("broken", "words"), [
    (rule({**PRO, "operator": "regex", "value": "["}), FAILS),
    (rule({**PRO, "type": "group"}), FAILS),
    (rule({**PRO, "negation": True}), "      not: plan is pro"),
    (rule(rule_type="x"), f" 1 of another type: {FAILING}"),
    ("odd", f" 1 malformed: {FAILING}"),
])  # fmt: skip
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


ROLLOUT: dict[str, Any] = {
    **rule(id="r", rule_type="percentage_rollout", value=7, rollout_percentage=0, seed="s"),
    **{"on_rollout_miss": "return_default", "assignment_algorithm": "sha1_60_v1"},
}
PRO_RULE = rule({"type": "person", "key": "plan", "value": "pro"}, id="t", value={"limit": 3})
DEFAULT = "no rule matches: default value"
MALFORMED = "the server cannot evaluate this flag: malformed rule_type"


def account_of(default: Any, rules: list[Any], **properties: Any) -> PersonEvaluation:
    filters = {"version": 2, "return_type": "number", "default_value": default, "rules": rules}
    raw = {"id": 1, "key": "it", "active": True, "filters": filters}
    subject, definitions = EvaluationSubject("ada", properties), Definitions.of([raw])
    local = {"it": evaluate("it", subject.person({}, is_complete=True), definitions)}
    return PersonEvaluation(subject, Flag.of(raw), local_values=local, definitions=definitions)


@pytest.mark.parametrize(("default", "rules", "value", "decision", "sentences"), [
    (0, [PRO_RULE], "0", DEFAULT, ("rule 1 does not match: plan is pro: there is none", DEFAULT)),
    (None, [], "the caller's default", DEFAULT, (DEFAULT,)),
    (0, [ROLLOUT], "0", "the rollout of rule 1",
     ("rule 1 matches, but its rollout excludes this user: default value (hash 0.97 > 0.00: out)",)),
    (0, [{**ROLLOUT, "rollout_percentage": 100}], "7", "rule 1", ("rule 1 matches",)),
    (0, [{"rule_type": "x"}], "error", MALFORMED, (MALFORMED,)),
])  # fmt: skip
def test_rules_have_value_and_deciding_rule(
    default: Any, rules: list[Any], value: str, decision: str, sentences: tuple[str, ...]
) -> None:
    account = account_of(default, rules)
    assert (served_words(account), decided_by(account)) == (value, decision)
    assert condition_sentences(account) == sentences


def test_rules_explain_why_two_users_differ() -> None:
    left, right = account_of(0, [PRO_RULE], plan="pro"), account_of(0, [PRO_RULE], plan="free")
    assert served_words(left) == '{"limit": 3}'
    assert why_they_differ(left, right) == "ada: rule 1 matches; ada: no rule matches: default value"


def test_rules_have_the_value_that_the_server_reports() -> None:
    match = {"result": True, "reason": "condition_match", "condition_index": 0}
    for trial, value, decision in (
        ({**match, "payload": "7"}, "7", "rule 1"),
        (match, "?", "rule 1"),
        ({"result": False, "reason": "no_rule_match"}, "the caller's default", DEFAULT),
    ):
        account = replace(account_of(0, [ROLLOUT]), trial=Trial.of(trial))
        assert (served_words(account), decided_by(account)) == (value, decision)
