"""From two variants to a verdict: Bayesian or frequentist, on the relative difference of their means."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from flagtui.service.experiments.analysis.distributions import (
    chi_square_survival,
    normal_cdf,
    normal_quantile,
    student_t_quantile,
    student_t_survival,
)
from flagtui.service.experiments.analysis.samples import Estimate


@dataclass(frozen=True, slots=True)
class Bayesian:
    """What is believed of the relative difference after seeing the data."""

    effect: float
    chance_to_win: float
    """The probability that the variant's mean is the higher one, whichever direction is the goal."""
    interval: tuple[float, float]
    significant: bool


@dataclass(frozen=True, slots=True)
class Frequentist:
    """How surprising the relative difference would be if there were none."""

    effect: float
    p_value: float
    interval: tuple[float, float]
    significant: bool


def bayesian(variant: Estimate, baseline: Estimate, level: float = 0.95) -> Bayesian | None:
    """Flat prior, normal likelihood: the relative difference is N(effect, error²) (Gelman et al., BDA3, 2.5).

    Chance to win = Φ(effect / error), interval = effect ± Φ⁻¹((1 + level) / 2) · error; significant when the
    chance is above `level` or below 1 − `level`. None when the baseline is zero or nothing varies.
    """
    difference = _relative_difference(variant, baseline)
    if difference is None:
        return None
    effect, error = difference
    chance = normal_cdf(effect / error)
    margin = normal_quantile((1 + level) / 2) * error
    return Bayesian(effect, chance, (effect - margin, effect + margin), chance > level or chance < 1 - level)


def frequentist(variant: Estimate, baseline: Estimate, alpha: float = 0.05) -> Frequentist | None:
    """Welch's two-sided t-test (Welch 1947) of the relative difference against none.

    Degrees of freedom by Welch–Satterthwaite: (a + b)² / (a² / (n₁ − 1) + b² / (n₂ − 1)) with a, b the
    squared standard errors of the means. None when the baseline is zero, nothing varies or a group has one
    member.
    """
    difference = _relative_difference(variant, baseline)
    if difference is None or min(variant.count, baseline.count) < 2:
        return None
    effect, error = difference
    a, b = variant.error, baseline.error
    degrees = (a + b) ** 2 / (a * a / (variant.count - 1) + b * b / (baseline.count - 1))
    p_value = min(1.0, 2 * student_t_survival(abs(effect / error), degrees))
    margin = student_t_quantile(1 - alpha / 2, degrees) * error
    return Frequentist(effect, p_value, (effect - margin, effect + margin), p_value < alpha)


def sample_ratio_mismatch(counts: Mapping[str, int], weights: Mapping[str, float]) -> float | None:
    """The p-value of Pearson's chi-square test that the counts were drawn in the ratio of the weights.

    Σ (observed − expected)² / expected with one degree of freedom less than variants (Fabijan et al. 2019,
    "Diagnosing Sample Ratio Mismatch"). None with fewer than two variants of weight or nobody counted; 0.0
    when a variant without weight was counted.
    """
    expected_keys = [key for key, weight in weights.items() if weight > 0]
    total = sum(counts.get(key, 0) for key in weights)
    if len(expected_keys) < 2 or total == 0:
        return None
    if any(counts.get(key, 0) for key in weights if key not in expected_keys):
        return 0.0
    whole = sum(weights[key] for key in expected_keys)
    statistic = 0.0
    for key in expected_keys:
        expected = total * weights[key] / whole
        statistic += (counts.get(key, 0) - expected) ** 2 / expected
    return chi_square_survival(statistic, len(expected_keys) - 1)


def _relative_difference(variant: Estimate, baseline: Estimate) -> tuple[float, float] | None:
    """(v − b) / |b| and its standard error by the delta method: √(σᵥ²/b² + v² σ_b²/b⁴)."""
    if abs(baseline.mean) < 1e-10:
        return None
    base = abs(baseline.mean)
    ratio = variant.mean / base
    spread = (variant.error + ratio * ratio * baseline.error) / base / base
    if not (0 < spread < math.inf):
        return None
    return (variant.mean - baseline.mean) / base, math.sqrt(spread)
