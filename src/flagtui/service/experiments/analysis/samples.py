"""What is kept of one variant: the sums from which its mean and variance follow."""

from dataclasses import dataclass
from typing import Final, Literal

MetricType = Literal["mean", "funnel", "ratio", "retention"]
SUMS: Final = {"sum": "total", "sum_squares": "squares"}
"""What the API calls sums of a sample."""
RATIO_SUMS: Final = {
    "denominator_sum": "denominator",
    "denominator_sum_squares": "denominator_squares",
    "numerator_denominator_sum_product": "products",
}


@dataclass(frozen=True, slots=True)
class Sample:
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of one variant and the variance of a single observation."""

    count: int
    mean: float
    variance: float

    @property
    def error(self) -> float:
        """The squared standard error of the mean."""
        return self.variance / self.count


def estimate(sample: Sample, kind: MetricType) -> Estimate | None:
    """Mean and variance of the sample, or None where they are not defined.

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
    if sample.denominator == 0:
        return None
    m, d = sample.total / count, sample.denominator / count
    if count < 2:
        return Estimate(count, m / d, 0.0)
    covariance = (sample.products - sample.total * sample.denominator / count) / (count - 1)
    m_variance = _variance(sample.total, sample.squares, count)
    d_variance = _variance(sample.denominator, sample.denominator_squares, count)
    variance = m_variance / d**2 + m**2 * d_variance / d**4 - 2 * m * covariance / d**3
    return Estimate(count, m / d, max(0.0, variance))


def _variance(total: float, squares: float, count: int) -> float:
    """Rounding can take the difference of two large sums below zero, which no variance is."""
    return max(0.0, (squares - total * total / count) / (count - 1)) if count > 1 else 0.0
