"""From the values of entities to the sums of variants."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from flagtui.service.experiments.analysis.metric import Metric, Outliers
from flagtui.service.experiments.analysis.samples import Sample
from flagtui.service.experiments.analysis.values import Value

Bounds = tuple[float, float]


def tally(metric: Metric, values: Mapping[str, Mapping[str, Value]], variants: Iterable[str]) -> list[Sample]:
    """One sample for each of `variants`, in that order, with zeros for those nobody saw.

    `values` are by variant and entity. Outliers are bounded by percentiles over all variants together.
    """
    groups = {key: list(values.get(key, {}).values()) for key in variants}
    everything = [value for group in groups.values() for value in group]
    top = _bounds(metric.outliers[0], everything, lambda value: value.numerator)
    bottom = _bounds(metric.outliers[1], everything, lambda value: value.denominator)
    return [_sample(metric, key, group, top, bottom) for key, group in groups.items()]


def _sample(
    metric: Metric, key: str, values: Sequence[Value], top: Bounds | None, bottom: Bounds | None
) -> Sample:
    tops = _bounded([value.numerator for value in values], top)
    sums = Sample(key, len(values), math.fsum(tops), math.fsum(one * one for one in tops))
    if metric.kind == "funnel":
        steps = range(1, len(metric.sources) + 1)
        return replace(sums, steps=tuple(sum(value.steps >= step for value in values) for step in steps))
    if metric.kind == "mean":
        return sums
    bottoms = _bounded([value.denominator for value in values], bottom)
    return replace(
        sums,
        denominator=math.fsum(bottoms),
        denominator_squares=math.fsum(one * one for one in bottoms),
        products=math.fsum(one * other for one, other in zip(tops, bottoms, strict=True)),
    )


def _bounded(numbers: list[float], bounds: Bounds | None) -> list[float]:
    if bounds is None:
        return numbers
    low, high = bounds
    return [min(max(number, low), high) for number in numbers]


def _bounds(outliers: Outliers, values: Sequence[Value], side: Callable[[Value], float]) -> Bounds | None:
    if outliers.lower is None and outliers.upper is None:
        return None
    numbers = [side(value) for value in values]
    low = -math.inf if outliers.lower is None else _quantile(numbers, outliers.lower)
    counted = [number for number in numbers if number] if outliers.ignore_zeros else numbers
    high = math.inf if outliers.upper is None else _quantile(counted, outliers.upper)
    return low, max(low, high)


def _quantile(values: Sequence[float], level: float) -> float:
    """The value at place ⌊level · n⌋ of the sorted values, which is how the product's database takes it."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(level * len(ordered)))]
