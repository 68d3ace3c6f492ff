"""The details of one experiment, and the names and order of its metrics."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from flagtui.changes.experiments.metric_nodes import GOAL, form_of, goals_of, nodes_of
from flagtui.changes.experiments.metric_words import metric_words, named_node, whole_words
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import HealthFinding
from flagtui.models.experiment_results import MetricResult
from flagtui.models.json_value import JSON, as_text
from flagtui.models.rows import OLD_QUERIES, ExperimentRow

Role = Literal["primary", "secondary"]
ONLY_IN_BROWSER: Final = "only shown in the browser"
"""For metrics of an older engine."""


class Metric(msgspec.Struct, frozen=True):
    """One metric as stored in the experiment. Text is raw."""

    raw: Mapping[str, JSON]
    role: Role
    is_saved: bool = False
    saved_name: str = ""
    unit: str = "users"
    """The counted subjects: see `Experiment.unit`."""

    @property
    def measures(self) -> str:
        """Its measurement in words, on one line."""
        return whole_words(self.raw, self.unit)

    @property
    def uuid(self) -> str:
        return as_text(self.raw.get("uuid"))

    @property
    def fingerprint(self) -> str:
        return as_text(self.raw.get("fingerprint"))

    @property
    def kind(self) -> str:
        """`mean`, `funnel`, `ratio`, `retention`, or a type of an older engine."""
        form = form_of(self.raw)
        return as_text(form.get("metric_type")) or as_text(form.get("kind")) or "?"

    @property
    def goal(self) -> str:
        return as_text(self.raw.get("goal")) or "increase"

    @property
    def is_share(self) -> bool:
        """Whether its value is a share of users."""
        return self.kind in ("funnel", "retention", "binomial") or self.raw.get("threshold") is not None

    @property
    def is_old(self) -> bool:
        """Whether only an older engine measures it, which has no API for results."""
        return as_text(self.raw.get("kind")) in (*OLD_QUERIES, GOAL)

    @property
    def name(self) -> str:
        """Its own name, the shared metric's, else the event that it counts; the last step for a funnel."""
        events = [*map(named_node, nodes_of(self.raw))]
        last = events[-1 if self.kind == "funnel" else 0] if events else metric_words(self.raw, self.unit)
        return as_text(self.raw.get("name")) or self.saved_name or last


class MetricReading(msgspec.Struct, frozen=True):
    """The result of a metric, or the reason why it is missing."""

    metric: Metric
    result: MetricResult | None = None
    as_of: str = ""
    """The day of the result, if it is not current."""
    trouble: str = ""
    """Why there is no result, or none newer than `as_of`."""
    is_awaited: bool = False


class Findings(msgspec.Struct, frozen=True):
    """The details loaded so far; parts can be pending."""

    row: ExperimentRow
    experiment: Experiment | None = None
    readings: tuple[MetricReading, ...] = ()
    exposed: Mapping[str, float] = {}
    exposure_trouble: str = ""
    bias_percentage: float | None = None
    """Percentage of users who saw several variants, where the server reports a risk of bias."""
    health: tuple[HealthFinding, ...] = ()
    """Faults that the server found."""
    at: float | None = None
    """When the results were requested, Unix seconds."""
    calculated_at: float | None = None
    """The end of the period of results that the server calculated earlier, Unix seconds."""
    needs_code: bool | None = None
    """For drafts: True if none of their events had the flag recently."""
    trouble: str = ""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics in the order of their readings; read and ordered once, with the experiment."""
        return tuple(reading.metric for reading in self.readings)

    @property
    def awaited(self) -> int:
        """The number of pending metrics."""
        return sum(reading.is_awaited for reading in self.readings)

    @property
    def leading(self) -> MetricReading | None:
        """The first primary metric with a result."""
        return next((each for each in self.readings if each.result and each.metric.role == "primary"), None)


def metrics_of(experiment: Experiment) -> tuple[Metric, ...]:
    """Return primary, then secondary metrics, shared metrics included, in the configured order."""
    return (*_in_role(experiment, "primary"), *_in_role(experiment, "secondary"))


def _in_role(experiment: Experiment, role: Role) -> Iterator[Metric]:
    own = experiment.metrics if role == "primary" else experiment.metrics_secondary
    order = (
        experiment.primary_metrics_ordered_uuids
        if role == "primary"
        else experiment.secondary_metrics_ordered_uuids
    )
    unit = experiment.unit
    metrics = [Metric(raw, role, unit=unit) for raw in own if isinstance(raw, dict)]
    if experiment.has_old_goal:
        metrics = [Metric(raw, role, unit=unit) for raw in goals_of(experiment, role)]
    metrics += [
        Metric(link.query, role, is_saved=True, saved_name=link.name, unit=unit)
        for link in experiment.saved_metrics
        if link.is_primary == (role == "primary") and link.query
    ]
    places = {as_text(uuid): place for place, uuid in enumerate(order)}
    yield from sorted(metrics, key=lambda metric: places.get(metric.uuid, len(places)))
