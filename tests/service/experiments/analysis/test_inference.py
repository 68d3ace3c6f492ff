"""Verdicts beside scipy's, over thousands of random data sets; and data from which nothing follows."""

import math

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
        variant, baseline = estimate(a, kind), estimate(b, kind)
        assert variant is not None
        assert baseline is not None
        level = float(random.uniform(0.7, 0.99))
        degrees = (own + other) ** 2 / (own**2 / (sizes[0] - 1) + other**2 / (sizes[1] - 1))
        believed.append(bayesian(variant, baseline, level))
        tested.append(frequentist(variant, baseline, 1 - level))
        expected.append((mean / base - 1, error, level, degrees))
    effect, error, level, degrees = np.array(expected).T
    _compare_bayesian(believed, effect, error, level)
    _compare_frequentist(tested, effect, error, level, degrees)


def _compare_bayesian(findings: list[Lift | None], effect: Floats, error: Floats, level: Floats) -> None:
    ours = [finding for finding in findings if finding is not None]
    assert len(ours) == len(effect) > SETS * 0.9
    chances = scipy.stats.norm.sf(0, effect, error)
    np.testing.assert_allclose([finding.probability for finding in ours], chances, atol=1e-6)
    intervals = np.array(scipy.stats.norm.interval(level, effect, error)).T
    np.testing.assert_allclose([finding.interval for finding in ours], intervals, atol=1e-6, rtol=1e-6)
    assert [finding.significant for finding in ours] == [
        chance > sure or chance < 1 - sure for chance, sure in zip(chances, level, strict=True)
    ]


def _compare_frequentist(
    findings: list[Lift | None], effect: Floats, error: Floats, level: Floats, degrees: Floats
) -> None:
    ours = [finding for finding in findings if finding is not None]
    assert len(ours) == len(effect)
    p_values = 2 * scipy.stats.t.sf(np.abs(effect / error), degrees)
    np.testing.assert_allclose([finding.probability for finding in ours], p_values, atol=1e-6)
    intervals = np.array(scipy.stats.t.interval(level, degrees, effect, error)).T
    np.testing.assert_allclose([finding.interval for finding in ours], intervals, atol=1e-6, rtol=1e-6)
    assert [finding.significant for finding in ours] == (p_values < 1 - level).tolist()


def test_equal_groups_are_not_different() -> None:
    same = Estimate(400, 0.25, 0.1875)
    believed, tested = bayesian(same, same), frequentist(same, same)
    assert believed is not None
    assert tested is not None
    assert (believed.effect, believed.probability, believed.significant) == (0.0, 0.5, False)
    assert (tested.probability, tested.significant) == (1.0, False)


@pytest.mark.parametrize(
    ("variant", "baseline"),
    [
        (Estimate(100, 2.0, 0.0), Estimate(100, 1.0, 0.0)),
        (Estimate(100, 2.0, 1.0), Estimate(100, 0.0, 0.0)),
        (Estimate(100, 2.0, math.inf), Estimate(100, 1.0, 1.0)),
        (Estimate(100, 2.0, math.nan), Estimate(100, 1.0, 1.0)),
    ],
    ids=["nothing varies", "zero baseline", "infinite variance", "no number"],
)
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


@pytest.mark.parametrize("kind", ["mean", "funnel", "ratio", "retention"])
def test_estimate_needs_exposures(kind: MetricType) -> None:
    assert estimate(Sample("control"), kind) is None


@pytest.mark.parametrize("denominator", [0.0, 1e-90, 5e-324])
def test_a_ratio_over_nothing_has_no_estimate(denominator: float) -> None:
    assert estimate(Sample("control", 10, 5, 5, denominator), "ratio") is None


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
        result = sample_ratio_mismatch(
            dict(zip(keys, counts.tolist(), strict=True)), dict(zip(keys, weights.tolist(), strict=True))
        )
        expected = scipy.stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue
        assert result == pytest.approx(expected, abs=1e-9)


