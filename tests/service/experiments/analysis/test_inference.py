"""Verdicts beside scipy's, over thousands of random data sets; and data from which nothing follows."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy
from tests.doubles.expected import require
from tests.doubles.slices import at_most

from flagtui.service.experiments.analysis.distributions import (
    chi_square_survival,
    normal_cdf,
    normal_quantile,
    student_t_quantile,
    student_t_survival,
)
from flagtui.service.experiments.analysis.inference import Lift, bayesian, frequentist, sample_ratio_mismatch
from flagtui.service.experiments.analysis.metric import MetricType
from flagtui.service.experiments.analysis.sample_size import (
    assumed_variance,
    baseline_value,
    recommended_days,
    recommended_sample,
)
from flagtui.service.experiments.analysis.samples import Estimate, Sample, estimate

SETS = at_most(200, 1_000)
Floats = npt.NDArray[np.float64]


def _sample(kind: MetricType, random: np.random.Generator, members: int) -> tuple[Sample, Floats, Floats]:
    """A random variant, and the observations it was made from."""
    bottoms = np.ones(members)
    if kind == "funnel":
        tops = (random.uniform(0, 1, members) < random.uniform(0.02, 0.9)).astype(float)
        tops[:1] = 1.0
    else:
        tops = random.gamma(random.uniform(0.3, 5), random.uniform(0.1, 900), members)
    if kind == "ratio":
        bottoms = tops * random.uniform(0.1, 2) + random.gamma(2, 30, members)
    sample = Sample(
        "any", members, tops.sum(), (tops**2).sum(), bottoms.sum(), (bottoms**2).sum(), (tops * bottoms).sum()
    )
    return sample, tops, bottoms


def _reference(kind: MetricType, tops: Floats, bottoms: Floats) -> tuple[float, float]:
    """Mean and variance from the observations themselves, not from their sums."""
    if kind == "mean":
        return float(tops.mean()), float(tops.var(ddof=1))
    if kind == "funnel":
        return float(tops.mean()), float(tops.var(ddof=0))
    ratio = tops.sum() / bottoms.sum()
    return float(ratio), float((tops - ratio * bottoms).var(ddof=1) / bottoms.mean() ** 2)


@pytest.mark.parametrize("kind", ["mean", "funnel", "ratio"])
def test_both_methods_agree_with_scipy_over_random_data_sets(kind: MetricType) -> None:
    random = np.random.default_rng(len(kind))
    believed, tested, expected = [], [], []
    for _ in range(SETS):
        sizes = random.integers(2, 300, 2)
        (a, *raw_a), (b, *raw_b) = (_sample(kind, random, int(size)) for size in sizes)
        (mean, spread), (base, base_spread) = _reference(kind, *raw_a), _reference(kind, *raw_b)
        own, other = spread / sizes[0], base_spread / sizes[1]
        error = math.sqrt(own / base**2 + mean**2 * other / base**4)
        if error == 0:
            continue
        variant, baseline = require(estimate(a, kind)), require(estimate(b, kind))
        level = float(random.uniform(0.7, 0.99))
        degrees = (own + other) ** 2 / (own**2 / (sizes[0] - 1) + other**2 / (sizes[1] - 1))
        believed.append(bayesian(variant, baseline, level))
        tested.append(frequentist(variant, baseline, 1 - level))
        expected.append((mean / base - 1, error, level, degrees))
    assert len(expected) > SETS * 0.9
    effect, error, level, degrees = np.array(expected).T
    chances = scipy.stats.norm.sf(0, effect, error)
    interval = scipy.stats.norm.interval(level, effect, error)
    _compare(believed, chances, interval, (chances > level) | (chances < 1 - level))
    p_values = 2 * scipy.stats.t.sf(np.abs(effect / error), degrees)
    interval = scipy.stats.t.interval(level, degrees, effect, error)
    _compare(tested, p_values, interval, p_values < 1 - level)


def _compare(
    lifts: list[Lift | None], probabilities: Floats, interval: tuple[Floats, Floats], significant: Floats
) -> None:
    ours = [require(lift) for lift in lifts]
    np.testing.assert_allclose([lift.probability for lift in ours], probabilities, atol=1e-6)
    np.testing.assert_allclose([lift.interval for lift in ours], np.array(interval).T, atol=1e-6, rtol=1e-6)
    assert [lift.significant for lift in ours] == significant.tolist()


@pytest.mark.parametrize(("variant", "baseline"), [
    (Estimate(100, 2.0, 0.0), Estimate(100, 1.0, 0.0)),
    (Estimate(100, 2.0, 1.0), Estimate(100, 0.0, 0.0)),
    (Estimate(100, 2.0, math.inf), Estimate(100, 1.0, 1.0)),
    (Estimate(100, 2.0, math.nan), Estimate(100, 1.0, 1.0)),
], ids=["nothing varies", "zero baseline", "infinite variance", "no number"])  # fmt: skip
def test_data_from_which_nothing_follows_give_no_verdict(variant: Estimate, baseline: Estimate) -> None:
    assert bayesian(variant, baseline) is None
    assert frequentist(variant, baseline) is None


def test_few_members_and_losses_are_judged() -> None:
    single, many = Estimate(1, 2.0, 0.0), Estimate(50, 1.0, 1.0)
    assert frequentist(single, many) is None
    assert bayesian(single, many) is not None
    loss, smaller_loss = Estimate(500, -10.0, 4.0), Estimate(500, -5.0, 4.0)
    result = require(bayesian(smaller_loss, loss))
    assert result.effect == pytest.approx(-0.5)
    assert result.probability < 0.01


def test_estimate_needs_exposures_and_a_ratio_a_denominator() -> None:
    kinds: list[MetricType] = ["mean", "funnel", "ratio", "retention"]
    assert [estimate(Sample("control"), kind) for kind in kinds] == [None] * 4
    nothing = (0.0, 1e-90, 5e-324)
    assert [estimate(Sample("control", 10, 5, 5, each), "ratio") for each in nothing] == [None] * 3


def test_huge_tiny_and_rounded_numbers_stay_finite() -> None:
    huge = require(estimate(Sample("control", 10, 5, 5, 1e100, 1e200, 1e100), "ratio"))
    assert huge.mean == 5e-100
    tiny = require(frequentist(Estimate(100, 1.0, 1e-170), Estimate(100, 1.0, 1e-170)))
    assert tiny.probability == 1.0
    total = 0.1 * 3
    result = require(estimate(Sample("test", 3, total, total * total / 3 - 1e-17), "mean"))
    assert result.variance == 0.0


def test_the_sample_ratio_check_agrees_with_scipy() -> None:
    random = np.random.default_rng(3)
    for variants in random.integers(2, 21, 300):
        weights = random.integers(1, 50, variants)
        counts = random.multinomial(int(random.integers(100, 20_000)), weights / weights.sum())
        keys = [f"v{number}" for number in range(variants)]
        seen, shares = (dict(zip(keys, each.tolist(), strict=True)) for each in (counts, weights))
        result = sample_ratio_mismatch(seen, shares)
        expected = scipy.stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue
        assert result == pytest.approx(expected, abs=1e-9)


def test_sample_ratio_needs_enough_users_of_weighted_variants() -> None:
    assert sample_ratio_mismatch({}, {"control": 50, "test": 50}) is None
    assert sample_ratio_mismatch({"control": 9}, {"control": 100}) is None
    weights = {"a": 50, "b": 50, "c": 0}
    assert sample_ratio_mismatch({"a": 90, "b": 9, "c": 500}, weights) is None
    assert sample_ratio_mismatch({"a": 50, "b": 50, "c": 500}, weights) == pytest.approx(1.0)
    expected = scipy.stats.chisquare([500, 503]).pvalue
    assert sample_ratio_mismatch({"a": 500, "b": 503, "$multiple": 9}, weights) == pytest.approx(expected)


RANDOM = np.random.default_rng(20_261)
PLACES = at_most(1_000, 4_000)


def _degrees() -> Floats:
    spread = 10 ** RANDOM.uniform(0, 10, PLACES // 2)
    return np.concatenate([spread, RANDOM.integers(1, 120, PLACES // 2).astype(float)])


def _pairs(function: Callable[[float, Any], float], places: Floats, degrees: npt.NDArray[Any]) -> list[float]:
    return [function(place, free) for place, free in zip(places, degrees.tolist(), strict=True)]


def test_normal_distribution_and_quantile_agree_with_scipy() -> None:
    places = RANDOM.normal(0, 8, PLACES)
    ours = [normal_cdf(place) for place in places]
    np.testing.assert_allclose(ours, scipy.stats.norm.cdf(places), rtol=1e-12, atol=0)
    chances = np.concatenate([RANDOM.uniform(0, 1, PLACES), [1e-12, 1 - 1e-12, 0.5]])
    ours = [normal_quantile(chance) for chance in chances]
    np.testing.assert_allclose(ours, scipy.stats.norm.ppf(chances), atol=1e-9)


def test_t_distribution_and_quantile_agree_with_scipy() -> None:
    degrees, places = _degrees(), RANDOM.standard_t(3, PLACES) * 3
    ours = _pairs(student_t_survival, places, degrees)
    np.testing.assert_allclose(ours, scipy.stats.t.sf(places, degrees), atol=1e-10)
    degrees, chances = _degrees(), RANDOM.uniform(0.0005, 0.9995, PLACES)
    ours = _pairs(student_t_quantile, chances, degrees)
    np.testing.assert_allclose(ours, scipy.stats.t.ppf(chances, degrees), rtol=1e-9, atol=1e-9)
    assert student_t_survival(0.0, 5) == pytest.approx(0.5)
    assert student_t_survival(float("inf"), 5) == 0.0
    assert student_t_quantile(0.1, 7) == pytest.approx(-student_t_quantile(0.9, 7))


def test_the_chi_square_distribution_agrees_up_to_twenty_variants() -> None:
    degrees, places = RANDOM.integers(1, 20, PLACES), RANDOM.exponential(15, PLACES)
    ours = _pairs(chi_square_survival, places, degrees)
    np.testing.assert_allclose(ours, scipy.stats.chi2.sf(places, degrees), atol=1e-12)
    # Nothing is rarer than no difference.
    assert [chi_square_survival(place, 3) for place in (0.0, -3.0, 5e-324)] == [1.0] * 3


def test_sample_sizes_follow_from_variance_effect_and_baseline() -> None:
    assert assumed_variance("mean_count", 4.0) == 8.0
    assert assumed_variance("mean_sum_or_avg", 4.0) == 4.0
    assert recommended_sample("mean_count", 4.0, 5, 3, 8.0) == 9_600
    assert recommended_sample("funnel", 0.1, 10, 2, None) == 28_800
    assert recommended_sample("funnel", 0.1, 0, 2, None) is None
    assert recommended_sample("funnel", 0.0, 10, 2, None) is None
    assert recommended_sample("ratio", 0.4, 10, 2, None) is None
    assert recommended_sample("ratio", 1e-170, 10, 2, 1.0) is None
    assert baseline_value(Sample("control"), "funnel") is None
    assert baseline_value(Sample("control", 100, 9, 9, steps=(40, 9)), "funnel") == 0.09
    days = [recommended_days(1_001, rate) for rate in (100, 0, 5e-324)]
    assert (days, recommended_days(None, 10)) == ([11, None, None], None)


def test_a_ratio_takes_its_variance_from_what_was_measured() -> None:
    sample = Sample("control", 4, 10, 30, 20, 120, 60)
    assert baseline_value(sample, "ratio") == 0.5
    assert assumed_variance("ratio", 0.5, sample) == pytest.approx(0.0, abs=1e-12)
    assert assumed_variance("ratio", 0.5) is None
