"""Who sees a flag, read from whatever is stored."""

from typing import Any

import pytest
from tests.doubles.targeting import asks, asks_flag, group
from tests.models.test_flag_rows import row_of

from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.text.flag_sentences import plain, who_sees_it

EMAIL = asks("email", "icontains", "@acme.test")


@pytest.mark.parametrize(("groups", "rollout", "is_conditional"), [
    ([], 0.0, False), ([group(None)], 100.0, False), ([group(0)], 0.0, False), ([group(0.5)], 0.5, False),
    ([group(100, EMAIL)], 100.0, True), ([group(100, EMAIL), group(20)], 100.0, True),
    ([group(100, EMAIL), group(100)], 100.0, False), ([group(250), group(-3)], 100.0, False),
    ([group("50"), group(20)], 0.0, False), ([group(10), {"properties": "?"}, group(100)], 10.0, False),
    ([{}], 100.0, False), ([None, 3, "x"], 0.0, False),
])  # fmt: skip
def test_highest_share_counts_and_marks_conditional_flags(
    groups: list[Any], rollout: float, is_conditional: bool
) -> None:
    filters = Filters.of({"groups": groups})
    assert (filters.rollout, filters.is_conditional) == (rollout, is_conditional)


@pytest.mark.parametrize(("groups", "rollout"), [
    ([group(10), group(100, EMAIL)], 10.0),
    ([group(10, EMAIL), group(100)], 100.0),
    ([group(10, EMAIL), group(30), group(100)], 30.0),
    ([group(10) | {"aggregation_group_type_index": 0}, group(100)], 100.0),
])  # fmt: skip
def test_conditions_after_one_for_everyone_do_not_count(groups: list[Any], rollout: float) -> None:
    assert row_of(filters={"groups": groups, "early_exit": True}).rollout == rollout
    assert Filters.of({"groups": groups}).rollout == 100.0


@pytest.mark.parametrize("version", [2, 0, 1.5, 1.0, "1", True, None, {}, []])
def test_newer_rules_have_neither_type_nor_rollout(version: Any) -> None:
    filters = {"version": version, "return_type": "string", "rules": []}
    row = row_of(filters=filters)
    assert (row.type, row.rollout) == ("rules", None)
    assert not Filters.of(filters).is_editable
    assert not Filters.of({"version": version, "groups": []}).is_editable


@pytest.mark.parametrize(("filters", "problem"), [
    (None, "filters is not an object"), ([], "filters is not an object"),
    ("x", "filters is not an object"),
    ({"groups": "text"}, "groups is not a list"), ({"groups": {}}, "groups is not a list"),
    ({}, ""), ({"groups": None}, ""),
])  # fmt: skip
def test_filters_that_cannot_be_read_say_why(filters: Any, problem: str) -> None:
    assert Flag.of({"id": 1, "key": "a", "filters": filters}).targeting.problem == problem


def test_what_a_condition_asks_for_is_found_by_kind() -> None:
    cohort = {"key": "id", "type": "cohort", "value": 31, "cohort_name": "Beta people"}
    properties = [asks_flag("812"), asks_flag(9, "test"), {"key": "beta", "type": "flag"}, cohort]
    filters = Filters.of({"groups": [group(10, *properties), group(20, properties[0])]})
    assert (filters.depends_on, filters.cohorts) == ((812, 9), (31,))
    assert [item.label for item in filters.conditions[0].properties] == ["", "", "", "Beta people"]
    assert filters.conditions[0].properties[3].operator == "exact"


def test_absent_and_null_group_types_differ_in_raw_conditions_only() -> None:
    absent, null = Filters.of({"groups": [group(1), group(1, aggregation_group_type_index=None)]}).conditions
    assert absent.group_type_index is null.group_type_index is None
    assert "aggregation_group_type_index" not in absent.raw
    assert "aggregation_group_type_index" in null.raw


def test_version_one_is_editable_with_early_access_of_any_form() -> None:
    assert Filters.of({"version": 1, "groups": []}).is_editable
    assert Filters.of({"groups": []}).is_editable
    assert Filters.of({"feature_enrollment": True}).feature_enrollment
    assert Filters.of({"super_groups": [group(100)]}).feature_enrollment
    assert not Filters.of({"feature_enrollment": None, "super_groups": None}).feature_enrollment


@pytest.mark.parametrize("share", ["50", True, [], {}])
def test_share_that_is_not_a_number_matches_no_one(share: Any) -> None:
    filters = Filters.of({"groups": [{"rollout_percentage": share}]})
    assert (filters.conditions[0].rollout, filters.rollout) == (0.0, 0.0)
    assert not Filters.of({"groups": None}).problem


def test_variants_and_holdout_are_read() -> None:
    several = {"variants": [{"key": "control", "rollout_percentage": 33.3}, "?", {}]}
    holdout = {"id": 4, "exclusion_percentage": 5}
    filters = Filters.of({"multivariate": several, "holdout": holdout, "payloads": {"control": "1"}})
    assert [(variant.key, variant.rollout) for variant in filters.variants] == [("control", 33.3), ("", 0.0)]
    assert (filters.holdout_id, filters.payloads) == (4, {"control": "1"})


@pytest.mark.parametrize(("own", "rollout"), [({"aggregation_group_type_index": None}, 60), ({}, 10)])
def test_users_without_a_group_reach_conditions_about_users(own: dict[str, Any], rollout: float) -> None:
    groups = [{"rollout_percentage": 10}, {"rollout_percentage": 60, **own}]
    filters = {"groups": groups, "aggregation_group_type_index": 0, "early_exit": True}
    assert Filters.of(filters).rollout == rollout
    assert ("adds no one" in plain(who_sees_it(Filters.of(filters)))) is (own == {})
