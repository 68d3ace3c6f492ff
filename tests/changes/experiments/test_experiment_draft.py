"""An experiment in a form and as text: editable values, problems, and the request."""

import json
from typing import Any

import pytest
from tests.changes.experiments.conftest import NOW, make_experiment, try_step
from tests.doubles.expected import expect, require

from flagtui.changes.difference import FieldConflict
from flagtui.changes.editor_text import Faulty
from flagtui.changes.experiments import metrics
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, experiment_text
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, is_reached, missing_fields, plan_step
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_dict

SPLIT = [
    {"key": "control", "rollout_percentage": 50, "split_percent": 50},
    {"key": "test", "rollout_percentage": 50, "split_percent": 50},
]


def draft(**more: Any) -> Experiment:
    parameters = {"feature_flag_variants": SPLIT, "rollout_percentage": 100, "variant_notes": {"test": "x"}}
    fields = {"description": "", "metrics_secondary": [], "exposure_criteria": {}, "stats_config": {}}
    return make_experiment("draft", **{**fields, "parameters": parameters, "holdout_id": None, **more})


def plan_of(copy: ExperimentCopy, fresh: Experiment) -> ExperimentPlan:
    return expect(plan_step(require(copy.intent()), fresh, StepContext(NOW)), ExperimentPlan)


def test_nothing_that_was_only_looked_at_is_sent() -> None:
    copy = ExperimentCopy.of(draft())
    copy.settings("stats_config")
    copy.metrics("metrics_secondary")
    assert not copy.is_changed
    assert copy.intent() is None


def test_edit_sends_only_the_whole_changed_field() -> None:
    fresh = draft()
    copy = ExperimentCopy.of(fresh)
    copy.change_variant(0)["rollout_percentage"] = 60
    assert copy.problems == ["the variants have 110 % together, which has to be 100 %"]
    copy.change_variant(1)["rollout_percentage"] = 40
    plan = plan_of(copy, fresh)
    assert plan.choices.fields == {
        "parameters": {
            "feature_flag_variants": [
                {"key": "control", "rollout_percentage": 60},
                {"key": "test", "rollout_percentage": 40},
            ],
            "rollout_percentage": 100,
            "variant_notes": {"test": "x"},
        }
    }
    assert [line.words for line in plan.lines] == [
        "variants: control 50 % · test 50 % → control 60 % · test 40 %"
    ]


def test_flags_that_are_on_or_linked_keep_their_variants() -> None:
    flag = {"id": 31, "key": "blue", "active": True, "filters": {"multivariate": {"variants": SPLIT}}}
    copy = ExperimentCopy.of(draft(feature_flag=flag))
    assert not copy.has_own_flag
    assert copy.variants == []
    assert "parameters" not in copy.values
    copy = ExperimentCopy.new("Blue", "blue", is_linked=True)
    assert plan_of(copy, copy.fresh).choices.fields == {}
    copy.change_flag("green", is_linked=False)
    assert [variant.get("key") for variant in copy.variants] == ["control", "test"]


@pytest.mark.parametrize("state", ["running", "paused", "stopped"])
def test_variants_and_holdout_are_fixed_at_launch(state: str) -> None:
    fresh = make_experiment(state, parameters={"feature_flag_variants": SPLIT}, holdout_id=3, conclusion=None)
    copy = ExperimentCopy.of(fresh)
    assert not {"parameters", "holdout_id"} & copy.values.keys()
    assert "conclusion" in copy.values
    copy.set("holdout_id", 4)
    refusal = expect(plan_step(require(copy.intent()), fresh, StepContext(NOW)), Blocked)
    assert "holdout cannot be changed once it is launched" in refusal.reason


def test_field_changed_by_another_user_is_a_conflict() -> None:
    copy = ExperimentCopy.of(draft())
    copy.set("description", "mine")
    intent = require(copy.intent())
    theirs = make_experiment("draft", description="theirs")
    plan = expect(plan_step(intent, theirs, StepContext(NOW)), ExperimentPlan)
    assert plan.conflicts == (FieldConflict(("description",), "", "mine", "theirs"),)
    refusal = expect(plan_step(intent, make_experiment(description="mine"), StepContext(NOW)), Blocked)
    assert refusal.reason == "it has these values already"


