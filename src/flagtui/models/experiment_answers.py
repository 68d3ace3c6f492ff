"""What the operations around an experiment answer."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.models.record import Count, Counts, Each, Items, Moment, NamedTexts, Record, Texts, Whole


class Baseline(Record):
    """The variant the others are compared with."""

    key: str = "control"
    number_of_samples: Count = 0.0
    sum: float = 0.0
    sum_squares: float = 0.0


class VariantResult(Baseline):
    """One variant against the baseline."""

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
        """Lower and upper bound of the relative difference."""
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
    """A metric day by day. Values are cumulative up to that day."""

    experiment_id: Whole = 0
    metric_uuid: str = ""
    status: str = "pending"
    """pending, partial, completed or failed."""
    timeseries: dict[str, JSON] = {}
    errors: NamedTexts = {}
    computed_at: Moment | None = None
    recalculation_status: str | None = None

    @property
    def is_calculated_anew(self) -> bool:
        """Whether the server is about it."""
        return self.recalculation_status in ("pending", "in_progress")

    @property
    def days(self) -> tuple[tuple[date, MetricResult | None], ...]:
        """Every day in order, with None where nothing is calculated."""
        found = []
        for day, value in self.timeseries.items():
            try:
                when = date.fromisoformat(day[:10])
            except ValueError:
                continue
            found.append((when, MetricResult.of(value) if isinstance(value, dict) else None))
        return tuple(sorted(found, key=lambda item: item[0]))


class Recalculation(Record):
    """A calculation the server has begun."""

    id: str = ""
    experiment_id: Whole = 0
    metric_uuid: str = ""
    fingerprint: str = ""
    status: str = ""
    created_at: Moment | None = None


class MetricOutcome(Record):
    """What one calculation of all metrics found for one of them."""

    metric_uuid: str = ""
    fingerprint: str = ""
    """Of the metric as it was calculated; empty where the server does not tell."""
    status: str = ""
    result: dict[str, JSON] = {}
    error_message: str | None = None

    @property
    def measured(self) -> MetricResult | None:
        """The numbers; None where there are none, or none yet."""
        return MetricResult.of(self.result) if self.result else None


class MetricsRun(Record):
    """One calculation of all metrics, which the server keeps for everybody."""

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
    """Events until then were counted."""
    results: Each[MetricOutcome] = ()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in ("completed", "failed")

    @property
    def outcomes(self) -> dict[str, MetricOutcome]:
        """What is known so far, by the number of the metric."""
        return {one.metric_uuid: one for one in self.results if one.metric_uuid}


class ExperimentStats(Record):
    """How many experiments come and go in the project."""

    launched_last_30d: Whole = 0
    launched_previous_30d: Whole = 0
    percent_change: float | None = None
    active_experiments: Whole = 0
    completed_last_30d: Whole = 0


class Exposures(Record):
    """How many persons met each variant."""

    total_exposures: Counts = {}
    timeseries: Items = ()


BASELINE: Final = "control"
TOO_FEW: Final = "not_enough_exposure"


def read_old_result(answer: Mapping[str, JSON]) -> MetricResult | None:
    """The same as newer servers say it; None where it holds no variants.

    Their intervals are about each variant alone and not about the difference, so they are left out.
    """
    found = as_dict(answer.get("result")) or answer
    variants = [as_dict(one) for one in as_list(found.get("variants"))]
    keys = [key for one in variants if (key := as_text(one.get("key")))]
    if not keys:
        return None
    base = BASELINE if BASELINE in keys else keys[0]
    chances, is_sure = as_dict(found.get("probability")), found.get("significant") is True
    failures = ["not-enough-exposures"] if found.get("significance_code") == TOO_FEW else []
    best = max(keys, key=lambda key: as_number(chances.get(key)) or 0.0)
    samples = {as_text(one.get("key")): _sample(one) for one in variants}
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
    """Whether the goal is a share of people rather than a count."""
    found = as_dict(answer.get("result")) or answer
    return any("success_count" in as_dict(one) for one in as_list(found.get("variants")))


def _sample(variant: Mapping[str, JSON]) -> dict[str, JSON]:
    done, missed = as_number(variant.get("success_count")), as_number(variant.get("failure_count"))
    if done is not None:
        people = done + (missed or 0)
        return {"key": variant.get("key"), "number_of_samples": people, "sum": done, "sum_squares": done}
    people = as_number(variant.get("absolute_exposure")) or as_number(variant.get("exposure")) or 0
    count = as_number(variant.get("count")) or 0
    return {"key": variant.get("key"), "number_of_samples": people, "sum": count}
