"""The arithmetic of experiments against an independent implementation; what is not sent is not known."""

import random

import numpy as np
import pytest
import scipy
from tests.doubles.expected import require
from tests.doubles.slices import at_most

from flagtui.details.metric_findings import Metric
from flagtui.models.experiment_results import Baseline, VariantResult
from flagtui.service.experiments.analysis.sample_size import assumed_variance, recommended_sample
from flagtui.service.experiments.analysis.samples import Sample
from flagtui.text.judgement import (
    amount,
    chance_of,
    chi_square_survival,
    days_left,
    lift_of,
    needed_people,
    ratio_mismatch,
    value_of,
)

SEED = 20261121


def test_the_chi_square_tail_agrees_with_scipy() -> None:
    drawn = random.Random(SEED)
    places = [(drawn.expovariate(1 / 20), drawn.randint(1, 24)) for _ in range(3000)]
    ours = [chi_square_survival(statistic, degrees) for statistic, degrees in places]
    expected = scipy.stats.chi2.sf(*map(np.array, zip(*places, strict=True)))
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-300)


def test_ratio_test_agrees_with_scipy_for_up_to_twenty_variants() -> None:
    drawn = random.Random(SEED)
    for _ in range(at_most(200, 1000)):
        count = drawn.randint(2, 20)
        shares = {f"v{place}": drawn.uniform(1, 50) for place in range(count)}
        counts = {key: float(drawn.randint(20, 4000)) for key in shares}
        whole, total = sum(shares.values()), sum(counts.values())
        if total < 100:
            continue
        expected = [total * share / whole for share in shares.values()]
        p_value = ratio_mismatch(counts, shares)
        assert p_value == pytest.approx(
            scipy.stats.chisquare(list(counts.values()), expected).pvalue, abs=1e-9
        )


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ({}, {"control": 50.0, "test": 50.0}),
        ({"control": 40.0, "test": 40.0}, {"control": 50.0, "test": 50.0}),
        ({"control": 4000.0}, {"control": 100.0}),
        ({"control": 4000.0, "test": 1.0}, {"control": 100.0, "test": 0.0}),
    ],
)
def test_ratio_of_few_people_is_not_judged(counts: dict[str, float], shares: dict[str, float]) -> None:
    assert ratio_mismatch(counts, shares) is None


def test_variant_without_people_is_a_mismatch() -> None:
    p_value = require(ratio_mismatch({"control": 500.0}, {"control": 50.0, "test": 50.0}))
    assert p_value < 1e-90


@pytest.mark.parametrize(
    ("sent", "value", "words"),
    [
        ({"number_of_samples": 200, "sum": 50}, 0.25, "25.00 %"),
        ({"number_of_samples": 200, "sum": 7, "denominator_sum": 70}, 0.1, "10.00 %"),
        ({"number_of_samples": 10, "sum": 0}, 0, "0.00 %"),
        ({"number_of_samples": 0, "sum": 0}, None, "not known"),
        ({"number_of_samples": 9, "sum": 1, "denominator_sum": 0}, None, "not known"),
        ({"number_of_samples": 10}, None, "not known"),
        ({"number_of_samples": 100_000, "sum": 4}, 0.00004, "<0.01 %"),
        ({"number_of_samples": 100_000, "sum": 99_999}, 0.99999, ">99.99 %"),
        ({"number_of_samples": 10, "sum": None}, None, "not known"),
        ({"number_of_samples": 10, "sum": "NaN"}, None, "not known"),
        ({"number_of_samples": 10, "sum": float("nan")}, None, "not known"),
    ],
)
def test_value_is_per_person_or_denominator_or_not_known(
    sent: dict[str, object], value: float | None, words: str
) -> None:
    sample = Baseline.of({"key": "control", **sent})
    assert value_of(sample) == value
    assert amount(value_of(sample), Metric({"metric_type": "funnel"}, "primary")) == words


@pytest.mark.parametrize(
    ("total", "base", "lift"), [(5, 0, None), (5, 4, pytest.approx(0.25)), (None, 5, None)]
)
def test_lift_needs_both_values_and_a_baseline(total: int | None, base: int, lift: float | None) -> None:
    variant = VariantResult.of({"number_of_samples": 10, "sum": total})
    assert lift_of(variant, Baseline.of({"number_of_samples": 10, "sum": base})) == lift


@pytest.mark.parametrize(
    ("sent", "goal", "chance"),
    [
        ({"chance_to_win": 0.1}, "increase", 0.1),
        ({"chance_to_win": 0.1}, "decrease", pytest.approx(0.9)),
        ({}, "decrease", None),
        ({"chance_to_win": None}, "increase", None),
    ],
)
def test_chance_is_inverted_where_less_is_better(
    sent: dict[str, object], goal: str, chance: float | None
) -> None:
    assert chance_of(VariantResult.of(sent), goal) == chance


def test_the_sample_needed_has_about_eighty_percent_power() -> None:
    base = Baseline.of({"number_of_samples": 1000, "sum": 200, "sum_squares": 200})
    needed = require(needed_people(base, 0.2, 2, is_share=True))
    each, low, high = needed / 2, 0.2, 0.24
    spread = ((low * (1 - low) + high * (1 - high)) / each) ** 0.5
    power = float(scipy.stats.norm.sf(1.96 - (high - low) / spread))
    assert 0.7 < power < 0.9


def test_ratio_needs_the_sample_that_the_server_recommends() -> None:
    count, total, squares, bottom, bottoms, products = 4, 12.0, 50.0, 20.0, 126.0, 78.0
    sums = {"sum": total, "sum_squares": squares, "denominator_sum": bottom}
    sums |= {"denominator_sum_squares": bottoms, "numerator_denominator_sum_product": products}
    base = Baseline.of({"number_of_samples": count, **sums})
    sample = Sample("control", count, total, squares, bottom, bottoms, products)
    variance = assumed_variance("ratio", total / bottom, sample)
    needed = recommended_sample("ratio", total / bottom, 2, 1, variance)
    assert needed_people(base, 0.02, 1, is_share=False) == needed


TINY = {"number_of_samples": 50, "sum": 1e-200, "sum_squares": 1}


@pytest.mark.parametrize(
    "raw", [{}, {"number_of_samples": 1, "sum": 1}, {"number_of_samples": 50, "sum": 0}, TINY]
)
def test_no_sample_is_named_where_nothing_is_known(raw: dict[str, object]) -> None:
    assert needed_people(Baseline.of(raw), 0.1, 2, is_share=False) is None


def test_days_left_follow_the_pace_so_far() -> None:
    assert days_left(1000, 500, 5) == 5
    assert days_left(1000, 1500, 5) == 0
    assert days_left(1000, 0, 5) is None
    assert days_left(1000, 10, 0) is None
