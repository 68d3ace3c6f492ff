"""Experiments of every generation, and results of the first servers in the form of newer ones."""

from typing import Any

import pytest
from tests.doubles.expected import require
from tests.doubles.servers import page

from flagtui.models.experiment import Experiment, Holdout
from flagtui.models.experiment_results import is_old_share, read_result
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.rows import ExperimentRow
from flagtui.text.judgement import value_of

START, END = "2026-03-01T12:00:00Z", "2026-04-01T12:00:00Z"
ON = {"id": 5, "key": "a", "active": True}
OFF = ON | {"active": False}
VARIANTS = [{"key": "control", "rollout_percentage": 50}, {"key": "test", "split_percent": 50}]


def row_of(**fields: Any) -> ExperimentRow:
    """The row of an experiment in a list, which is that of the whole record."""
    raw = {"id": 12, "name": "Blue", **fields}
    [row] = read_experiment_page(page(raw)).rows
    assert row == Experiment.of(raw).row()
    return row


@pytest.mark.parametrize(("raw", "state"), [
    ({"start_date": None}, "draft"),
    ({"start_date": None, "end_date": END}, "draft"),
    ({"start_date": START, "feature_flag": ON}, "running"),
    ({"start_date": START, "feature_flag": OFF}, "paused"),
    ({"start_date": START}, "running"),
    ({"start_date": START, "end_date": END, "feature_flag": OFF}, "stopped"),
    ({"start_date": START, "status": "exposure_frozen"}, "exposure_frozen"),
    ({"start_date": START, "status": "PAUSED"}, "paused"),
    ({"status": "something_new"}, "something_new"),
])  # fmt: skip
def test_state_comes_from_the_server_or_its_stored_fields(raw: dict[str, Any], state: str) -> None:
    assert row_of(**raw).status == Experiment.of(raw).state == state


@pytest.mark.parametrize("where", [
    {"feature_flag": ON | {"filters": {"multivariate": {"variants": VARIANTS}}}},
    {"parameters": {"feature_flag_variants": VARIANTS}},
])  # fmt: skip
def test_variants_are_found_on_the_flag_or_in_the_parameters(where: dict[str, Any]) -> None:
    assert [variant.key for variant in Experiment.of(where).variants] == ["control", "test"]
    assert row_of(**where).variants == ("control", "test")


@pytest.mark.parametrize(("raw", "is_legacy"), [
    ({"metrics": [{"kind": "ExperimentTrendsQuery"}]}, True),
    ({"metrics": [{"kind": "ExperimentMetric"}]}, False),
    ({"metrics": [], "is_legacy": True}, True),
    ({"filters": {"events": [{"id": "a"}]}}, True),
    ({"filters": {"actions": [{"id": 5}]}, "metrics": []}, True),
    ({"secondary_metrics": [{"name": "b", "filters": {}}]}, True),
    ({"filters": {"events": []}, "secondary_metrics": []}, False),
    ({"filters": {"events": [{"id": "a"}]}, "metrics": [{"kind": "ExperimentMetric"}]}, False),
    ({"metrics_secondary": [{"kind": "ExperimentFunnelsQuery"}]}, True),
    ({"saved_metrics": [{"id": 1, "query": {"kind": "ExperimentTrendsQuery"}}]}, True),
    ({"is_legacy": False, "metrics": [{"kind": "ExperimentTrendsQuery"}]}, False),
    ({"is_legacy": True, "metrics": [{"kind": "ExperimentMetric"}]}, True),
])  # fmt: skip
def test_row_and_record_agree_on_the_older_engine(raw: dict[str, Any], is_legacy: bool) -> None:
    assert row_of(**raw).is_legacy is is_legacy


@pytest.mark.parametrize(("flag", "is_active"), [(ON, True), (OFF, False), (None, None), (7, None)])
def test_flag_state_is_unknown_without_a_flag(flag: Any, is_active: bool | None) -> None:
    assert row_of(feature_flag=flag).flag_active is is_active


def test_the_second_name_of_a_share_wins() -> None:
    shares = [{"key": "a", "rollout_percentage": 90, "split_percent": 50}, {"key": "b", "split_percent": 50}]
    variants = Experiment.of({"parameters": {"feature_flag_variants": shares}}).variants
    assert [variant.rollout for variant in variants] == [50, 50]