def test_sample_ratio_needs_enough_users_of_weighted_variants() -> None:
    assert sample_ratio_mismatch({}, {"control": 50, "test": 50}) is None
    assert sample_ratio_mismatch({"control": 9}, {"control": 100}) is None
    weights = {"a": 50, "b": 50, "c": 0}
    assert sample_ratio_mismatch({"a": 90, "b": 9, "c": 500}, weights) is None
    assert sample_ratio_mismatch({"a": 50, "b": 50, "c": 500}, weights) == pytest.approx(1.0)
    assert sample_ratio_mismatch({"a": 500, "b": 503, "$multiple": 9}, {"a": 50, "b": 50}) == pytest.approx(
        scipy.stats.chisquare([500, 503]).pvalue
    )


RANDOM = np.random.default_rng(20_261)
PLACES = at_most(1_000, 4_000)


def _degrees() -> npt.NDArray[np.float64]:
    spread = 10 ** RANDOM.uniform(0, 10, PLACES // 2)
    return np.concatenate([spread, RANDOM.integers(1, 120, PLACES // 2).astype(float)])


def test_normal_distribution_and_quantile_agree_with_scipy() -> None:
    places = RANDOM.normal(0, 8, PLACES)
    ours = [normal_cdf(place) for place in places]
    np.testing.assert_allclose(ours, scipy.stats.norm.cdf(places), rtol=1e-12, atol=0)
    chances = np.concatenate([RANDOM.uniform(0, 1, PLACES), [1e-12, 1 - 1e-12, 0.5]])
    ours = [normal_quantile(chance) for chance in chances]
    np.testing.assert_allclose(ours, scipy.stats.norm.ppf(chances), atol=1e-9)


def test_t_distribution_and_quantile_agree_with_scipy() -> None:
    degrees = _degrees()
    places = RANDOM.standard_t(3, PLACES) * 3
    ours = [student_t_survival(place, free) for place, free in zip(places, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.t.sf(places, degrees), atol=1e-10)
    degrees = _degrees()
    chances = RANDOM.uniform(0.0005, 0.9995, PLACES)
    ours = [student_t_quantile(chance, free) for chance, free in zip(chances, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.t.ppf(chances, degrees), rtol=1e-9, atol=1e-9)
    assert student_t_survival(0.0, 5) == pytest.approx(0.5)
    assert student_t_survival(float("inf"), 5) == 0.0
    assert student_t_quantile(0.1, 7) == pytest.approx(-student_t_quantile(0.9, 7))


def test_the_chi_square_distribution_agrees_up_to_twenty_variants() -> None:
    degrees = RANDOM.integers(1, 20, PLACES)
    places = RANDOM.exponential(15, PLACES)
    ours = [chi_square_survival(place, int(free)) for place, free in zip(places, degrees, strict=True)]
    np.testing.assert_allclose(ours, scipy.stats.chi2.sf(places, degrees), atol=1e-12)


@pytest.mark.parametrize("place", [0.0, -3.0, 5e-324])
def test_nothing_is_rarer_than_no_difference(place: float) -> None:
    assert chi_square_survival(place, 3) == 1.0


def test_sample_sizes_follow_from_variance_effect_and_baseline() -> None:
    assert recommended_sample("funnel", 0.1, 10, 2, None) == 28_800
    assert assumed_variance("mean_count", 4.0) == 8.0
    assert assumed_variance("mean_sum_or_avg", 4.0) == 4.0
    assert recommended_sample("mean_count", 4.0, 5, 3, 8.0) == 9_600
    assert recommended_sample("funnel", 0.1, 0, 2, None) is None
    assert recommended_sample("funnel", 0.0, 10, 2, None) is None
    assert recommended_sample("ratio", 0.4, 10, 2, None) is None
    assert recommended_sample("ratio", 1e-170, 10, 2, 1.0) is None
    assert baseline_value(Sample("control"), "funnel") is None
    assert baseline_value(Sample("control", 100, 9, 9, steps=(40, 9)), "funnel") == 0.09
    assert recommended_days(1_001, 100) == 11
    assert recommended_days(1_001, 0) is None
    assert recommended_days(1_001, 5e-324) is None
    assert recommended_days(None, 10) is None


def test_a_ratio_takes_its_variance_from_what_was_measured() -> None:
    sample = Sample("control", 4, 10, 30, 20, 120, 60)
    assert baseline_value(sample, "ratio") == 0.5
    assert assumed_variance("ratio", 0.5, sample) == pytest.approx(0.0, abs=1e-12)
    assert assumed_variance("ratio", 0.5) is None
