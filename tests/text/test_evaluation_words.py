"""Flags with rules (configuration version 2), evaluated for one user, in words."""

from dataclasses import replace
from typing import Any

import pytest

from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Trial
from flagtui.text.evaluation_words import condition_sentences, decided_by, served_words, why_they_differ

EVERYONE: dict[str, Any] = {"properties": []}
ROLLOUT: dict[str, Any] = {
    "id": "r",
    "rule_type": "percentage_rollout",
    "targeting": EVERYONE,
    "value": 7,
    "rollout_percentage": 0,
    "on_rollout_miss": "return_default",
    "assignment_algorithm": "sha1_60_v1",
    "seed": "s",
}
PRO: dict[str, Any] = {
    "id": "t",
    "rule_type": "targeted_release",
    "targeting": {"properties": [{"type": "person", "key": "plan", "value": "pro"}]},
    "value": {"limit": 3},
}


def account_of(default: Any, rules: list[Any], **properties: Any) -> PersonEvaluation:
    filters = {"version": 2, "return_type": "number", "default_value": default, "rules": rules}
    raw = {"id": 1, "key": "it", "active": True, "filters": filters}
    subject, definitions = EvaluationSubject("ada", properties), Definitions.of([raw])
    local = {"it": evaluate("it", subject.person({}, is_complete=True), definitions)}
    return PersonEvaluation(subject, Flag.of(raw), local_values=local, definitions=definitions)


@pytest.mark.parametrize(
    ("default", "rules", "value", "decision", "sentences"),
    [
        (0, [PRO], "0", "no rule matches: default value",
         ("rule 1 does not match: plan is pro: there is none", "no rule matches: default value")),
        (None, [], "the caller's default", "no rule matches: default value",
         ("no rule matches: default value",)),
        (0, [ROLLOUT], "0", "the rollout of rule 1",
         ("rule 1 matches, but its rollout excludes this user: default value (hash 0.97 > 0.00: out)",)),
        (0, [{**ROLLOUT, "rollout_percentage": 100}], "7", "rule 1", ("rule 1 matches",)),
        (0, [{"rule_type": "x"}], "error", "the server cannot evaluate this flag: malformed rule_type",
         ("the server cannot evaluate this flag: malformed rule_type",)),
    ],
)  # fmt: skip
def test_rules_have_value_and_deciding_rule(
    default: Any, rules: list[Any], value: str, decision: str, sentences: tuple[str, ...]
) -> None:
    account = account_of(default, rules)
    assert (served_words(account), decided_by(account)) == (value, decision)
    assert condition_sentences(account) == sentences


def test_rules_explain_why_two_users_differ() -> None:
    left, right = account_of(0, [PRO], plan="pro"), account_of(0, [PRO], plan="free")
    assert served_words(left) == '{"limit": 3}'
    assert why_they_differ(left, right) == "ada: rule 1 matches; ada: no rule matches: default value"


@pytest.mark.parametrize(
    ("trial", "value"),
    [
        ({"result": True, "reason": "condition_match", "condition_index": 0, "payload": "7"}, "7"),
        ({"result": True, "reason": "condition_match", "condition_index": 0}, "?"),
        ({"result": False, "reason": "no_rule_match"}, "the caller's default"),
    ],
)
def test_rules_have_the_value_that_the_server_reports(trial: dict[str, Any], value: str) -> None:
    account = replace(account_of(0, [ROLLOUT]), trial=Trial.of(trial))
    assert served_words(account) == value
    assert decided_by(account) == ("rule 1" if trial["result"] else "no rule matches: default value")