def test_slim_row_and_whole_record_agree() -> None:
    of_ada = {"created_by": {"id": 7, "first_name": "Ada", "email": ""}, "user_access_level": "viewer"}
    flag = {"feature_flag_key": "a", "feature_flag": OFF, "start_date": START}
    row = row_of(**of_ada, **flag, holdout={"id": 3}, conclusion="won", metrics=None)
    assert (row.holdout_id, row.creator, row.can_edit) == (3, "Ada", False)


def test_a_holdout_says_how_many_it_holds_back() -> None:
    assert Holdout.of({"filters": [{"rollout_percentage": 10}]}).share == 10.0
    assert Holdout.of({"filters": [{"rollout_percentage": 10**400}]}).share == 0.0
    assert Holdout.of({"filters": []}).share == Holdout.of({"filters": ["?"]}).share == 0.0


CONTROL = {"key": "control", "success_count": 20, "failure_count": 80}
TEST = {"key": "test", "success_count": 30, "failure_count": 70}
FUNNEL = {
    "variants": [TEST, CONTROL],
    "probability": {"control": 0.04, "test": 0.96},
    "significant": True,
    "significance_code": "significant",
    "credible_intervals": {"control": [0.13, 0.29], "test": [0.22, 0.4]},
}


def test_old_funnel_is_compared_with_control() -> None:
    result = require(read_result({"result": FUNNEL}))
    baseline = require(result.baseline)
    assert (baseline.key, baseline.number_of_samples, baseline.sum) == ("control", 100, 20)
    (test,) = result.variant_results
    assert (test.number_of_samples, test.sum, test.chance_to_win, test.significant) == (100, 30, 0.96, True)
    # The bounds 0.22 and 0.4 of its own share, over the share of control, 0.2.
    assert test.interval == pytest.approx((0.1, 1.0))
    assert is_old_share({"result": FUNNEL})


CHANCES = {"probability": {"test": 0.9, "control": 0.1}}
COMPARED = {"number_of_samples": 100, "sum": 30, "sum_squares": 30, "chance_to_win": 0.9}
FORMS: dict[str, dict[str, Any]] = {
    "newest": {"baseline": {"key": "control"}, "variant_results": [{"key": "test", **COMPARED}]},
    "baseline and variants": {"baseline": {"key": "control"}, "variants": [{"key": "test", **COMPARED}]},
    "funnel counts": {"baseline": CONTROL, "variants": [TEST], "significance_code": "significant", **CHANCES},
    "event counts": {
        "variants": [
            {"key": key, "count": count, "absolute_exposure": 100}
            for key, count in (("control", 20), ("test", 30))
        ],
        **CHANCES,
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_result_of_any_form_has_the_same_numbers(form: str) -> None:
    result = require(read_result(FORMS[form]))
    (test,) = result.variant_results
    assert (require(result.baseline).key, test.key) == ("control", "test")
    assert (test.number_of_samples, test.sum, test.chance_to_win) == (100, 30, 0.9)


def test_counts_that_were_not_sent_are_unknown() -> None:
    result = require(read_result({"variants": [{"key": "a"}, {"key": "b", "success_count": 3}]}))
    samples = [require(result.baseline), *result.variant_results]
    assert [sample.number_of_samples for sample in samples] == [None, None]
    assert [value_of(sample) for sample in samples] == [None, None]


def test_breakdowns_have_their_values_and_results() -> None:
    part = {"breakdown_value": ["pro", None], **FORMS["baseline and variants"]}
    result = require(read_result({**FORMS["newest"], "breakdown_results": [part, 3]}))
    ((values, own),) = result.breakdowns
    assert (values, own.variant_results[0].sum) == ("pro, none", 30)


def test_counts_are_per_exposed_person_and_small_samples_are_marked() -> None:
    variants = [
        {"key": "a", "count": 40, "exposure": 1, "absolute_exposure": 80},
        {"key": "b", "count": 50, "exposure": 1.1, "absolute_exposure": 90},
    ]
    result = require(read_result({"variants": variants, "significance_code": "not_enough_exposure"}))
    baseline = require(result.baseline)
    assert (baseline.key, baseline.number_of_samples) == ("a", 80)
    assert result.variant_results[0].validation_failures == ("not-enough-exposures",)
    assert not is_old_share({"variants": variants})


@pytest.mark.parametrize(
    "answer", [{}, {"result": None}, {"result": {"variants": []}}, {"variants": [{}, 3]}]
)
def test_an_answer_without_variants_is_no_result(answer: dict[str, Any]) -> None:
    assert read_result(answer) is None
