"""Results of variants in words: numbers that a server does not send are not known, never 0."""

import pytest

from flagtui.details.metric_findings import Metric
from flagtui.models.experiment_results import Baseline, VariantResult
from flagtui.text.judgement import amount, chance_of, lift_of, value_of

FUNNEL = Metric({"metric_type": "funnel"}, "primary")


@pytest.mark.parametrize("sent", [{}, {"sum": None}, {"sum": "NaN"}, {"sum": float("nan")}])
def test_value_without_a_sum_is_not_known(sent: dict[str, object]) -> None:
    sample = Baseline.of({"key": "control", "number_of_samples": 10, **sent})
    assert value_of(sample) is None
    assert amount(value_of(sample), FUNNEL) == "not known"


def test_value_of_a_sum_of_0_is_0() -> None:
    sample = Baseline.of({"number_of_samples": 10, "sum": 0})
    assert amount(value_of(sample), FUNNEL) == "0 %"


def test_lift_needs_both_values() -> None:
    baseline = Baseline.of({"number_of_samples": 10, "sum": 5})
    assert lift_of(VariantResult.of({"number_of_samples": 10}), baseline) is None


def test_chance_that_is_not_a_number_is_not_known() -> None:
    variant = VariantResult.of({"chance_to_win": 0.5, "number_of_samples": 10, "sum": 5})
    assert chance_of(variant, "increase") == 0.5
    assert chance_of(VariantResult.of({"chance_to_win": None}), "increase") is None
