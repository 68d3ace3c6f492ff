"""An experiment as text and back: only what differs is an edit, and odd text is explained."""

import json

import pytest
from tests.changes.experiments.conftest import NOW, Made

from flagtui.changes.experiments.experiment_editor_text import Draft, as_text, from_text
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import plan_step
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.changes.flags.flag_refusals import Blocked

METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m", "fingerprint": "f"}


def test_a_text_left_as_it_was_is_no_edit(experiment: Made) -> None:
    fresh = experiment(metrics=[METRIC], stats_config={"method": "bayesian"}, conclusion=None)
    found = from_text(as_text(fresh), fresh)
    assert isinstance(found, Draft)
    assert found.fields == {}
    assert "fingerprint" not in as_text(fresh)


def test_only_the_changed_field_is_in_the_edit(experiment: Made) -> None:
    fresh = experiment(metrics=[METRIC], description="old")
    text = json.dumps({**json.loads(as_text(fresh)), "description": "new"})
    found = from_text(text, fresh)
    assert isinstance(found, Draft)
    assert (found.fields, found.seen) == ({"description": "new"}, {"description": "old"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "one object"),
        ("[" * 100_000, "not JSON"),
        ('{"archived": true}', "cannot be edited here"),
        ('{"metrics": null}', "cannot be null"),
        ('{"metrics": {}}', "has to be a list"),
        ('{"name": 5}', "has to be text"),
        ('{"conclusion": "maybe"}', "has to be one of"),
    ],
)
def test_a_text_that_is_no_edit_says_why(text: str, reason: str, experiment: Made) -> None:
    found = from_text(text, experiment())
    assert isinstance(found, str)
    assert reason in found


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
    assert json.loads(as_text(fresh)).keys() == {"name", "description"}
    choices = Choices(fields={"stats_config": {"method": "x"}})
    assert isinstance(
        plan_step(ExperimentIntent(12, STEPS["edit"], choices), fresh, StepContext(NOW)), Blocked
    )
