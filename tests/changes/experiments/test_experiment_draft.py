"""An experiment in a form and as text: editable values, problems, and the request."""

import json
from typing import Any

import pytest
from tests.changes.experiments.conftest import CONTEXT, make_experiment, make_plan, try_step
from tests.doubles.expected import expect, require

from flagtui.changes.difference import FieldConflict
from flagtui.changes.editor_text import Faulty
from flagtui.changes.experiments.experiment_draft import ExperimentCopy, experiment_text
from flagtui.changes.experiments.metrics import event_node, mean_of
from flagtui.changes.experiments.step_plan import ExperimentPlan, is_reached, missing_fields, plan_step
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_dict


def split(control: int, test: int, **more: int) -> list[dict[str, Any]]:
    shares = {"control": control, "test": test}
    return [{"key": key, "rollout_percentage": share, **more} for key, share in shares.items()]


SPLIT = split(50, 50, split_percent=50)


def draft(**more: Any) -> Experiment:
    parameters = {"feature_flag_variants": SPLIT, "rollout_percentage": 100, "variant_notes": {"test": "x"}}
    fields = {"description": "", "metrics_secondary": [], "exposure_criteria": {}, "stats_config": {}}
    return make_experiment("draft", **{**fields, "parameters": parameters, "holdout_id": None, **more})


def try_plan(copy: ExperimentCopy, fresh: Experiment) -> ExperimentPlan | Blocked | None:
    return plan_step(require(copy.intent()), fresh, CONTEXT)


def plan_of(copy: ExperimentCopy, fresh: Experiment | None = None) -> ExperimentPlan:
    return expect(try_plan(copy, fresh or copy.fresh), ExperimentPlan)


def test_nothing_that_was_only_looked_at_is_sent() -> None:
    copy = ExperimentCopy.of(draft())
    copy.settings("stats_config")
    copy.metrics("metrics_secondary")
    assert not copy.is_changed
    assert copy.intent() is None


def test_edit_sends_only_the_whole_changed_field() -> None:
    copy = ExperimentCopy.of(draft())
    copy.change_variant(0)["rollout_percentage"] = 60
    assert copy.problems == ["the variants have 110 % together, which has to be 100 %"]
    copy.change_variant(1)["rollout_percentage"] = 40
    plan = plan_of(copy)
    rest = {"rollout_percentage": 100, "variant_notes": {"test": "x"}}
    assert plan.choices.fields == {"parameters": {"feature_flag_variants": split(60, 40), **rest}}
    words = ["variants: control 50 % · test 50 % → control 60 % · test 40 %"]
    assert [line.words for line in plan.lines] == words


def test_flags_that_are_on_or_linked_keep_their_variants() -> None:
    flag = {"id": 31, "key": "blue", "active": True, "filters": {"multivariate": {"variants": SPLIT}}}
    copy = ExperimentCopy.of(draft(feature_flag=flag))
    assert (copy.has_own_flag, copy.variants, "parameters" in copy.values) == (False, [], False)
    copy = ExperimentCopy.new("Blue", "blue", is_linked=True)
    assert plan_of(copy).choices.fields == {}
    copy.change_flag("green", is_linked=False)
    assert [variant.get("key") for variant in copy.variants] == ["control", "test"]


@pytest.mark.parametrize("state", ["running", "paused", "stopped"])
def test_variants_and_holdout_are_fixed_at_launch(state: str) -> None:
    fresh = make_experiment(state, parameters={"feature_flag_variants": SPLIT}, holdout_id=3, conclusion=None)
    copy = ExperimentCopy.of(fresh)
    assert not {"parameters", "holdout_id"} & copy.values.keys()
    assert "conclusion" in copy.values
    copy.set("holdout_id", 4)
    refusal = expect(try_plan(copy, fresh), Blocked)
    assert "holdout cannot be changed once it is launched" in refusal.reason


def test_field_changed_by_another_user_is_a_conflict() -> None:
    copy = ExperimentCopy.of(draft())
    copy.set("description", "mine")
    plan = plan_of(copy, make_experiment("draft", description="theirs"))
    assert plan.conflicts == (FieldConflict(("description",), "", "mine", "theirs"),)
    refusal = expect(try_plan(copy, make_experiment(description="mine")), Blocked)
    assert refusal.reason == "it has these values already"
    edit: dict[str, Any] = {"fields": {"description": "mine"}, "seen": {"description": "old"}}
    assert make_plan("edit", make_experiment(description="old"), **edit).conflicts == ()


