"""From samples to the verdict of the API: Bayesian or frequentist, on the relative difference of means."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from flagtui.service.experiments.analysis.distributions import (
    chi_square_survival,
    normal_cdf,
    normal_quantile,
    student_t_quantile,
    student_t_survival,
)
from flagtui.service.experiments.analysis.metric import MetricType
from flagtui.service.experiments.analysis.samples import RATIO_SUMS, SUMS, Estimate, Sample, estimate

FEWEST_EXPOSURES: Final = 50
FEWEST_CONVERSIONS: Final = 5


class Lift(NamedTuple):
    """The relative difference of a variant, as estimated from the data."""

    effect: float
    probability: float
    """Bayesian: that the variant's mean is the higher one, whichever direction is the goal. Frequentist: of
    as large a difference if there were none."""
    interval: tuple[float, float]
    significant: bool


def bayesian(variant: Estimate, baseline: Estimate, level: float = 0.95) -> Lift | None:
    """Compare with a flat prior and a normal likelihood.

    Chance to win = Φ(effect / error), interval = effect ± Φ⁻¹((1 + level) / 2) · error; significant when the
    chance is above `level` or below 1 − `level`. None when the baseline is zero or nothing varies.
    """
    difference = _relative_difference(variant, baseline)
    if difference is None:
        return None
    effect, error = difference
    chance = normal_cdf(effect / error)
    margin = normal_quantile((1 + level) / 2) * error
    return Lift(effect, chance, (effect - margin, effect + margin), chance > level or chance < 1 - level)


def frequentist(variant: Estimate, baseline: Estimate, alpha: float = 0.05) -> Lift | None:
    """Compare by Welch's two-sided t-test (Welch 1947) of the relative difference against none.

    Degrees of freedom by Welch–Satterthwaite: (a + b)² / (a² / (n₁ − 1) + b² / (n₂ − 1)) with a, b the
    squared standard errors of the means. None when the baseline is zero, nothing varies or a group has one
    member.
    """
    difference = _relative_difference(variant, baseline)
    if difference is None or min(variant.count, baseline.count) < 2:
        return None
    effect, error = difference
    a, b = variant.error, baseline.error
    # As shares of a + b: squares of small errors would vanish.
    first, second = a / (a + b), b / (a + b)
    degrees = 1 / (first**2 / (variant.count - 1) + second**2 / (baseline.count - 1))
    p_value = min(1.0, 2 * student_t_survival(abs(effect / error), degrees))
    margin = student_t_quantile(1 - alpha / 2, degrees) * error
    return Lift(effect, p_value, (effect - margin, effect + margin), p_value < alpha)


MIN_RATIO_EXPOSURES: Final = 100
"""Exposures below which the sample ratio is not tested, as in the product."""


def sample_ratio_mismatch(counts: Mapping[str, int], weights: Mapping[str, float]) -> float | None:
    """Return the p-value of Pearson's chi-square test that `counts` follow the ratio of `weights`.

    Σ (observed − expected)² / expected with one degree of freedom less than variants (Fabijan et al. 2019,
    "Diagnosing Sample Ratio Mismatch"). As in the product, variants of weight 0 are excluded.

    Args:
        counts: users exposed to each variant.
        weights: rollout percentage of each variant.

    Returns:
        None with fewer than two variants of weight, or fewer than `MIN_RATIO_EXPOSURES` exposures of them.
    """
    expected_keys = [key for key, weight in weights.items() if weight > 0]
    total = sum(counts.get(key, 0) for key in expected_keys)
    if len(expected_keys) < 2 or total < MIN_RATIO_EXPOSURES:
        return None
    whole = sum(weights[key] for key in expected_keys)
    statistic = 0.0
    for key in expected_keys:
        expected = total * weights[key] / whole
        statistic += (counts.get(key, 0) - expected) ** 2 / expected
    return chi_square_survival(statistic, len(expected_keys) - 1)


def _relative_difference(variant: Estimate, baseline: Estimate) -> tuple[float, float] | None:
    """Return (v − b) / b, as in the product, and its standard error.

    The error is by the delta method: √(σᵥ²/b² + v² σ_b²/b⁴). None for a baseline of 0.
    """
    if abs(baseline.mean) < 1e-10:
        return None
    base = baseline.mean
    ratio = variant.mean / base
    spread = (variant.error + ratio * ratio * baseline.error) / base / base
    if not (0 < spread < math.inf):
        return None
    return (variant.mean - baseline.mean) / base, math.sqrt(spread)


class Method(NamedTuple):
    """A method of inference, its limit, and the API's names of its results."""

    judge: Callable[[Estimate, Estimate, float], Lift | None]
    probability: str
    interval: str
    limit: str
    """Its name in a stored stats_config: the level of the credible interval, or the alpha of the test."""
    usual_limit: float


