"""Steps of experiments in the activity: what the log lets a revert restore, and why it does not."""

from functools import partial
from typing import Any

import pytest
from tests.changes.experiments.conftest import NOW, make_experiment
from tests.doubles.expected import expect, require
from tests.doubles.log_entries import log_entry as logged_entry

from flagtui.changes.experiments.logged_steps import logged_step
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_undo import plan_step_back, step_back
from flagtui.changes.journal_entries import Entry
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON

logged = partial(logged_entry, about=("Experiment", 12, "Blue button"))
START, END = "2026-02-18T09:00:00Z", "2026-03-01T09:00:00Z"


def plan_revert(entry: Activity, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    step = expect(logged_step(entry), Entry)
    return plan_step_back(step, require(step_back(step)), fresh, StepContext(now=NOW))


def test_revert_restores_only_the_logged_values() -> None:
    fresh = make_experiment(name="New", description="newer words")
    plan = expect(plan_revert(logged(name=("Old", "New")), fresh), ExperimentPlan)
    assert (plan.step.name, dict(plan.choices.fields), plan.conflicts) == ("edit", {"name": "Old"}, ())


def test_revert_of_an_added_metric_removes_it() -> None:
    counted: dict[str, JSON] = {"metric_type": "mean", "source": {"kind": "EventsNode", "event": "paid"}}
    first, second = ({"kind": "ExperimentMetric", "uuid": name, **counted} for name in "ab")
    fresh = make_experiment(
        metrics_secondary=[first, {**second, "fingerprint": "x"}], secondary_metrics_ordered_uuids=["b", "a"]
    )
    order = (["a"], ["b", "a"])
    entry = logged(metrics_secondary=([first], [first, second]), secondary_metrics_ordered_uuids=order)
    plan = expect(plan_revert(entry, fresh), ExperimentPlan)
    assert plan.conflicts == ()
    assert dict(plan.choices.fields) == {"metrics_secondary": [first]}


@pytest.mark.parametrize(
    ("changed", "fresh", "step", "fields"),
    [
        ({"archived": (False, True)}, make_experiment("stopped", archived=True), "unarchive", {}),
        ({"archived": (True, False)}, make_experiment("stopped"), "archive", {}),
        (
            {"start_date": (None, START)},
            make_experiment("running", start_date="2026-02-18T09:00:00+00:00"),
            "reset",
            {},
        ),
        (
            {"end_date": (None, END), "conclusion": (None, "won")},
            make_experiment("stopped", conclusion="won"),
            "reopen",
            {"end_date": None, "conclusion": None},
        ),
        (
            {"start_date": (START, None), "conclusion": ("won", None)},
            make_experiment("draft"),
            "reopen",
            {"start_date": START, "conclusion": "won"},
        ),
        ({"description": (None, "why")}, make_experiment(description="why"), "edit", {"description": ""}),
    ],
)
def test_each_logged_step_has_its_reverse(
    changed: dict[str, Any], fresh: Experiment, step: str, fields: dict[str, Any]
) -> None:
    plan = expect(plan_revert(logged(**changed), fresh), ExperimentPlan)
    assert (plan.step.name, dict(plan.choices.fields), plan.conflicts) == (step, fields, ())


@pytest.mark.parametrize(
    "fresh", [make_experiment("stopped"), make_experiment("running", start_date="2026-02-20T09:00:00Z")]
)
def test_launch_is_not_reverted_after_later_dates(fresh: Experiment) -> None:
    plan = expect(plan_revert(logged(start_date=(None, START)), fresh), ExperimentPlan)
    assert plan.conflicts


def test_deleted_experiments_and_missing_values_have_their_revert() -> None:
    step = expect(logged_step(logged("deleted", deleted=(False, True))), Entry)
    assert require(step_back(step)).step.name == "restore"
    changes: JSON = [{"field": "description", "after": "new", "action": "changed"}]
    entry = Activity.of({**logged().raw, "detail": {"name": "Blue button", "changes": changes}})
    reason = expect(logged_step(entry), Blocked).reason
    assert reason == "the log does not contain the previous description"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (logged("created"), "later changes of it cannot be ruled out"),
        (logged("restored", deleted=(True, False)), "later changes of it cannot be ruled out"),
        (logged("last change"), "what it changed is not logged"),
        (logged(feature_flag_key=("a", "b")), "the old feature flag key cannot be set again"),
    ],
)
def test_revert_is_refused_where_the_log_rules_it_out(entry: Activity, words: str) -> None:
    assert words in expect(logged_step(entry), Blocked).reason
