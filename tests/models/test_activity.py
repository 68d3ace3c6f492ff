"""Who changed what."""

from typing import Any

import pytest
from tests.doubles.expected import require
from tests.doubles.log_entries import log_entry
from tests.doubles.targeting import group

from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.activity_rows import KINDS, change_row
from flagtui.models.flag import Flag
from flagtui.models.flag_history import rebuilt_version


def entry(*changes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "e1", "item_id": "812", "activity": "updated", "detail": {"changes": list(changes)}} | more


VERSION = {"field": "version", "action": "changed", "before": 4, "after": 5}


def test_version_is_no_change_and_alone_marks_unlogged() -> None:
    activity = Activity.of(entry({"field": "active", "before": True, "after": False}, VERSION))
    [change] = activity.changes
    assert (change.field, change.before, change.after) == ("active", True, False)
    assert not activity.is_unlogged
    assert activity.record_id == 812
    assert Activity.of(entry(VERSION)).is_unlogged
    assert not Activity.of(entry(activity="created")).is_unlogged


def test_entry_without_an_id_is_identifiable_and_malformed_changes_none() -> None:
    first = Activity.of({"created_at": "2026-01-01T00:00:00Z", "item_id": "1", "activity": "updated"})
    other = Activity.of({"created_at": "2026-01-02T00:00:00Z", "item_id": "1", "activity": "updated"})
    assert first.identity != other.identity
    assert Activity.of(entry()).identity == "e1"
    odd: tuple[Any, ...] = (None, "x", [None, 3], {})
    for changes in odd:
        assert Activity.of({"detail": {"changes": changes}}).changes == ()


def test_what_made_a_change_by_itself_is_named() -> None:
    activity = Activity.of({"detail": {"trigger": {"job_type": "scheduled_change"}, "name": "a"}})
    assert (activity.trigger, activity.name) == ("scheduled_change", "a")
    assert Activity.of({"detail": {"trigger": None}}).trigger == ""


def test_a_page_gives_its_entries_and_whether_there_are_more() -> None:
    more = {"next": "https://elsewhere/?page=2", "total_count": 37}
    page = ActivityPage.of({"results": [entry(), "?"], **more})
    assert [entry.id for entry in page.entries] == ["e1"]
    assert (page.has_more, page.total_count) == (True, 37)


def test_history_with_a_hole_or_secrets_gives_no_version() -> None:
    flag = Flag.of({"id": 812, "key": "a", "version": 5, "name": "now"})
    change = Activity.of(entry({"field": "name", "before": "then"}, VERSION))
    hole = Activity.of(entry({"field": "version", "before": 2, "after": 3}))
    version = require(rebuilt_version(flag, [change], 4))
    assert (version.name, version.version) == ("then", 4)
    assert rebuilt_version(flag, [change, hole], 3) is None
    assert rebuilt_version(flag, [change], 3) is None
    assert rebuilt_version(flag, [change], 6) is None
    flag = Flag.of({"id": 812, "key": "a", "version": 1, "has_encrypted_payloads": True})
    assert rebuilt_version(flag, [], 1) is None


def test_empty_value_reported_as_null_is_restored_as_empty() -> None:
    name, tags, runtime = (None, "New"), (None, ["ops"]), (None, "all")
    made = log_entry(version=(4, 5), name=name, tags=tags, evaluation_runtime=runtime)
    flag = Flag.of({"id": 5, "key": "a", "name": "New", "tags": ["ops"], "version": 5})
    version = require(rebuilt_version(flag, [made], 4))
    assert version.raw["name"] == ""


CONDITION = group(50)
AT = "2026-03-01T00:00:00Z"


def retarget(**after: Any) -> Activity:
    """Log other filters than one condition at 50 %."""
    return log_entry(filters=({"groups": [CONDITION]}, {"groups": [CONDITION]} | after))


def of_experiment(**changed: Any) -> Activity:
    return log_entry(about=("Experiment", 812, "Blue"), **changed)


def rollout(*shares: int) -> dict[str, Any]:
    return {"groups": [group(share) for share in shares]}


@pytest.mark.parametrize(("entry", "kinds"), [
    (log_entry(active=(True, False)), ("off",)),
    (log_entry(key=("a", "b"), name=("", "x")), ("renamed", "description")),
    (log_entry(evaluation_runtime=("all", "server")), ("other",)),
    (log_entry(version=(1, 2)), ("tags", "other")),
    (log_entry(), ("other",)),
    (log_entry(filters=(rollout(5), rollout(5, 10))), ("rollout", "conditions")),
    (log_entry(filters=({"payloads": {"true": "1"}}, {"payloads": {"true": "2"}})), ("payload",)),
    (log_entry(filters=("odd", ["worse"])), ("other",)),
    (retarget(**rollout(60)), ("rollout",)),
    (retarget(groups=[{**CONDITION, "variant": "a"}]), ("variants",)),
    (retarget(groups=[{**CONDITION, "aggregation_group_type_index": 0}]), ("conditions",)),
    (retarget(aggregation_group_type_index=0), ("conditions",)),
    (retarget(early_exit=True), ("conditions",)),
    (retarget(holdout={"id": 3, "exclusion_percentage": 5}), ("conditions",)),
    (retarget(payloads={"true": "1"}), ("payload",)),
    (retarget(groups=[{**CONDITION, "description": "words"}]), ("other",)),
    (retarget(early_exit=False, super_groups=None, version=1), ("other",)),
    (of_experiment(start_date=(None, AT)), ("launched",)),
    (of_experiment(start_date=(AT, None)), ("other",)),
    (of_experiment(end_date=(None, AT), conclusion=(None, "won")), ("ended", "other")),
    (of_experiment(metrics_secondary=([], [{}])), ("metrics",)),
    (of_experiment(name=("a", "b")), ("renamed",)),
])  # fmt: skip
def test_every_entry_has_its_kinds(entry: Activity, kinds: tuple[str, ...]) -> None:
    row = change_row(entry, 1)
    assert row.kinds == kinds
    assert set(kinds) <= set(KINDS)
    assert (row.weight > 0) is not ({*kinds} <= {"other", "tags", "metrics", "renamed"})
