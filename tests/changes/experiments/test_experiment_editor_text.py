"""An experiment as text and back: only what differs is an edit, and odd text is explained."""

import json

import pytest
from tests.changes.experiments.conftest import NOW, Made

from flagtui.changes.blocked import Blocked
from flagtui.changes.draft import Faulty
from flagtui.changes.experiments.experiment_draft import experiment_text
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent

METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m", "fingerprint": "f"}


def test_a_text_left_as_it_was_is_no_edit(experiment: Made) -> None:
    fresh = experiment(metrics=[METRIC], stats_config={"method": "bayesian"}, conclusion=None)
    text = experiment_text(fresh).text()
    assert experiment_text(fresh).read(text) == {}
    assert "fingerprint" not in text


def test_only_the_changed_field_is_in_the_edit(experiment: Made) -> None:
    fresh = experiment(metrics=[METRIC], description="old")
    record = experiment_text(fresh)
    assert record.read(json.dumps({**record.shown, "description": "new"})) == {"description": "new"}
    assert record.shown["description"] == "old"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "one JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"archived": true}', "no field that can be edited here"),
        ('{"metrics": null}', "metrics must be a list"),
        ('{"metrics": {}}', "metrics must be a list"),
        ('{"name": 5}', "name must be text"),
        ('{"conclusion": "maybe"}', "conclusion must be won, lost"),
    ],
)
def test_a_text_that_is_no_edit_says_why(text: str, reason: str, experiment: Made) -> None:
    fresh = experiment(metrics=[METRIC], conclusion=None)
    found = experiment_text(fresh).read(text)
    assert isinstance(found, Faulty)
    assert any(reason in one for one in found.reasons)


def test_an_edit_of_what_somebody_else_changed_meanwhile_is_refused(experiment: Made) -> None:
    choices = Choices(fields={"description": "mine"}, seen={"description": "old"})
    intent = ExperimentIntent(12, STEPS["edit"], choices)
    found = plan_step(intent, experiment(description="theirs"), StepContext(NOW))
    assert isinstance(found, Blocked)
    assert "somebody changed description" in found.reason
    assert not isinstance(plan_step(intent, experiment(description="old"), StepContext(NOW)), Blocked)


def test_experiments_of_the_old_engine_let_only_their_name_and_description_be_changed(
    experiment: Made,
) -> None:
    fresh = experiment(is_legacy=True, description="old", stats_config={})
    assert experiment_text(fresh).shown.keys() == {"name", "description"}
    choices = Choices(fields={"stats_config": {"method": "x"}})
    assert isinstance(
        plan_step(ExperimentIntent(12, STEPS["edit"], choices), fresh, StepContext(NOW)), Blocked
    )
