"""An experiment as text and back: only what differs is an edit, and odd text is explained."""

import json
from typing import Any

import pytest
from tests.changes.experiments.conftest import make_experiment, try_step
from tests.doubles.expected import expect

from flagtui.changes.editor_text import Faulty
from flagtui.changes.experiments.experiment_draft import experiment_text
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.skipped import Blocked

METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m", "fingerprint": "f"}


def test_only_the_changed_field_is_in_the_edit() -> None:
    fresh = make_experiment(metrics=[METRIC], stats_config={"method": "bayesian"}, conclusion=None)
    text = experiment_text(fresh).text()
    assert experiment_text(fresh).read(text) == {}
    assert "fingerprint" not in text
    record = experiment_text(make_experiment(metrics=[METRIC], description="old"))
    assert record.read(json.dumps({**record.shown, "description": "new"})) == {"description": "new"}
    assert record.shown["description"] == "old"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "one JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"archived": true}', "not a field that can be edited here"),
        ('{"metrics": null}', "metrics must be a list"),
        ('{"metrics": {}}', "metrics must be a list"),
        ('{"name": 5}', "name must be text"),
        ('{"conclusion": "maybe"}', "conclusion must be won, lost"),
    ],
)
def test_a_text_that_is_no_edit_says_why(text: str, reason: str) -> None:
    refusal = expect(experiment_text(make_experiment(metrics=[METRIC], conclusion=None)).read(text), Faulty)
    assert any(reason in line for line in refusal.reasons)


def test_edit_on_a_newer_value_shows_all_three() -> None:
    mine: dict[str, Any] = {"fields": {"description": "mine"}, "seen": {"description": "old"}}
    plan = expect(try_step("edit", make_experiment(description="theirs"), **mine), ExperimentPlan)
    assert [(c.seen, c.theirs, c.mine) for c in plan.conflicts] == [("old", "theirs", "mine")]
    unchanged = expect(try_step("edit", make_experiment(description="old"), **mine), ExperimentPlan)
    assert unchanged.conflicts == ()


def test_old_engine_experiments_allow_editing_name_and_description_only() -> None:
    fresh = make_experiment(is_legacy=True, description="old", stats_config={})
    assert experiment_text(fresh).shown.keys() == {"name", "description"}
    assert isinstance(try_step("edit", fresh, fields={"stats_config": {"method": "x"}}), Blocked)
