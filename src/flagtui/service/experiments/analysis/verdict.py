"""The result of a metric as the API tells it: the baseline's sums, and each variant against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flagtui.service.experiments.analysis.inference import bayesian, frequentist
from flagtui.service.experiments.analysis.samples import Estimate, MetricType, Sample, estimate

Method = Literal["bayesian", "frequentist"]
FEWEST_EXPOSURES = 50
FEWEST_CONVERSIONS = 5


@dataclass(frozen=True, slots=True)
class Settings:
    """How results are judged."""

    method: Method = "bayesian"
    level: float = 0.95
    """Of the credible interval."""
    alpha: float = 0.05
    """Of the test, and 1 minus the level of its confidence interval."""

    @classmethod
    def of(cls, config: Mapping[str, Any] | None) -> "Settings":
        """From a stored stats_config; values outside (0, 1) fall back to the defaults."""
        config = config or {}
        method: Method = "frequentist" if config.get("method") == "frequentist" else "bayesian"
        level = _fraction(config.get("bayesian"), "ci_level", 0.95)
        return cls(method, level, _fraction(config.get("frequentist"), "alpha", 0.05))


def verdict(
    samples: Sequence[Sample], baseline_key: str, kind: MetricType, settings: Settings
) -> dict[str, Any]:
    """`{"baseline": …, "variant_results": […]}`; statistics are null where a validation failure is named."""
    baseline = next((sample for sample in samples if sample.key == baseline_key), Sample(baseline_key))
    failures = _failures(baseline, kind, is_baseline=True)
    base = None if failures else estimate(baseline, kind)
    others = [sample for sample in samples if sample.key != baseline_key]
    return {
        "baseline": {**_sums(baseline, kind), "validation_failures": failures},
        "variant_results": [_against(base, sample, kind, settings) for sample in others],
    }


def _against(base: Estimate | None, sample: Sample, kind: MetricType, settings: Settings) -> dict[str, Any]:
    failures = _failures(sample, kind)
    variant = None if failures else estimate(sample, kind)
    shown: dict[str, Any] = {**_sums(sample, kind), "method": settings.method, "significant": False}
    if settings.method == "bayesian":
        shown |= _believed(variant, base, settings.level)
    else:
        shown |= _tested(variant, base, settings.alpha)
    if variant and base and shown.get("chance_to_win") is None and shown.get("p_value") is None:
        failures = ["not-enough-metric-data"]
    return {**shown, "validation_failures": failures}


def _believed(variant: Estimate | None, base: Estimate | None, level: float) -> dict[str, Any]:
    found = bayesian(variant, base, level) if variant and base else None
    if found is None:
        return {"chance_to_win": None, "credible_interval": None}
    return {
        "significant": found.significant,
        "chance_to_win": found.chance_to_win,
        "credible_interval": list(found.interval),
    }


def _tested(variant: Estimate | None, base: Estimate | None, alpha: float) -> dict[str, Any]:
    found = frequentist(variant, base, alpha) if variant and base else None
    if found is None:
        return {"p_value": None, "confidence_interval": None}
    return {
        "significant": found.significant,
        "p_value": found.p_value,
        "confidence_interval": list(found.interval),
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
    sums: dict[str, Any] = {
        "key": sample.key,
        "number_of_samples": sample.count,
        "sum": _plain(sample.total),
        "sum_squares": _plain(sample.squares),
    }
    if kind in ("ratio", "retention"):
        sums["denominator_sum"] = _plain(sample.denominator)
        sums["denominator_sum_squares"] = _plain(sample.denominator_squares)
        sums["numerator_denominator_sum_product"] = _plain(sample.products)
    if kind == "funnel":
        sums["step_counts"] = list(sample.steps)
    return sums


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _fraction(section: object, name: str, default: float) -> float:
    value = section.get(name) if isinstance(section, dict) else None
    return float(value) if isinstance(value, int | float) and 0 < value < 1 else default
