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


def base_of(people: float, total: object, **more: object) -> Baseline:
    return Baseline.of({"key": "control", "number_of_samples": people, "sum": total, **more})


def test_the_chi_square_tail_agrees_with_scipy() -> None:
    drawn = random.Random(SEED)
    places = [(drawn.expovariate(1 / 20), drawn.randint(1, 24)) for _ in range(3000)]
    ours = [chi_square_survival(statistic, degrees) for statistic, degrees in places]
    expected = scipy.stats.chi2.sf(*map(np.array, zip(*places, strict=True)))
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-300)


def test_ratio_test_agrees_with_scipy_for_up_to_twenty_variants() -> None:
    drawn = random.Random(SEED)
    for _ in range(at_most(200, 1000)):
        shares = {f"v{place}": drawn.uniform(1, 50) for place in range(drawn.randint(2, 20))}
        counts = {key: float(drawn.randint(20, 4000)) for key in shares}
        whole, total = sum(shares.values()), sum(counts.values())
        if total < 100:
            continue
        expected = [total * share / whole for share in shares.values()]
        reference = scipy.stats.chisquare(list(counts.values()), expected).pvalue
        assert ratio_mismatch(counts, shares) == pytest.approx(reference, abs=1e-9)


def test_ratio_of_few_people_is_not_judged() -> None:
    halves = {"control": 50.0, "test": 50.0}
    assert ratio_mismatch({}, halves) is None
    assert ratio_mismatch({"control": 40.0, "test": 40.0}, halves) is None
    assert ratio_mismatch({"control": 4000.0}, {"control": 100.0}) is None
    assert ratio_mismatch({"control": 4000.0, "test": 1.0}, {"control": 100.0, "test": 0.0}) is None
    assert require(ratio_mismatch({"control": 500.0}, halves)) < 1e-90, "a variant without people"


@pytest.mark.parametrize(("sample", "value", "words"), [
    (base_of(200, 50), 0.25, "25.00 %"),
    (base_of(200, 7, denominator_sum=70), 0.1, "10.00 %"),
    (base_of(10, 0), 0, "0.00 %"),
    (base_of(100_000, 4), 0.00004, "<0.01 %"),
    (base_of(100_000, 99_999), 0.99999, ">99.99 %"),
    (base_of(0, 0), None, "not known"),
    (base_of(9, 1, denominator_sum=0), None, "not known"),
    (Baseline.of({"key": "control", "number_of_samples": 10}), None, "not known"),
    *[(base_of(10, total), None, "not known") for total in (None, "NaN", float("nan"))],
])  # fmt: skip
def test_value_is_per_person_or_denominator_or_not_known(
    sample: Baseline, value: float | None, words: str
) -> None:
    assert value_of(sample) == value
    assert amount(value_of(sample), Metric({"metric_type": "funnel"}, "primary")) == words


def test_huge_amounts_keep_their_column() -> None:
    mean = Metric({"metric_type": "mean"}, "primary")
    words = {-5.5e11: "-5.5e+11", 1e7: "1e+07", 9_999_999.0: "9,999,999", 0.25: "0.25"}
    assert {value: amount(value, mean) for value in words} == words


def test_lift_needs_both_values_and_a_baseline() -> None:
    lifts = {(5, 0): None, (5, 4): pytest.approx(0.25), (None, 5): None}
    for (total, base), lift in lifts.items():
        variant = VariantResult.of({"number_of_samples": 10, "sum": total})
        assert lift_of(variant, base_of(10, base)) == lift


def test_chance_is_inverted_where_less_is_better() -> None:
    likely, unknown = VariantResult.of({"chance_to_win": 0.1}), VariantResult.of({"chance_to_win": None})
    assert chance_of(likely, "increase") == 0.1
    assert chance_of(likely, "decrease") == pytest.approx(0.9)
    assert chance_of(VariantResult.of({}), "decrease") is chance_of(unknown, "increase") is None


def test_the_sample_needed_has_about_eighty_percent_power() -> None:
    needed = require(needed_people(base_of(1000, 200, sum_squares=200), 0.2, 2, is_share=True))
    each, low, high = needed / 2, 0.2, 0.24
    spread = ((low * (1 - low) + high * (1 - high)) / each) ** 0.5
    power = float(scipy.stats.norm.sf(1.96 - (high - low) / spread))
    assert 0.7 < power < 0.9


def test_ratio_needs_the_sample_that_the_server_recommends() -> None:
    count, total, squares, bottom, bottoms, products = 4, 12.0, 50.0, 20.0, 126.0, 78.0
    sums = {"denominator_sum_squares": bottoms, "numerator_denominator_sum_product": products}
    base = base_of(count, total, sum_squares=squares, denominator_sum=bottom, **sums)
    sample = Sample("control", count, total, squares, bottom, bottoms, products)
    variance = assumed_variance("ratio", total / bottom, sample)
    needed = recommended_sample("ratio", total / bottom, 2, 1, variance)
    assert needed_people(base, 0.02, 1, is_share=False) == needed


def test_no_sample_is_named_where_nothing_is_known() -> None:
    for base in (Baseline.of({}), base_of(1, 1), base_of(50, 0), base_of(50, 1e-200, sum_squares=1)):
        assert needed_people(base, 0.1, 2, is_share=False) is None


def test_days_left_follow_the_pace_so_far() -> None:
    paces = {(1000, 500, 5): 5, (1000, 1500, 5): 0, (1000, 0, 5): None, (1000, 10, 0): None}
    assert {pace: days_left(*pace) for pace in paces} == paces
