"""Undo of an activity entry: old values, or the three sides where they were changed since."""

from typing import Any

import pytest
from tests.changes.conftest import CALM, flag, plan_change
from tests.doubles.expected import expect
from tests.doubles.log_entries import log_entry

from flagtui.changes.flags.flag_entries import revert_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import verb
from flagtui.models.activity import Activity
from flagtui.models.json_value import JSON

Changed = dict[str, tuple[JSON, JSON]]


def targeting(share: int, **more: JSON) -> dict[str, JSON]:
    group = {"properties": [], "rollout_percentage": share, "variant": None}
    return {"groups": [group], "payloads": {}, "multivariate": None, **more}


def entry(changed: Changed, activity: str = "updated", version: int = 12) -> Activity:
    both: dict[str, Any] = {**changed, "version": (version - 1, version)}
    return log_entry(activity, **both)


ROLLED_OUT = entry({"filters": (targeting(10), targeting(25))})


def test_revert_restores_a_rollout_or_needs_nothing() -> None:
    plan = expect(plan_change(revert_of(ROLLED_OUT), flag(), CALM), Plan)
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10
    assert [line.where for line in plan.lines] == ["filters.groups[0].rollout_percentage"]
    assert plan.intent.seen_version == 12
    result = plan_change(revert_of(entry({"active": (True, False)})), flag(active=True, version=13), CALM)
    assert isinstance(result, NoOp)


def test_revert_of_a_later_changed_place_shows_three_sides() -> None:
    fresh = flag(filters=targeting(75), version=14)
    refusal = expect(plan_change(revert_of(ROLLED_OUT), fresh, CALM), Blocked)
    assert refusal.code == "moved on"
    for side in ('"rollout_percentage": 25', '"rollout_percentage": 10', '"rollout_percentage": 75'):
        assert side in refusal.reason


@pytest.mark.parametrize(
    ("changed", "activity", "expected"),
    [
        ({"active": (False, True)}, "updated", {"active": False}),
        ({"deleted": (False, True), "key": ("k", "k:deleted:812")}, "updated", {"deleted": False}),
        ({}, "deleted", {"deleted": False}),
        ({}, "created", {"deleted": True}),
        ({}, "restored", {"deleted": True}),
        ({"tags": (None, ["a"]), "created_by": (1, 2)}, "updated", {"tags": []}),
        ({"key": ("old", "checkout-v2")}, "updated", {"key": "old"}),
    ],
)
def test_each_kind_of_entry_has_its_undo(changed: Changed, activity: str, expected: dict[str, Any]) -> None:
    assert expect(revert_of(entry(changed, activity)).intent(flag()), Intent).changes == expected


@pytest.mark.parametrize("activity", ["created", "restored"])
def test_creation_is_not_reverted_after_later_changes(activity: str) -> None:
    refusal = expect(plan_change(revert_of(entry({}, activity, version=3)), flag(version=12), CALM), Blocked)
    assert refusal.code == "moved on"


@pytest.mark.parametrize(("changed", "code"), [({}, "unlogged"), ({"usage_dashboard": (1, 2)}, "field")])
def test_what_cannot_be_set_again_says_so(changed: Changed, code: str) -> None:
    assert expect(plan_change(revert_of(entry(changed)), flag(), CALM), Blocked).code == code


def test_reverts_never_write_encrypted_payloads() -> None:
    sealed = flag(
        has_encrypted_payloads=True, filters=targeting(25, payloads={"true": "********* (encrypted)"})
    )
    old, new = targeting(25, payloads={"true": "gAAA1"}), targeting(25, payloads={"true": "gAAA2"})
    refusal = expect(plan_change(revert_of(entry({"filters": (old, new)})), sealed, CALM), Blocked)
    assert refusal.code == "secret"
    assert "gAAA" not in refusal.reason
    shown = {"true": "********* (encrypted)"}
    sealed = flag(has_encrypted_payloads=True, filters=targeting(25, payloads=shown))
    kept = {"true": "gAAA"}
    moved = {"filters": (targeting(10, payloads=kept), targeting(25, payloads=kept))}
    plan = expect(plan_change(revert_of(entry(moved)), sealed, CALM), Plan)
    assert plan.body["filters"]["payloads"] == shown
    assert plan.body["filters"]["groups"][0]["rollout_percentage"] == 10


@pytest.mark.parametrize(
    ("changed", "title"),
    [
        ({"active": (True, False)}, "Turn ON"),
        ({"key": ("old", "checkout-v2")}, "Change the key of"),
        ({"name": ("Old", "New")}, "Put back the previous values of"),
        ({"filters": ({"groups": []}, {"groups": [{}]})}, "Put back the previous values of"),
    ],
)
def test_question_of_a_revert_names_its_effect(changed: Changed, title: str) -> None:
    assert verb(expect(revert_of(entry(changed)).intent(flag()), Intent).verb).title == title
