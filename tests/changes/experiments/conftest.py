"""Experiments in any state, and a person who says yes."""

from collections.abc import Callable
from typing import Any

import pytest

from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent, StepName
from flagtui.models.experiment import Experiment

NOW = 1_772_442_000.0
"""2026-03-02 09:00 UTC."""
Made = Callable[..., Experiment]
Planned = Callable[..., ExperimentPlan]
_DATES: dict[str, dict[str, Any]] = {
    "draft": {"start_date": None, "end_date": None},
    "running": {"start_date": "2026-02-18T09:00:00Z", "end_date": None},
    "paused": {"start_date": "2026-02-18T09:00:00Z", "end_date": None},
    "stopped": {"start_date": "2026-02-18T09:00:00Z", "end_date": "2026-03-01T09:00:00Z"},
}


def made(state: str = "running", **more: Any) -> Experiment:
    """An experiment on the flag `blue`."""
    variants = [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    flag = {
        "id": 31,
        "key": "blue",
        "active": state in ("running", "stopped"),
        "filters": {"groups": [{"properties": []}], "multivariate": {"variants": variants}},
    }
    raw = {"id": 12, "name": "Blue button", "feature_flag_key": "blue", "feature_flag": flag}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m"}
    return Experiment.of({**raw, "metrics": [metric], **_DATES[state], **more})


@pytest.fixture
def experiment() -> Made:
    return made


@pytest.fixture
def planned() -> Planned:
    """The plan of a step that must be possible."""

    def plan(name: StepName, fresh: Experiment, **chosen: Any) -> ExperimentPlan:
        intent = ExperimentIntent(fresh.id, STEPS[name], Choices(**chosen))
        found = plan_step(intent, fresh, StepContext(now=NOW))
        assert isinstance(found, ExperimentPlan), found
        return found

    return plan
