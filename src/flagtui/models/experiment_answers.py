"""Responses of the operations around experiments."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.models.record import Count, Counts, Each, Items, Moment, NamedTexts, Record, Texts, Whole


class Baseline(Record):
    """The variant that others are compared with."""

    key: str = "control"
    number_of_samples: Count = 0.0
    sum: float = 0.0
    sum_squares: float = 0.0


class VariantResult(Baseline):
    """One variant compared with the baseline."""

    method: str = "bayesian"
    significant: bool = False
    chance_to_win: float | None = None
    p_value: float | None = None
    credible_interval: Items = ()
    confidence_interval: Items = ()
    validation_failures: Texts = ()
    """not-enough-exposures, baseline-mean-is-zero, not-enough-metric-data."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the lower and upper bound of the relative difference."""
        bounds = self.credible_interval or self.confidence_interval
        numbers = [as_number(bound) for bound in bounds]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return None
        return numbers[0], numbers[1]


class MetricResult(Record):
    """A metric for every variant."""

    baseline: Baseline | None = None
    variant_results: Each[VariantResult] = ()


class Timeseries(Record):
    """A metric day by day. Values are cumulative up to each day."""

    experiment_id: Whole = 0
    metric_uuid: str = ""
    status: str = "pending"
    """pending, partial, completed or failed."""
    timeseries: dict[str, JSON] = {}
    errors: NamedTexts = {}
    computed_at: Moment | None = None
    recalculation_status: str | None = None

    @property
    def is_recalculating(self) -> bool:
        """Return whether the server is calculating it."""
        return self.recalculation_status in ("pending", "in_progress")

    @property
    def days(self) -> tuple[tuple[date, MetricResult | None], ...]:
        """Return every day in order, with None for days without a result."""
        days = []
        for day, value in self.timeseries.items():
            try:
                when = date.fromisoformat(day[:10])
            except ValueError:
                continue
            days.append((when, MetricResult.of(value) if isinstance(value, dict) else None))
        return tuple(sorted(days, key=lambda item: item[0]))


class Recalculation(Record):
    """A calculation that the server has started."""

    id: str = ""
    experiment_id: Whole = 0
    metric_uuid: str = ""
    fingerprint: str = ""
    status: str = ""
    created_at: Moment | None = None


class MetricOutcome(Record):
    """The result of one metric in a calculation of all metrics."""

    metric_uuid: str = ""
    fingerprint: str = ""
    """Fingerprint of the metric as calculated; empty where the server sends none."""
    status: str = ""
    result: dict[str, JSON] = {}
    error_message: str | None = None

    @property
    def measured(self) -> MetricResult | None:
        """Return the numbers; None where there are none (yet)."""
        return MetricResult.of(self.result) if self.result else None


class MetricsRun(Record):
    """One calculation of all metrics, stored by the server for all users."""

    id: str = ""
    experiment_id: Whole = 0
    status: str = "pending"
    """pending, in_progress, completed or failed."""
    total_metrics: Whole = 0
    completed_metrics: Whole = 0
    failed_metrics: Whole = 0
    created_at: Moment | None = None
    completed_at: Moment | None = None
    query_to: Moment | None = None
    """End of the period whose events were counted."""
    results: Each[MetricOutcome] = ()

    @property
    def is_over(self) -> bool:
        """Return whether the run has ended."""
        return self.status in ("completed", "failed")

    @property
    def outcomes(self) -> dict[str, MetricOutcome]:
        """Return the results so far by metric UUID."""
        return {outcome.metric_uuid: outcome for outcome in self.results if outcome.metric_uuid}


class ExperimentStats(Record):
    """Counts of the project's experiments."""

    launched_last_30d: Whole = 0
    launched_previous_30d: Whole = 0
    percent_change: float | None = None
    active_experiments: Whole = 0
    completed_last_30d: Whole = 0


class Exposures(Record):
    """Number of users exposed to each variant."""

    total_exposures: Counts = {}
    timeseries: Items = ()


BASELINE: Final = "control"
TOO_FEW: Final = "not_enough_exposure"


def read_old_result(answer: Mapping[str, JSON]) -> MetricResult | None:
    """Return a result of the first servers in the newer form; None if it has no variants.

    Their intervals concern each variant alone rather than the difference, so they are omitted.
    """
    result = as_dict(answer.get("result")) or answer
    variants = [as_dict(variant) for variant in as_list(result.get("variants"))]
    keys = [key for variant in variants if (key := as_text(variant.get("key")))]
    if not keys:
        return None
    base = BASELINE if BASELINE in keys else keys[0]
    chances, is_sure = as_dict(result.get("probability")), result.get("significant") is True
    failures = ["not-enough-exposures"] if result.get("significance_code") == TOO_FEW else []
    best = max(keys, key=lambda key: as_number(chances.get(key)) or 0.0)
    samples = {as_text(variant.get("key")): _sample(variant) for variant in variants}
    results: list[JSON] = [
        {
            **samples[key],
            "method": "bayesian",
            "chance_to_win": as_number(chances.get(key)),
            "significant": is_sure and best in (key, base),
            "validation_failures": list(failures),
        }
        for key in keys
        if key != base
    ]
    return MetricResult.of({"baseline": samples[base], "variant_results": results})


def is_old_share(answer: Mapping[str, JSON]) -> bool:
    """Return whether the goal is a proportion rather than a count."""
    result = as_dict(answer.get("result")) or answer
    return any("success_count" in as_dict(variant) for variant in as_list(result.get("variants")))


def _sample(variant: Mapping[str, JSON]) -> dict[str, JSON]:
    done, missed = as_number(variant.get("success_count")), as_number(variant.get("failure_count"))
    if done is not None:
        people = done + (missed or 0)
        return {"key": variant.get("key"), "number_of_samples": people, "sum": done, "sum_squares": done}
    people = as_number(variant.get("absolute_exposure")) or as_number(variant.get("exposure")) or 0
    count = as_number(variant.get("count")) or 0
    return {"key": variant.get("key"), "number_of_samples": people, "sum": count}
