"""Evaluations of flags in words, whose numbers agree with the value beside them."""

import re
from typing import Any

from msgspec.structs import replace
from tests.doubles.expected import require

from flagtui.details.evaluations import EvaluationSubject, PersonEvaluation
from flagtui.evaluate.conditions import rollout_fraction
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.flags import evaluate
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Trial
from flagtui.text.evaluation_words import (
    decided_by,
    differing,
    hash_words,
    variant_words,
    why_they_differ,
)

HALVES = {"variants": [{"key": key, "rollout_percentage": 50} for key in ("a", "b")]}


def evaluated(name: str, *groups: dict[str, Any], **filters: Any) -> PersonEvaluation:
    """Return the evaluation for a user and a company of this name."""
    raw = {"id": 5, "key": "k", "active": True, "filters": {"groups": list(groups), **filters}}
    definitions = Definitions.of_document({"flags": [raw], "group_type_mapping": {"0": "company"}})
    subject = EvaluationSubject(name, groups={"company": f"of {name}"})
    here = evaluate("k", subject.person({}, is_complete=True), definitions)
    return PersonEvaluation(subject, Flag.of(raw), local_values={"k": here}, definitions=definitions)


def test_hash_is_that_of_the_deciding_condition() -> None:
    about_companies = {"rollout_percentage": 50, "aggregation_group_type_index": 0}
    about_users = {"rollout_percentage": 50, "aggregation_group_type_index": None}
    for number in range(20):
        account = evaluated(f"u{number}", about_companies, about_users, multivariate=HALVES)
        _words, is_in = require(hash_words(account))
        assert is_in is (account.value is not False)
        assert variant_words(account).endswith(f"→ {account.value}") is is_in


def test_unknown_reason_of_the_server_is_not_called_unknown_here() -> None:
    account = replace(evaluated("u1", {}), trial=Trial.of({"result": False, "reason": "unknown"}))
    assert (account.value, decided_by(account)) == (False, "the server names no reason")
    circular = replace(account, trial=Trial.of({"result": False, "reason": "missing_dependency"}))
    assert decided_by(circular) == "a dependency is missing or circular"
    assert decided_by(replace(account, trial=None)) == "condition 1"


def test_user_who_is_held_out_has_no_variant_hash() -> None:
    holdout = {"id": 3, "exclusion_percentage": 100}
    account = evaluated("u1", {"rollout_percentage": 100}, multivariate=HALVES, holdout=holdout)
    assert (account.value, variant_words(account)) == ("holdout-3", "")


def evaluated_at(*ranges: tuple[float, float]) -> list[PersonEvaluation]:
    """Return an evaluation for a rollout of 50 % by a user whose hash is in each of the ranges."""
    names = [f"u{number}" for number in range(2_000)]
    users = [next(name for name in names if low < rollout_fraction("k", name) < high) for low, high in ranges]
    return [evaluated(user, {"rollout_percentage": 50}) for user in users]


def test_hash_beyond_a_rollout_differs_from_it_in_words() -> None:
    inside, outside = evaluated_at((0, 0.4), (0.5001, 0.504))
    words, name = why_they_differ(inside, outside), outside.subject.distinct_id
    assert words.startswith(
        f"condition 1 rolls out to 50 %: {inside.subject.distinct_id} is in, {name} is out"
    )
    assert "with 0.50" in words
    assert not words.endswith("0.50.")
    unexplained = replace(inside, local_values={}, trial=Trial.of({"result": True, "reason": "unknown"}))
    words = why_they_differ(unexplained, outside)
    assert words.endswith(f": the server names no reason; {name}: the rollout of condition 1")


def test_hashes_of_two_users_differ_in_words() -> None:
    shown_flag = Flag.of({"id": 6, "key": "shown"})
    accounts = evaluated_at((0.4965, 0.4999), (0.5001, 0.5035))
    [difference] = differing(*(replace(account, flag=shown_flag) for account in accounts))
    share, *hashes = re.findall(r"[\d.]+", difference.why)
    assert (difference.key, share, len({*hashes})) == ("k", "50", 2), difference.why