METHODS: Final[Mapping[str, Method]] = {
    "bayesian": Method(bayesian, "chance_to_win", "credible_interval", "ci_level", 0.95),
    "frequentist": Method(frequentist, "p_value", "confidence_interval", "alpha", 0.05),
}


class Criterion(msgspec.Struct, frozen=True):
    """The settings for judging results: a name of METHODS and its limit."""

    method: str = "bayesian"
    limit: float = 0.95

    @classmethod
    def of(cls, config: Mapping[str, Any] | None) -> "Criterion":
        """Read a stored stats_config; values outside (0, 1) fall back to the defaults."""
        config = config or {}
        name = "frequentist" if config.get("method") == "frequentist" else "bayesian"
        method, section = METHODS[name], config.get(name)
        value = section.get(method.limit) if isinstance(section, dict) else None
        if isinstance(value, int | float) and 0 < value < 1:
            return cls(name, float(value))
        return cls(name, method.usual_limit)


def verdict(
    samples: Sequence[Sample], baseline_key: str, kind: MetricType, settings: Criterion
) -> dict[str, Any]:
    """Return `{"baseline": …, "variant_results": […]}`; statistics are null beside a validation failure."""
    baseline = next((sample for sample in samples if sample.key == baseline_key), Sample(baseline_key))
    failures = _failures(baseline, kind, is_baseline=True)
    base = None if failures else estimate(baseline, kind)
    others = [sample for sample in samples if sample.key != baseline_key]
    return {
        "baseline": {**_sums(baseline, kind), "validation_failures": failures},
        "variant_results": [_against(base, sample, kind, settings) for sample in others],
    }


def _against(base: Estimate | None, sample: Sample, kind: MetricType, settings: Criterion) -> dict[str, Any]:
    failures = _failures(sample, kind)
    variant = None if failures else estimate(sample, kind)
    method, judgement = METHODS[settings.method], None
    if variant and base:
        judgement = method.judge(variant, base, settings.limit)
        failures = failures if judgement else ["not-enough-metric-data"]
    return {
        **_sums(sample, kind),
        "method": settings.method,
        "significant": bool(judgement and judgement.significant),
        method.probability: judgement and judgement.probability,
        method.interval: judgement and list(judgement.interval),
        "validation_failures": failures,
    }


def _failures(sample: Sample, kind: MetricType, is_baseline: bool = False) -> list[str]:
    failures = []
    if sample.count < FEWEST_EXPOSURES:
        failures.append("not-enough-exposures")
    if is_baseline and sample.total == 0:
        failures.append("baseline-mean-is-zero")
    if kind in ("funnel", "retention") and sample.total < FEWEST_CONVERSIONS:
        failures.append("not-enough-metric-data")
    return failures


def _sums(sample: Sample, kind: MetricType) -> dict[str, Any]:
    names = {**SUMS, **RATIO_SUMS} if kind in ("ratio", "retention") else SUMS
    numbers = {name: _plain(getattr(sample, field)) for name, field in names.items()}
    steps = {"step_counts": list(sample.steps)} if kind == "funnel" else {}
    return {"key": sample.key, "number_of_samples": sample.count, **numbers, **steps}


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
