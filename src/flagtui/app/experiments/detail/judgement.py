"""Each variant of a metric against the baseline, ready to be drawn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flagtui.app.experiments.detail.metric_findings import Findings, Metric, MetricReading
from flagtui.app.experiments.detail.numbers import chance_of, lift_of, value_of
from flagtui.app.experiments.experiment_columns import Leading
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import Baseline, VariantResult
from flagtui.models.json_value import as_dict, as_number
from flagtui.text.formats import percent
from flagtui.text.styled import Look

SURE: Final = 0.95
LIKELY: Final = 0.8
FAILURES: Final[dict[str, str]] = {
    "not-enough-exposures": "too few people yet",
    "baseline-mean-is-zero": "the baseline is zero",
    "not-enough-metric-data": "too few events yet",
}


@dataclass(frozen=True)
class Judgement:
    """One variant of one metric. `look` says how it bodes: it is never the only sign of it."""

    variant: str
    """Raw."""
    base: str
    value: str
    delta: str
    interval: tuple[float, float] | None
    lift: float | None
    odds: str
    """Chance to win or p-value, or why there is none."""
    look: Look


def is_frequentist(experiment: Experiment) -> bool:
    """Whether results come with p-values."""
    return experiment.stats_config.get("method") == "frequentist"


def confidence(experiment: Experiment) -> float:
    """How wide the intervals are, from 0 to 1."""
    settings = experiment.stats_config
    level = as_number(as_dict(settings.get("bayesian")).get("ci_level"))
    alpha = as_number(as_dict(settings.get("frequentist")).get("alpha"))
    found = (1 - alpha if alpha is not None else None) if is_frequentist(experiment) else level
    return found if found is not None and 0 < found < 1 else 0.95


def verdicts(reading: MetricReading) -> Iterator[Judgement]:
    """One for each variant that is compared."""
    result = reading.result
    if result is None or result.baseline is None:
        return
    for variant in result.variant_results:
        yield _verdict(reading.metric, result.baseline, variant)


def leading_of(findings: Findings) -> Leading | None:
    """The variant that does best by the first primary metric."""
    reading = findings.leading
    found = list(verdicts(reading)) if reading else []
    if not found:
        return None
    goal = -1 if reading is not None and reading.metric.goal == "decrease" else 1
    best = max(found, key=lambda one: goal * (one.lift or 0.0))
    if best.lift is None or best.odds in FAILURES.values():
        return Leading(best.odds or "nothing yet", "faint")
    return Leading(f"{best.variant} {best.delta} · {best.odds}", best.look)


def _verdict(metric: Metric, baseline: Baseline, variant: VariantResult) -> Judgement:
    lift = lift_of(variant, baseline)
    return Judgement(
        variant=variant.key,
        base=amount(value_of(baseline), metric),
        value=amount(value_of(variant), metric),
        delta="" if lift is None else f"{lift * 100:+.1f} %".replace("-", "−"),
        interval=variant.interval,
        lift=lift,
        odds=_odds(variant, metric, lift),
        look=_look(variant, metric, lift),
    )


def amount(value: float | None, metric: Metric) -> str:
    """A metric's value: a share in percent, else a number with about four digits."""
    if value is None:
        return "–"
    if metric.is_share:
        return percent(round(value * 100, 2))
    if metric.kind == "ratio" and abs(value) < 1:
        return f"{value:.4f}"
    if value == 0:
        return "0"
    return (
        f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.4g}"
    )


def _odds(variant: VariantResult, metric: Metric, lift: float | None) -> str:
    if variant.validation_failures:
        first = variant.validation_failures[0]
        return FAILURES.get(first, first)
    if lift is None:
        return "nothing to compare"
    if variant.p_value is not None:
        return f"p {variant.p_value:.3f}" if variant.p_value >= 0.001 else "p <0.001"
    chance = chance_of(variant, metric.goal)
    if chance is None:
        return ""
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