def test_new_experiment_sends_chosen_values_and_leaves_project_defaults() -> None:
    copy = ExperimentCopy.new("Blue", "blue", is_linked=False)
    metric = mean_of(event_node("order", "sum", "price"))
    copy.change_metrics("metrics").append(metric)
    copy.share_metric(4, "secondary")
    copy.set("holdout_id", 3)
    copy.change_settings("stats_config")["method"] = "frequentist"
    plan = plan_of(copy)
    assert (plan.choices.name, plan.choices.flag_key) == ("Blue", "blue")
    assert plan.choices.fields == {
        "parameters": {"feature_flag_variants": split(50, 50), "rollout_percentage": 100},
        "metrics": [metric],
        "saved_metrics_ids": [{"id": 4, "metadata": {"type": "secondary"}}],
        "holdout_id": 3,
        "stats_config": {"method": "frequentist"},
    }
    text = " ".join(consequence.text for consequence in plan.consequences)
    assert "blue is created: control 50 % · test 50 %, off" in text
    assert "2 measured once it runs" in text
    assert plan.cautions == ()
    as_dict(copy.change(*copy.variants_path, 0))["key"] = "old"
    assert "newer ones compare with old" in plan_of(copy).cautions[0].text


def test_metrics_are_moved_shared_and_taken_away() -> None:
    link: dict[str, Any] = {"id": 1, "saved_metric": 4, "name": "Paid", "metadata": {"type": "primary"}}
    shared, order = [{**link, "query": {"uuid": "s"}}], mean_of(event_node("order"))
    own = [{**order, "uuid": f"uuid of {name}", "name": name, "fingerprint": "f"} for name in "ab"]
    copy = ExperimentCopy.of(draft(metrics=own, saved_metrics=shared, saved_metrics_ids=None))
    assert copy.move_metric("metrics", 0, 1)
    assert not copy.move_metric("metrics", 1, 2)
    assert not copy.move_metric("saved_metrics_ids", 0, 0)
    copy.change_role("metrics", 0)
    copy.change_role("saved_metrics_ids", 0)
    assert [line.words for line in plan_of(copy).lines] == [
        "primary metrics: − b",
        "secondary metrics: + b (mean of order)",
        "shared metrics: Paid #4: primary → secondary",
    ]
    copy.remove_metric("saved_metrics_ids", 0)
    copy.share_metric(9, "secondary", "Refunds")
    words = ["shared metrics: + Refunds #9 (secondary)", "shared metrics: − Paid #4"]
    assert [line.words for line in plan_of(copy).lines][-2:] == words


def test_a_field_that_did_not_arrive_is_named() -> None:
    copy = ExperimentCopy.of(draft())
    copy.set("holdout_id", 3)
    copy.change_settings("exposure_criteria")["filterTestAccounts"] = False
    criteria = {"filterTestAccounts": False, "filled in": 1}
    assert is_reached(plan_of(copy), draft(holdout_id=3, exposure_criteria=criteria))
    assert missing_fields(plan_of(copy), draft(exposure_criteria=criteria)) == ("holdout_id",)


METRIC = {"kind": "ExperimentMetric", "metric_type": "mean", "uuid": "m", "fingerprint": "f"}


def test_text_of_an_edit_has_the_changed_field_alone() -> None:
    record = experiment_text(make_experiment(metrics=[METRIC], description="old", conclusion=None))
    assert record.read(record.text()) == {}
    assert "fingerprint" not in record.text()
    assert record.read(json.dumps({**record.shown, "description": "new"})) == {"description": "new"}
    assert record.shown["description"] == "old"


@pytest.mark.parametrize(("text", "reason"), [
    ('{"archived": true}', "not a field that can be edited here"),
    ('{"metrics": null}', "metrics must be a list"),
    ('{"metrics": {}}', "metrics must be a list"),
    ('{"name": 5}', "name must be text"),
    ('{"conclusion": "maybe"}', "conclusion must be won, lost"),
])  # fmt: skip
def test_a_text_that_is_no_edit_says_why(text: str, reason: str) -> None:
    refusal = expect(experiment_text(make_experiment(metrics=[METRIC], conclusion=None)).read(text), Faulty)
    assert any(reason in line for line in refusal.reasons)


def test_old_engine_experiments_allow_editing_name_and_description_only() -> None:
    fresh = make_experiment(is_legacy=True, description="old", stats_config={})
    assert experiment_text(fresh).shown.keys() == {"name", "description"}
    assert isinstance(try_step("edit", fresh, fields={"stats_config": {"method": "x"}}), Blocked)
