"""Compute the sample size of an experiment, and the days it takes."""

import math
from typing import Literal

from flagtui.service.experiments.analysis.samples import Sample, estimate

CalculatorType = Literal["funnel", "mean_count", "mean_sum_or_avg", "ratio", "retention"]
POWER_FACTOR = 16.0
"""(z(0.975) + z(0.8))² · 2 ≈ 15.7, rounded up (van Belle, "Statistical Rules of Thumb", 2.1)."""
COUNT_SPREAD = 2.0
"""Counts per person are taken to vary twice as much as a Poisson count."""
VALUE_SPREAD = 0.25
"""Sums and averages are taken to have a standard deviation of half their mean."""


def baseline_value(sample: Sample, kind: CalculatorType) -> float | None:
    """Return the metric's value in the baseline: a rate, a mean or a ratio."""
    if sample.count == 0:
        return None
    if kind in ("ratio", "retention"):
        return sample.total / sample.denominator if sample.denominator else None
    if kind == "funnel" and sample.steps:
        return sample.steps[-1] / sample.count
    return sample.total / sample.count


def assumed_variance(kind: CalculatorType, baseline: float, sample: Sample | None = None) -> float | None:
    """Return the variance of one observation.

    A funnel's is p (1 − p) and not returned, a ratio's needs the sample.
    """
    if kind == "mean_count":
        return COUNT_SPREAD * baseline
    if kind == "mean_sum_or_avg":
        return VALUE_SPREAD * baseline**2
    if kind == "funnel" or sample is None:
        return None
    ratio = estimate(sample, "ratio")
    return ratio.variance if ratio else None


def recommended_sample(
    kind: CalculatorType, baseline: float, percent: float, variants: int, variance: float | None
) -> int | None:
    """Return the number of people, over all variants, to detect a relative change of `percent`.

    variants · 16 σ² / (baseline · percent / 100)²
    """
    difference = baseline * percent / 100
    spread = baseline * (1 - baseline) if kind == "funnel" else variance
    if difference**2 == 0 or spread is None:
        return None
    size = POWER_FACTOR * spread / difference**2 * variants
    return math.ceil(round(size, 6)) if math.isfinite(size) else None


def recommended_days(sample: int | None, exposures_per_day: float | None) -> int | None:
    """Return the whole days until that many people were exposed; None without an end."""
    if not sample or not exposures_per_day or exposures_per_day <= 0:
        return None
    days = sample / exposures_per_day
    return math.ceil(days) if math.isfinite(days) else None
