"""An experiment on groups counts groups: no sentence about it names people."""

import re
from typing import Any, Final

import pytest

from flagtui.changes.experiments.step_consequences import StepContext, consequences
from flagtui.changes.experiments.steps import STEPS, Choices
from flagtui.details.metric_findings import metrics_of
from flagtui.models.experiment import Experiment

SIGNUP: Final = {"kind": "EventsNode", "event": "signed up"}
VARIANTS: Final = [{"key": key, "rollout_percentage": 50} for key in ("control", "test")]
FILTERS: Final[dict[str, Any]] = {
    "groups": [{"properties": [], "rollout_percentage": 80}],
    "multivariate": {"variants": VARIANTS},
    "holdout": {"id": 3, "exclusion_percentage": 10},
    "aggregation_group_type_index": 0,
}
RAW: Final[dict[str, Any]] = {
    "id": 1,
    "name": "Companies",
    "feature_flag_key": "companies",
    "feature_flag": {"id": 2, "key": "companies", "active": True, "filters": FILTERS},
    "metrics": [
        {"metric_type": "mean", "source": SIGNUP, "threshold": 5},
        {"metric_type": "binomial", "metric_config": SIGNUP},
    ],
    "exposure_criteria": {"activation_config": SIGNUP},
}


def state_of(name: str) -> dict[str, Any]:
    started = {"start_date": "2026-02-18T09:00:00Z"}
    return {} if name == "launch" else started


@pytest.mark.parametrize("name", ["launch", "pause", "end", "ship"])
def test_consequences_of_a_step_name_groups(name: str) -> None:
    experiment = Experiment.of({**RAW, **state_of(name)})
    step = STEPS[name]
    words = " ".join(
        f"{each.label} {each.text}"
        for each in consequences(experiment, step, Choices(variant="test"), StepContext())
    )
    assert "roups" in words
    assert not re.search(r"\b(people|users?)\b", words, re.IGNORECASE), words


def test_metrics_are_shares_of_groups() -> None:
    measured = [metric.measures for metric in metrics_of(Experiment.of(RAW))]
    assert measured == ["share of groups with at least 5 of signed up", "share of groups with signed up"]
