"""Compare each variant of a metric with the baseline, for drawing.

Numbers that the server computes are shown as sent, never recomputed.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from flagtui.details.metric_findings import Findings, Metric, MetricReading
from flagtui.local_time import NOT_KNOWN
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_results import Baseline, VariantResult
from flagtui.models.json_value import JSON, as_dict, as_number
from flagtui.safe_text import safe_text
from flagtui.text.formats import measured_percent, signed_percent
from flagtui.text.styled import Look

MISMATCH_BELOW: Final = 0.001
"""The p-value below which uneven exposures count as sample ratio mismatch."""
FEWEST_EXPOSURES: Final = 100
"""The fewest exposures in total for the sample ratio test, as in the product."""
HELD_OUT: Final = "holdout-"
"""Start of the variant that users of a holdout get: servers measure it, but it takes no part."""
POWER_FACTOR: Final = 16.0
"""(1.96 + 0.84)² · 2, rounded: two samples, 80 % power, 5 % error."""


def chi_square_survival(statistic: float, degrees: int) -> float:
    """Return how likely a chi-square variable of `degrees` degrees of freedom exceeds `statistic`.

    Closed forms: a finite sum for even degrees, erfc and a finite sum for odd ones.

    Raises:
        ValueError: `degrees` is less than 1.

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
    """Return the p-value of the exposures given the planned shares; None if there is nothing to test.

    `counts` are exposures and `shares` percentages, both by variant.
    """
    if not counts:
        return None
    keys = [key for key, share in shares.items() if share > 0]
    total, planned = sum(counts.get(key, 0) for key in keys), sum(shares[key] for key in keys)
    if len(keys) < 2 or total < FEWEST_EXPOSURES:
        return None
    expected = {key: total * shares[key] / planned for key in keys}
    statistic = sum((counts.get(key, 0) - expected[key]) ** 2 / expected[key] for key in keys)
    return chi_square_survival(statistic, len(keys) - 1)


def value_of(sample: Baseline) -> float | None:
    """Return the metric's value for one variant, per exposed user or per denominator; None if not known."""
    bottom = as_number(sample.raw.get("denominator_sum"))
    divisor = sample.number_of_samples if bottom is None else bottom
    total = as_number(sample.raw.get("sum"))
    if total is None or not divisor:
        return None
    value = total / divisor
    return value if math.isfinite(value) else None


def lift_of(variant: VariantResult, baseline: Baseline) -> float | None:
    """Return the variant's value divided by the baseline's, minus one; None without a baseline value."""
    own, other = value_of(variant), value_of(baseline)
    return None if own is None or not other else own / other - 1


def chance_of(variant: VariantResult, goal: str) -> float | None:
    """Return the chance, 0 to 1, that the variant is better; servers send the chance that it is greater."""
    if variant.chance_to_win is None:
        return None
    return 1 - variant.chance_to_win if goal == "decrease" else variant.chance_to_win


class Sizing(msgspec.Struct, frozen=True):
    """The number of users needed, and how it was calculated."""

    needed: float
    formula: str
    days: float | None = None
    """Planned days from start to decision, if the server has a plan."""


def needed_people(baseline: Baseline, effect: float, variants: int, *, is_share: bool) -> float | None:
    """Return the users needed, over all variants, to detect a relative effect; None if undefined.

    16 · variance / (effect · value)² for each variant.
    """
    value, number = value_of(baseline), baseline.number_of_samples
    if not value or not effect or number is None or number < 2:
        return None
    variance = value * (1 - value) if is_share else _variance(baseline, value, number)
    if variance is None or not (difference := effect * value):
        return None
    size = POWER_FACTOR * variance / difference / difference
    return math.ceil(size) * variants if math.isfinite(size) else None


def _variance(baseline: Baseline, value: float, number: float) -> float | None:
    """Return the variance per user, of a ratio by the delta method; None if a sum was not sent."""
    bottom, squares, products = (as_number(baseline.raw.get(name)) for name in _OF_RATIOS)
    if bottom is None:
        bottom, squares, products = number, number, baseline.sum
    if baseline.sum_squares is None or squares is None or products is None or not bottom:
        return None
    spread = baseline.sum_squares - 2 * value * products + value * value * squares
    mean = bottom / number
    return max(0.0, spread / (number - 1)) / mean / mean


_OF_RATIOS: Final = ("denominator_sum", "denominator_sum_squares", "numerator_denominator_sum_product")


def days_left(needed: float, seen: float, days: float) -> float | None:
    """Return the days until enough users are exposed at the current pace; None without a pace."""
    pace = seen / days if days > 0 else 0.0
    return max(0.0, (needed - seen) / pace) if pace > 0 else None


LIKELY: Final = 0.8
FAILURES: Final[dict[str, str]] = {
    "not-enough-exposures": "too few users yet",
    "baseline-mean-is-zero": "the baseline is 0",
    "not-enough-metric-data": "too few events yet",
    "no-baseline": "no baseline",
    "no-value": "no value yet",
}


class Judgement(msgspec.Struct, frozen=True):
    """One variant of one metric. `look` is its colour, never the only sign of the result."""

    variant: str
    """Raw."""
    base: str
    value: str
    delta: str
    interval: tuple[float, float] | None
    lift: float | None
    odds: str
    """Chance to win or p-value, or the reason why it is missing."""
    look: Look


