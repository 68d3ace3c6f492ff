"""A flag being edited: untouched values stay, problems are known before the request."""

import copy
from typing import Any

import pytest
from tests.doubles.expected import expect
from tests.doubles.targeting import asks, asks_cohort

from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_intent import Intent
from flagtui.models.flag import Flag

CONTROL = {"key": "control", "rollout_percentage": 50}
FILTERS: dict[str, Any] = {
    "groups": [
        {"properties": None, "rollout_percentage": None, "sort_key": "a"},
        {"properties": [asks_cohort(3, cohort_name="x")], "rollout_percentage": 5, "variant": "test"},
    ],
    "multivariate": {"variants": [CONTROL, {**CONTROL, "key": "test", "extra": 1}], "more": True},
    "payloads": {"control": "1", "test": "2"},
    "unknown": {"deep": [None]},
}


def flag(**fields: Any) -> Flag:
    raw = {"id": 7, "key": "k", "name": "n", "version": 3, "tags": ["a"], "filters": copy.deepcopy(FILTERS)}
    return Flag.of({**raw, **fields})


@pytest.mark.parametrize("filters", [FILTERS, {}, {"groups": None}, {"groups": "odd"}, {"groups": [1, {}]}])
def test_looking_at_everything_changes_nothing(filters: Any) -> None:
    looked_at = WorkingCopy.of(flag(filters=filters))
    for place in range(len(looked_at.groups)):
        assert looked_at.properties(place) is not None
        assert looked_at.group_type(place) is None
    assert looked_at.payload_keys
    assert (looked_at.problems, looked_at.is_changed, looked_at.intent()) == ([], False, None)


def test_conditions_stay_within_the_list_and_off_the_flag() -> None:
    edited = WorkingCopy.of(flag())
    assert not edited.move_condition(0, -1)
    assert not edited.move_condition(1, 2)
    assert not edited.is_changed
    read = flag()
    edited = WorkingCopy.of(read)
    edited.add_condition()
    edited.rename_variant(1, "other")
    edited.set("tags", [])
    assert (read.filters, read.tags) == (FILTERS, ("a",))


def test_variants_leave_and_take_their_payloads_along() -> None:
    edited = WorkingCopy.of(flag())
    edited.rename_variant(1, "blue")
    assert (edited.payloads, edited.groups[1]["variant"]) == ({"control": "1", "blue": "2"}, "blue")
    assert edited.variants[1] == {"key": "blue", "rollout_percentage": 50, "extra": 1}
    assert edited.problems == []
    edited = WorkingCopy.of(flag())
    edited.remove_variant(1)
    assert (edited.payloads, edited.share_sum) == ({"control": "1"}, 50)
    problems = "; ".join(edited.problems)
    assert "there is no variant test" in problems
    assert "add up to 50 %" in problems


def test_first_variant_gets_everyone_and_removing_it_restores_boolean() -> None:
    edited = WorkingCopy.of(flag(filters={"groups": [], "payloads": {"true": "1"}}))
    edited.add_variant("a")
    assert (edited.share_sum, edited.payloads, edited.problems) == (100, {}, [])
    edited.remove_variant(0)
    assert (edited.filters["multivariate"], edited.payload_keys) == (None, ("true",))


def test_encrypted_payloads_and_newer_targeting_stay() -> None:
    secret = flag(has_encrypted_payloads=True, filters={"groups": [], "payloads": {"true": '"hush"'}})
    edited = WorkingCopy.of(secret)
    assert edited.payload_text("true") == ""
    edited.set("name", "other")
    edited.add_condition()
    assert expect(edited.intent(), Intent).changes["filters"]["payloads"] == {"true": '"hush"'}
    newer = WorkingCopy.of(flag(filters={"version": 2, "rules": []}))
    assert "filters" not in newer.values
    newer.set("name", "other")
    assert set(expect(newer.intent(), Intent).changes) == {"name"}


def draft_of(*groups: dict[str, Any], level: Any = None) -> WorkingCopy:
    return WorkingCopy.of(flag(filters={"groups": list(groups), "aggregation_group_type_index": level}))


PLAN = asks("plan", "exact", ["pro"], type="group", group_type_index=0)
EMAIL = asks("email", "icontains", "@")


def test_condition_on_groups_drops_filters_on_people() -> None:
    edited = draft_of({"properties": [EMAIL], "rollout_percentage": 5}, {"properties": [EMAIL]})
    edited.set_group_type(0, 0)
    assert edited.group_types == [0, None]
    assert [edited.properties(place) for place in range(2)] == [[], [EMAIL]]
    assert edited.filters["aggregation_group_type_index"] is None
    edited.set_property(0, None, dict(PLAN))
    assert edited.problems == []


def test_group_types_follow_conditions_as_on_servers() -> None:
    edited = draft_of({"properties": [], "aggregation_group_type_index": None}, {"properties": [EMAIL]})
    edited.set_group_type(1)
    assert edited.filters["aggregation_group_type_index"] == 1
    assert edited.groups == [{"properties": [], "aggregation_group_type_index": 1}, {"properties": []}]
    edited.set_group_type(None, 1)
    assert edited.filters["aggregation_group_type_index"] is None
    assert (edited.groups[1], edited.group_types) == ({"properties": []}, [1, None])
    edited = draft_of({"properties": [PLAN]}, {"properties": []}, level=0)
    edited.set_group_type(0)
    edited.set_group_type(0, 1)
    assert not edited.is_changed
    assert edited.group_type(edited.add_condition()) == 0
