"""What is known of one experiment beyond its row, and how its metrics are called and ordered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.changes.experiments.metric_nodes import GOAL, form_of, goals_of, nodes_of
from flagtui.changes.experiments.metric_words import metric_words, named_node
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import MetricResult
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.rows import OLD_QUERIES, ExperimentRow

Role = Literal["primary", "secondary"]
ONLY_THERE: Final = "only shown in the browser"
"""Of what an older engine measures."""


@dataclass(frozen=True)
class Metric:
    """One metric as the experiment carries it. Text is raw."""

    raw: Mapping[str, JSON]
    role: Role
    is_saved: bool = False
    saved_name: str = ""

    @property
    def uuid(self) -> str:
        return as_text(self.raw.get("uuid"))

    @property
    def fingerprint(self) -> str:
        return as_text(self.raw.get("fingerprint"))

    @property
    def kind(self) -> str:
        """mean, funnel, ratio, retention, or a word of an older engine."""
        form = form_of(self.raw)
        return as_text(form.get("metric_type")) or as_text(form.get("kind")) or "?"

    @property
    def goal(self) -> str:
        return as_text(self.raw.get("goal")) or "increase"

    @property
    def is_share(self) -> bool:
        """Whether its value is a part of people."""
        return self.kind in ("funnel", "retention", "binomial") or self.raw.get("threshold") is not None

    @property
    def is_old(self) -> bool:
        """Whether only an older engine measures it, which answers no questions of ours."""
        return as_text(self.raw.get("kind")) in (*OLD_QUERIES, GOAL)

    @property
    def name(self) -> str:
        """Its own, that of the shared metric, else what it counts: of a funnel, what it leads to."""
        counted = [*map(named_node, nodes_of(self.raw))]
        last = counted[-1 if self.kind == "funnel" else 0] if counted else metric_words(self.raw)
        return as_text(self.raw.get("name")) or self.saved_name or last


@dataclass(frozen=True)
class MetricReading:
    """What a metric says, or why it says nothing."""

    metric: Metric
    result: MetricResult | None = None
    as_of: str = ""
    """The day the numbers are from, where they are not of now."""
    trouble: str = ""
    is_awaited: bool = False


@dataclass(frozen=True)
class Findings:
    """Everything known so far; parts may still be on their way."""

    row: ExperimentRow
    experiment: Experiment | None = None
    readings: tuple[MetricReading, ...] = ()
    exposed: Mapping[str, float] = field(default_factory=dict)
    exposure_trouble: str = ""
    at: float | None = None
    """When the results were asked for, Unix seconds."""
    calculated_at: float | None = None
    """Until when events were counted in results that the server had calculated, Unix seconds."""
    needs_code: bool | None = None
    """For drafts: True when none of their events carried a flag lately."""
    trouble: str = ""

    @property
    def awaited(self) -> int:
        """How many metrics are still on their way."""
        return sum(reading.is_awaited for reading in self.readings)

    @property
    def leading(self) -> MetricReading | None:
        """The first primary metric with a result."""
        return next((one for one in self.readings if one.result and one.metric.role == "primary"), None)


def metrics_of(experiment: Experiment) -> tuple[Metric, ...]:
    """Primary metrics, then secondary ones, shared ones among them, in the order that was arranged."""
    return (*_in_role(experiment, "primary"), *_in_role(experiment, "secondary"))


def _in_role(experiment: Experiment, role: Role) -> Iterator[Metric]:
    own = experiment.metrics if role == "primary" else experiment.metrics_secondary
    order = (
        experiment.primary_metrics_ordered_uuids
        if role == "primary"
        else experiment.secondary_metrics_ordered_uuids
    )
    found = [Metric(as_dict(raw), role) for raw in own if isinstance(raw, dict)]
    if experiment.has_old_goal:
        found = [Metric(raw, role) for raw in goals_of(experiment, role)]
    found += [
        Metric(link.query, role, is_saved=True, saved_name=link.name)
        for link in experiment.saved_metrics
        if link.is_primary == (role == "primary") and link.query
    ]
    places = {as_text(uuid): place for place, uuid in enumerate(order)}
    yield from sorted(found, key=lambda metric: places.get(metric.uuid, len(places)))
