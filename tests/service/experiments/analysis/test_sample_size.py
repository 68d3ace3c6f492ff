"""Needed people and days, against the formulas done by hand."""

import pytest

from flagtui.service.experiments.analysis.sample_size import (
    assumed_variance,
    baseline_value,
    recommended_days,
    recommended_sample,
)
from flagtui.service.experiments.analysis.samples import Sample


def test_funnel_sample_is_sixteen_variances_over_squared_difference() -> None:
    assert recommended_sample("funnel", 0.1, 10, 2, None) == 28_800


def test_counts_and_sums_assume_a_spread() -> None:
    assert assumed_variance("mean_count", 4.0) == 8.0
    assert assumed_variance("mean_sum_or_avg", 4.0) == 4.0
    assert recommended_sample("mean_count", 4.0, 5, 3, 8.0) == 9_600


def test_a_ratio_takes_its_variance_from_what_was_measured() -> None:
    sample = Sample("control", 4, 10, 30, 20, 120, 60)
    assert baseline_value(sample, "ratio") == 0.5
    assert assumed_variance("ratio", 0.5, sample) == pytest.approx(0.0, abs=1e-12)
    assert assumed_variance("ratio", 0.5) is None


def test_without_an_effect_or_a_baseline_there_is_no_size() -> None:
    assert recommended_sample("funnel", 0.1, 0, 2, None) is None
    assert recommended_sample("funnel", 0.0, 10, 2, None) is None
    assert recommended_sample("ratio", 0.4, 10, 2, None) is None
    assert baseline_value(Sample("control"), "funnel") is None


def test_days_are_whole_and_need_a_positive_rate() -> None:
    assert recommended_days(1_001, 100) == 11
    assert recommended_days(1_001, 0) is None
    assert recommended_days(None, 10) is None


def test_a_funnel_counts_those_who_reached_the_last_step() -> None:
    assert baseline_value(Sample("control", 100, 9, 9, steps=(40, 9)), "funnel") == 0.09
