"""Arithmetic for an experiment's screen. What servers compute is shown as it is, not computed again."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.models.experiment_answers import Baseline, VariantResult
from flagtui.models.json_value import as_number

MISMATCH_BELOW: Final = 0.001
"""p-value under which uneven exposures are taken to be a fault and not chance."""
FEWEST_EXPOSURES: Final = 100
"""Exposures in all before the ratio says anything."""
POWER_FACTOR: Final = 16.0
"""(1.96 + 0.84)² · 2, rounded: two samples, 80 % power, 5 % error."""


def chi_square_survival(statistic: float, degrees: int) -> float:
    """How likely a chi-square variable of that many degrees of freedom exceeds the statistic.

    Closed forms: a finite sum for even degrees, erfc and a finite sum for odd ones.
    """
    if degrees < 1:
        raise ValueError("at least one degree of freedom is needed")
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    if degrees % 2 == 0:
        terms = (math.exp(k * math.log(half) - half - math.lgamma(k + 1)) for k in range(degrees // 2))
        return min(1.0, math.fsum(terms))
    odd = (
        math.exp((k - 0.5) * math.log(half) - half - math.lgamma(k + 0.5))
        for k in range(1, (degrees - 1) // 2 + 1)
    )
    return min(1.0, math.erfc(math.sqrt(half)) + math.fsum(odd))


def ratio_mismatch(counts: Mapping[str, float], shares: Mapping[str, float]) -> float | None:
    """The p-value of the exposures under the shares that were meant; None where there is nothing to test."""
    keys = [key for key, share in shares.items() if share > 0]
    total, whole = sum(counts.get(key, 0) for key in keys), sum(shares[key] for key in keys)
    if len(keys) < 2 or total < FEWEST_EXPOSURES:
        return None
    expected = {key: total * shares[key] / whole for key in keys}
    statistic = sum((counts.get(key, 0) - expected[key]) ** 2 / expected[key] for key in keys)
    return chi_square_survival(statistic, len(keys) - 1)


def value_of(sample: Baseline) -> float | None:
    """The metric for one variant: per exposed person, or per denominator for ratios."""
    bottom = as_number(sample.raw.get("denominator_sum"))
    divisor = float(sample.number_of_samples) if bottom is None else bottom
    return sample.sum / divisor if divisor else None


def lift_of(variant: VariantResult, baseline: Baseline) -> float | None:
    """The variant's value over the baseline's, less one; None without a baseline to compare with."""
    own, other = value_of(variant), value_of(baseline)
    return None if own is None or not other else own / other - 1


def chance_of(variant: VariantResult, goal: str) -> float | None:
    """How likely the variant is the better one. Servers say how likely it is the greater one."""
    if variant.chance_to_win is None:
        return None
    return 1 - variant.chance_to_win if goal == "decrease" else variant.chance_to_win


@dataclass(frozen=True)
class Sizing:
    """How many people are needed, and where that number is from."""

    needed: float
    formula: str
    days: float | None = None
    """From start to decision, where the server planned it."""


def needed_people(baseline: Baseline, effect: float, variants: int, *, is_share: bool) -> float | None:
    """People in all variants together who show a relative effect of `effect`; None where nothing can.

    16 · variance / (effect · value)² for each variant.
    """
    value, number = value_of(baseline), baseline.number_of_samples
    if not value or not effect or number < 2:
        return None
    if is_share:
        variance = value * (1 - value)
    else:
        variance = max(0.0, (baseline.sum_squares - baseline.sum**2 / number) / (number - 1))
    return math.ceil(POWER_FACTOR * variance / (effect * value) ** 2) * variants


def days_left(needed: float, seen: float, days: float) -> float | None:
    """Days until enough people are seen, at the pace so far; None without a pace."""
    pace = seen / days if days > 0 else 0.0
    return max(0.0, (needed - seen) / pace) if pace > 0 else None