def test_new_experiment_sends_chosen_values_and_leaves_project_defaults() -> None:
    copy = ExperimentCopy.new("Blue", "blue", is_linked=False)
    copy.change_metrics("metrics").append(metrics.mean_of(metrics.event_node("order", "sum", "price")))
    copy.share_metric(4, "secondary")
    copy.set("holdout_id", 3)
    copy.change_settings("stats_config")["method"] = "frequentist"
    plan = plan_of(copy, copy.fresh)
    assert (plan.choices.name, plan.choices.flag_key) == ("Blue", "blue")
    assert plan.choices.fields == {
        "parameters": {
            "feature_flag_variants": [
                {"key": "control", "rollout_percentage": 50},
                {"key": "test", "rollout_percentage": 50},
            ],
            "rollout_percentage": 100,
        },
        "metrics": [
            {
                "kind": "ExperimentMetric",
                "metric_type": "mean",
                "goal": "increase",
                "source": {
                    "kind": "EventsNode",
                    "event": "order",
                    "math": "sum",
                    "properties": [],
                    "math_property": "price",
                },
            }
        ],
        "saved_metrics_ids": [{"id": 4, "metadata": {"type": "secondary"}}],
        "holdout_id": 3,
        "stats_config": {"method": "frequentist"},
    }
    text = " ".join(consequence.text for consequence in plan.consequences)
    assert "blue is created: control 50 % · test 50 %, off" in text
    assert "2 measured once it runs" in text
    assert plan.cautions == ()
    as_dict(copy.change(*copy.variants_path, 0))["key"] = "old"
    assert "newer ones compare with old" in plan_of(copy, copy.fresh).cautions[0].text


def test_metrics_are_moved_shared_and_taken_away() -> None:
    link: dict[str, Any] = {"id": 1, "saved_metric": 4, "name": "Paid", "metadata": {"type": "primary"}}
    link |= {"query": {"uuid": "s"}}
    fresh = draft(metrics=[_metric("a"), _metric("b")], saved_metrics=[link], saved_metrics_ids=None)
    copy = ExperimentCopy.of(fresh)
    assert copy.move_metric("metrics", 0, 1)
    assert not copy.move_metric("metrics", 1, 2)
    assert not copy.move_metric("saved_metrics_ids", 0, 0)
    copy.change_role("metrics", 0)
    copy.change_role("saved_metrics_ids", 0)
    plan = plan_of(copy, fresh)
    assert [line.words for line in plan.lines] == [
        "primary metrics: − b",
        "secondary metrics: + b (mean of order)",
        "shared metrics: Paid #4: primary → secondary",
    ]
    copy.remove_metric("saved_metrics_ids", 0)
    copy.share_metric(9, "secondary", "Refunds")
    shared = ["shared metrics: + Refunds #9 (secondary)", "shared metrics: − Paid #4"]
    assert [line.words for line in plan_of(copy, fresh).lines][-2:] == shared


def test_a_field_that_did_not_arrive_is_named() -> None:
    fresh = draft()
    copy = ExperimentCopy.of(fresh)
    copy.set("holdout_id", 3)
    copy.change_settings("exposure_criteria")["filterTestAccounts"] = False
    plan = plan_of(copy, fresh)
    criteria = {"filterTestAccounts": False, "filled in": 1}
    assert is_reached(plan, draft(holdout_id=3, exposure_criteria=criteria))
    assert missing_fields(plan, draft(exposure_criteria=criteria)) == ("holdout_id",)


def _metric(name: str) -> dict[str, Any]:
    made = metrics.mean_of(metrics.event_node("order"))
    return {**made, "uuid": f"uuid of {name}", "name": name, "fingerprint": "f"}


METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m", "fingerprint": "f"}


def test_only_the_changed_field_is_in_the_edit() -> None:
    fresh = make_experiment(metrics=[METRIC], stats_config={"method": "bayesian"}, conclusion=None)
    text = experiment_text(fresh).text()
    assert experiment_text(fresh).read(text) == {}
    assert "fingerprint" not in text
    record = experiment_text(make_experiment(metrics=[METRIC], description="old"))
    assert record.read(json.dumps({**record.shown, "description": "new"})) == {"description": "new"}
    assert record.shown["description"] == "old"


@pytest.mark.parametrize(("text", "reason"), [
    ("{", "not JSON"),
    ("[]", "one JSON object"),
    ("[" * 100_000, "nested too deeply"),
    ('{"archived": true}', "not a field that can be edited here"),
    ('{"metrics": null}', "metrics must be a list"),
    ('{"metrics": {}}', "metrics must be a list"),
    ('{"name": 5}', "name must be text"),
    ('{"conclusion": "maybe"}', "conclusion must be won, lost"),
])  # fmt: skip
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
