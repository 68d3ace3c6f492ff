"""What is known of one experiment beyond its row, and how its metrics are called and ordered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import MetricResult
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.rows import ExperimentRow

Role = Literal["primary", "secondary"]
_UNNAMED: Final = "metric without a name"


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
        """mean, funnel, ratio, retention, or a word of the old engine."""
        return as_text(self.raw.get("metric_type")) or as_text(self.raw.get("kind")) or "?"

    @property
    def goal(self) -> str:
        return as_text(self.raw.get("goal")) or "increase"

    @property
    def is_share(self) -> bool:
        """Whether its value is a part of people."""
        return self.kind in ("funnel", "retention")

    @property
    def name(self) -> str:
        return as_text(self.raw.get("name")) or self.saved_name or _event_of(self.raw) or _UNNAMED


@dataclass(frozen=True)
class Reading:
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
    readings: tuple[Reading, ...] = ()
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
    def leading(self) -> Reading | None:
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
    found += [
        Metric(link.query, role, is_saved=True, saved_name=link.name)
        for link in experiment.saved_metrics
        if link.is_primary == (role == "primary") and link.query
    ]
    places = {as_text(uuid): place for place, uuid in enumerate(order)}
    yield from sorted(found, key=lambda metric: places.get(metric.uuid, len(places)))


def _event_of(raw: Mapping[str, JSON]) -> str:
    series = as_list(raw.get("series"))
    places = (raw.get("source"), series[-1] if series else None, raw.get("numerator"), raw.get("start_event"))
    nodes = [as_dict(place) for place in places]
    return next(
        (name for node in nodes if (name := as_text(node.get("event")) or as_text(node.get("name")))), ""
    )