class Leading(msgspec.Struct, frozen=True):
    """The current result of the first metric, in a few words."""

    words: str
    """For a sentence."""
    forms: tuple[str, ...]
    """For a cell: from the longest form, with the interval, to the shortest."""
    look: Look = "muted"
    age: str = ""
    """The age of the result, if it is old."""
    variant: str = ""
    """The key of the variant; empty without a result."""


def is_frequentist(experiment: Experiment) -> bool:
    """Return whether results have p-values."""
    return experiment.stats_config.get("method") == "frequentist"


def stated_confidence(settings: Mapping[str, JSON]) -> float | None:
    """Return the configured confidence level, 0 to 1; None if not set."""
    if settings.get("method") == "frequentist":
        alpha = as_number(as_dict(settings.get("frequentist")).get("alpha"))
        return None if alpha is None else 1 - alpha
    return as_number(as_dict(settings.get("bayesian")).get("ci_level"))


def confidence(experiment: Experiment) -> float:
    """Return the confidence level of the intervals, 0 to 1; default 0.95."""
    level = stated_confidence(experiment.stats_config)
    return level if level is not None and 0 < level < 1 else 0.95


def verdicts(reading: MetricReading) -> Iterator[Judgement]:
    result = reading.result
    if result is None or result.baseline is None:
        return
    for variant in result.variant_results:
        yield _verdict(reading.metric, result.baseline, variant)


def leading_of(findings: Findings) -> Leading | None:
    """Return the variant with the best result in the first primary metric; users held out have none."""
    reading = findings.leading
    measured = verdicts(reading) if reading else ()
    judgements = [judgement for judgement in measured if not judgement.variant.startswith(HELD_OUT)]
    if not judgements:
        return None
    goal = -1 if reading is not None and reading.metric.goal == "decrease" else 1
    best = max(
        judgements, key=lambda judgement: -math.inf if judgement.lift is None else goal * judgement.lift
    )
    if best.look == "faint":
        words = best.odds or "no result yet"
        return Leading(words, (words,), "faint")
    bounds = ""
    if best.interval is not None:
        low, high = map(signed_percent, best.interval)
        bounds = f" ({low} to {high} %)"
    has_p = best.odds.startswith("p ")
    # A list need not name the only variant there is beside the baseline.
    lift = f"{best.variant} {best.delta}" if len(judgements) > 1 else best.delta
    odds = f" · {'' if has_p else 'win '}{best.odds}" if best.odds else ""
    forms = (f"{lift}{bounds}{odds}", f"{lift}{odds}", lift, best.delta)
    chance = f" · {best.odds}{'' if has_p else ' chance to win'}" if best.odds else ""
    words = f"{best.variant} {best.delta}{bounds}{chance}"
    return Leading(words, forms, best.look, variant=best.variant)


def _verdict(metric: Metric, baseline: Baseline, variant: VariantResult) -> Judgement:
    lift = lift_of(variant, baseline)
    no_lift = "" if variant.validation_failures else NOT_KNOWN
    return Judgement(
        variant=variant.key,
        base=amount(value_of(baseline), metric),
        value=amount(value_of(variant), metric),
        delta=no_lift if lift is None else f"{signed_percent(lift)} %",
        interval=variant.interval,
        lift=lift,
        odds=_odds(variant, baseline, metric),
        look=_look(variant, metric, lift),
    )


def amount(value: float | None, metric: Metric) -> str:
    """Format a metric's value: a share in percent, else a number of at most ten cells."""
    if value is None:
        return NOT_KNOWN
    if metric.is_share:
        return measured_percent(value * 100)
    if metric.kind == "ratio" and abs(value) < 1:
        return f"{value:.4f}"
    if abs(value) >= 10_000_000:
        return f"{value:.4g}"
    return (
        f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.4g}"
    )


def failures_of(variant: VariantResult, baseline: Baseline) -> tuple[str, ...]:
    """Return why there is no comparison, in the server's words; it need not name a baseline of 0 or none."""
    if variant.validation_failures or variant.chance_to_win is not None or variant.p_value is not None:
        return variant.validation_failures
    if not (base := value_of(baseline)):
        return ("no-baseline" if base is None else "baseline-mean-is-zero",)
    return ("no-value",) * (value_of(variant) is None)


def _odds(variant: VariantResult, baseline: Baseline, metric: Metric) -> str:
    if failures := failures_of(variant, baseline):
        return FAILURES.get(failures[0]) or safe_text(failures[0], 40)
    if variant.p_value is not None:
        return f"p {variant.p_value:.3f}" if variant.p_value >= 0.001 else "p <0.001"
    chance = chance_of(variant, metric.goal)
    return "" if chance is None else chance_words(chance)


def chance_words(chance: float) -> str:
    """Format a probability: `97.6 %`; never rounded to 0 or 100."""
    if chance > 0.999:
        return ">99.9 %"
    return "<0.1 %" if chance < 0.001 else f"{chance * 100:.1f} %"


def _look(variant: VariantResult, metric: Metric, lift: float | None) -> Look:
    if variant.validation_failures or lift is None:
        return "faint"
    is_better = (lift < 0) == (metric.goal == "decrease")
    if variant.significant:
        return "good" if is_better else "bad"
    chance = chance_of(variant, metric.goal)
    if chance is not None and not 1 - LIKELY < chance < LIKELY:
        return "warn"
    return "muted"
