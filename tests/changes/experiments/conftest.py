"""Experiments in any state, and a user who confirms."""

from typing import Any, Final

from tests.doubles.expected import expect

from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment

NOW = 1_772_442_000.0
"""2026-03-02 09:00 UTC."""
_DATES: dict[str, dict[str, Any]] = {
    "draft": {"start_date": None, "end_date": None},
    "running": {"start_date": "2026-02-18T09:00:00Z", "end_date": None},
    "paused": {"start_date": "2026-02-18T09:00:00Z", "end_date": None},
    "stopped": {"start_date": "2026-02-18T09:00:00Z", "end_date": "2026-03-01T09:00:00Z"},
}


def make_experiment(state: str = "running", **more: Any) -> Experiment:
    """An experiment on the flag `blue`."""
    variants = [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    flag = {
        "id": 31,
        "key": "blue",
        "active": state in ("running", "stopped"),
        "filters": {"groups": [{"properties": []}], "multivariate": {"variants": variants}},
    }
    raw = {
        "id": 12,
        "name": "Blue button",
        "feature_flag_key": "blue",
        "feature_flag": flag,
        "deleted": False,
    }
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m"}
    return Experiment.of({**raw, "metrics": [metric], **_DATES[state], **more})


CONTEXT: Final = StepContext(now=NOW)


def make_plan(
    name: StepName, fresh: Experiment, context: StepContext = CONTEXT, **chosen: Any
) -> ExperimentPlan:
    """The plan of a step that must be possible."""
    return expect(try_step(name, fresh, context, **chosen), ExperimentPlan)


def try_step(
    name: StepName, fresh: Experiment, context: StepContext = CONTEXT, **chosen: Any
) -> ExperimentPlan | Blocked | None:
    return plan_step(ExperimentIntent(fresh.id, STEPS[name], Choices(**chosen)), fresh, context)
