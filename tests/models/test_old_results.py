"""Results of the first servers, converted to the form of newer ones."""

from typing import Any

import pytest
from tests.doubles.expected import require

from flagtui.models.experiment_results import is_old_share, read_result
from flagtui.text.judgement import value_of

FUNNEL = {
    "variants": [
        {"key": "test", "success_count": 30, "failure_count": 70},
        {"key": "control", "success_count": 20, "failure_count": 80},
    ],
    "probability": {"control": 0.04, "test": 0.96},
    "significant": True,
    "significance_code": "significant",
    "credible_intervals": {"control": [0.13, 0.29], "test": [0.22, 0.4]},
}


def test_old_funnel_is_compared_with_control() -> None:
    result = require(read_result({"result": FUNNEL}))
    assert result.baseline is not None
    assert (result.baseline.key, result.baseline.number_of_samples, result.baseline.sum) == (
        "control",
        100,
        20,
    )
    (test,) = result.variant_results
    assert (test.number_of_samples, test.sum, test.chance_to_win, test.significant) == (100, 30, 0.96, True)
    # The bounds 0.22 and 0.4 of its own share, over the share of control, 0.2.
    assert test.interval == pytest.approx((0.1, 1.0))
    assert is_old_share({"result": FUNNEL})


COMPARED = {"number_of_samples": 100, "sum": 30, "sum_squares": 30, "chance_to_win": 0.9}
FORMS: dict[str, dict[str, Any]] = {
    "newest": {"baseline": {"key": "control"}, "variant_results": [{"key": "test", **COMPARED}]},
    "baseline and variants": {"baseline": {"key": "control"}, "variants": [{"key": "test", **COMPARED}]},
    "funnel counts": {
        "baseline": {"key": "control", "success_count": 20, "failure_count": 80},
        "variants": [{"key": "test", "success_count": 30, "failure_count": 70}],
        "probability": {"test": 0.9, "control": 0.1},
        "significance_code": "significant",
    },
    "event counts": {
        "variants": [
            {"key": "control", "count": 20, "absolute_exposure": 100},
            {"key": "test", "count": 30, "absolute_exposure": 100},
        ],
        "probability": {"test": 0.9, "control": 0.1},
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
    assert result.baseline is not None
    assert (result.baseline.key, result.baseline.number_of_samples) == ("a", 80)
    assert result.variant_results[0].validation_failures == ("not-enough-exposures",)
    assert not is_old_share({"variants": variants})


@pytest.mark.parametrize(
    "answer", [{}, {"result": None}, {"result": {"variants": []}}, {"variants": [{}, 3]}]
)
def test_an_answer_without_variants_is_no_result(answer: dict[str, Any]) -> None:
    assert read_result(answer) is None
