"""What the first servers say about an experiment, read as newer ones would have said it."""

from typing import Any

import pytest
from tests.doubles.expected import require

from flagtui.models.experiment_answers import is_old_share, read_old_result

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


def test_a_share_of_people_is_told_against_control_without_intervals_of_something_else() -> None:
    found = require(read_old_result({"result": FUNNEL}))
    assert found.baseline is not None
    assert (found.baseline.key, found.baseline.number_of_samples, found.baseline.sum) == ("control", 100, 20)
    (test,) = found.variant_results
    assert (test.number_of_samples, test.sum, test.chance_to_win, test.significant) == (100, 30, 0.96, True)
    assert test.interval is None
    assert is_old_share({"result": FUNNEL})


def test_counts_are_per_person_exposed_and_too_few_people_are_said_to_be_too_few() -> None:
    variants = [
        {"key": "a", "count": 40, "exposure": 1, "absolute_exposure": 80},
        {"key": "b", "count": 50, "exposure": 1.1, "absolute_exposure": 90},
    ]
    found = require(read_old_result({"variants": variants, "significance_code": "not_enough_exposure"}))
    assert found.baseline is not None
    assert (found.baseline.key, found.baseline.number_of_samples) == ("a", 80)
    assert found.variant_results[0].validation_failures == ("not-enough-exposures",)
    assert not is_old_share({"variants": variants})


@pytest.mark.parametrize(
    "answer", [{}, {"result": None}, {"result": {"variants": []}}, {"variants": [{}, 3]}]
)
def test_an_answer_without_variants_is_no_result(answer: dict[str, Any]) -> None:
    assert read_old_result(answer) is None
