"""A draft shares unchanged parts with its record, its snapshots and a copy for a thread."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counted_calls

from flagtui.changes.experiments.experiment_draft import ExperimentCopy
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag

FEW = 200
"""Python functions of one step in a form, whatever the size of the record."""


def heavy_flag() -> WorkingCopy:
    return WorkingCopy.of(Flag.of(heavy.with_conditions(2_000)))


def set_share(copy: WorkingCopy, place: int, share: int) -> None:
    copy.change_group(place)["rollout_percentage"] = share


def test_change_copies_its_path_and_shares_the_rest() -> None:
    copy = heavy_flag()
    stored = copy.flag.filters["groups"]
    set_share(copy, 5, 77)
    assert [place for place, group in enumerate(copy.groups) if group is not stored[place]] == [5]
    assert copy.properties(5) is stored[5]["properties"]
    assert stored[5]["rollout_percentage"] == 5


@pytest.mark.parametrize("make", [heavy.with_conditions, heavy.with_properties, heavy.with_variants])
def test_open_flag_is_compared_without_a_look_at_its_parts(make: Callable[[int], dict[str, Any]]) -> None:
    copy = WorkingCopy.of(Flag.of(make(2_000)))
    assert counted_calls(lambda: copy.is_changed) < FEW
    assert counted_calls(copy.snapshot) < FEW
    assert not copy.is_changed


def test_change_in_a_heavy_flag_costs_few_calls() -> None:
    copy = heavy_flag()

    def change() -> None:
        before = copy.snapshot()
        set_share(copy, 1_999, 3)
        assert copy.values != before["values"]

    assert counted_calls(change) < FEW
    assert copy.is_changed


def test_heavy_experiment_is_compared_without_a_look_at_its_metrics() -> None:
    copy = ExperimentCopy.of(Experiment.of(heavy.experiment(2_000)))
    assert counted_calls(lambda: copy.is_changed) < FEW
    copy.change_role("metrics", 0)
    assert (len(copy.metrics("metrics")), len(copy.metrics("metrics_secondary"))) == (1_999, 1)
    assert copy.is_changed


def test_snapshot_restores_what_was_changed_after_it() -> None:
    copy = heavy_flag()
    set_share(copy, 0, 11)
    snapshot = copy.snapshot()
    set_share(copy, 0, 22)
    copy.set_property(0, None, heavy.property_of(7))
    copy.restore(snapshot)
    assert (copy.groups[0]["rollout_percentage"], len(copy.properties(0))) == (11, 1)
    set_share(copy, 0, 33)
    copy.restore(snapshot)
    assert copy.groups[0]["rollout_percentage"] == 11


def test_missing_parts_and_frozen_copies_stay() -> None:
    copy = heavy_flag()
    set_share(copy, 0, 300)
    frozen = copy.frozen()
    set_share(copy, 0, 30)
    assert frozen.problems == ["filters.groups[0].rollout_percentage: must be between 0 and 100, not 300"]
    assert copy.problems == []
    copy = WorkingCopy.of(Flag.of({"id": 7, "key": "k", "filters": {"groups": [1]}}))
    assert copy.change("filters", "multivariate", "variants") == {}
    copy.change_group(0)["rollout_percentage"] = 5
    assert copy.groups == [1]
    assert not copy.is_changed
