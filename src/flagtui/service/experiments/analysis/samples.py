"""The sums of one variant, from which its mean and variance follow, and how they are summed."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.service.experiments.analysis.metric import Metric, MetricType, Outliers
from flagtui.service.experiments.analysis.values import Amount

SUMS: Final = {"sum": "total", "sum_squares": "squares"}
"""The API's names of a sample's sums."""
RATIO_SUMS: Final = {
    "denominator_sum": "denominator",
    "denominator_sum_squares": "denominator_squares",
    "numerator_denominator_sum_product": "products",
}


class Sample(msgspec.Struct, frozen=True):
    """Sums over the people (or groups) of one variant; the denominator sums are zero unless it is a ratio."""

    key: str
    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    denominator: float = 0.0
    denominator_squares: float = 0.0
    products: float = 0.0
    """Sum of numerator times denominator."""
    steps: tuple[int, ...] = ()
    """Of a funnel: how many reached each step after the exposure."""


class Estimate(msgspec.Struct, frozen=True):
    """The mean of one variant and the variance of a single observation."""

    count: int
    mean: float
    variance: float

    @property
    def error(self) -> float:
        """Return the squared standard error of the mean."""
        return self.variance / self.count


def estimate(sample: Sample, kind: MetricType) -> Estimate | None:
    """Return mean and variance of the sample, or None where they are not defined.

    - mean: x̄ = Σx / n, s² = (Σx² − (Σx)² / n) / (n − 1)
    - funnel: p = conversions / n, p (1 − p)
    - ratio, retention: R = Σm / Σd, and by the delta method (Deng, Knoblich & Lu 2018, "Applying the Delta
      Method in Metric Analytics") Var(m)/d̄² + m̄² Var(d)/d̄⁴ − 2 m̄ Cov(m, d)/d̄³
    """
    if sample.count <= 0:
        return None
    if kind == "mean":
        variance = _variance(sample.total, sample.squares, sample.count)
        return Estimate(sample.count, sample.total / sample.count, variance)
    if kind == "funnel":
        rate = sample.total / sample.count
        return Estimate(sample.count, rate, rate * (1 - rate))
    return _ratio(sample)


def _ratio(sample: Sample) -> Estimate | None:
    count = sample.count
    m, d = sample.total / count, sample.denominator / count
    # Products, because powers raise where they overflow; one that vanishes divides like zero.
    second, third, fourth = d * d, d * d * d, d * d * d * d
    if fourth == 0:
        return None
    if count < 2:
        return Estimate(count, m / d, 0.0)
    covariance = (sample.products - sample.total * sample.denominator / count) / (count - 1)
    m_variance = _variance(sample.total, sample.squares, count)
    d_variance = _variance(sample.denominator, sample.denominator_squares, count)
    variance = m_variance / second + m * m * d_variance / fourth - 2 * m * covariance / third
    return Estimate(count, m / d, max(0.0, variance))


def _variance(total: float, squares: float, count: int) -> float:
    """Return the variance, at least 0: rounding can make the difference of two large sums negative."""
    return max(0.0, (squares - total * total / count) / (count - 1)) if count > 1 else 0.0


Bounds = tuple[float, float]


def tally(
    metric: Metric, values: Mapping[str, Mapping[str, Amount]], variants: Iterable[str]
) -> list[Sample]:
    """Return one sample for each of `variants`, in that order, with zeros for those without exposures.

    `values` are by variant and entity. Outliers are bounded by percentiles over all variants together.
    """
    groups = {key: list(values.get(key, {}).values()) for key in variants}
    everything = [value for group in groups.values() for value in group]
    top = _bounds(metric.outliers[0], everything, lambda value: value.numerator)
    bottom = _bounds(metric.outliers[1], everything, lambda value: value.denominator)
    return [_sample(metric, key, group, top, bottom) for key, group in groups.items()]


def _sample(
    metric: Metric, key: str, values: Sequence[Amount], top: Bounds | None, bottom: Bounds | None
) -> Sample:
    tops = _clamp([value.numerator for value in values], top)
    sums = Sample(key, len(values), math.fsum(tops), math.fsum(number * number for number in tops))
    if metric.kind == "funnel":
        steps = range(1, len(metric.sources) + 1)
        return replace(sums, steps=tuple(sum(value.steps >= step for value in values) for step in steps))
    if metric.kind == "mean":
        return sums
    bottoms = _clamp([value.denominator for value in values], bottom)
    return replace(
        sums,
        denominator=math.fsum(bottoms),
        denominator_squares=math.fsum(number * number for number in bottoms),
        products=math.fsum(top * bottom for top, bottom in zip(tops, bottoms, strict=True)),
    )


def _clamp(numbers: list[float], bounds: Bounds | None) -> list[float]:
    if bounds is None:
        return numbers
    low, high = bounds
    return [min(max(number, low), high) for number in numbers]


def _bounds(outliers: Outliers, values: Sequence[Amount], side: Callable[[Amount], float]) -> Bounds | None:
    if outliers.lower is None and outliers.upper is None:
        return None
    numbers = [side(value) for value in values]
    low = -math.inf if outliers.lower is None else _quantile(numbers, outliers.lower)
    counted = [number for number in numbers if number] if outliers.ignore_zeros else numbers
    high = math.inf if outliers.upper is None else _quantile(counted, outliers.upper)
    return low, max(low, high)


def _quantile(values: Sequence[float], level: float) -> float:
    """Return the value at place ⌊level · n⌋ of the sorted values, as the product's database does."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(level * len(ordered)))]
