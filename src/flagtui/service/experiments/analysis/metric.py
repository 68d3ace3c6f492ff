"""A metric as it is computed: its sources, its window, its outliers; and the fingerprint of all that."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec

MetricType = Literal["mean", "funnel", "ratio", "retention"]
Aggregation = Literal["total", "sum", "min", "max", "avg", "unique_session", "dau", "unique_group"]
FunnelOrder = Literal["ordered", "strict", "unordered"]
AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)
SECONDS: Mapping[str, int] = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
}
"""A month is thirty days."""
OLD_KINDS = ("ExperimentTrendsQuery", "ExperimentFunnelsQuery")
"""Metrics of the previous engine, which are read-only."""
NODES: Mapping[MetricType, tuple[str, ...]] = {
    "mean": ("source",),
    "funnel": (),
    "ratio": ("numerator", "denominator"),
    "retention": ("start_event", "completion_event"),
}
"""The fields that name one event or action; a funnel names several in its `series`."""
NODE_KEYS = tuple(name for names in NODES.values() for name in names)


class NotComputable(Exception):
    """The metric needs something that stored events do not have; the text names it."""


class Source(msgspec.Struct, frozen=True):
    """The events that count, and the worth of each."""

    node: Mapping[str, Any]
    """As stored: event or action, and property filters."""
    aggregation: Aggregation = "total"
    property: str | None = None

    @classmethod
    def of(cls, node: Mapping[str, Any]) -> "Source":
        """Raise NotComputable for warehouse tables and expressions."""
        if node.get("kind") not in ("EventsNode", "ActionsNode"):
            raise NotComputable(f"{node.get('kind')} sources are not stored here")
        requested = node.get("math") or "total"
        math = next((aggregation for aggregation in AGGREGATIONS if aggregation == requested), None)
        if math is None:
            raise NotComputable(f"The math '{requested}' is not computed here")
        if math == "unique_session":
            return cls(node, math, "$session_id")
        if math == "unique_group":
            return cls(node, math, f"$group_{node.get('math_group_type_index')}")
        return cls(node, math, node.get("math_property"))


class Outliers(msgspec.Struct, frozen=True):
    """Percentiles (0..1) beyond which values are drawn to the bound."""

    lower: float | None = None
    upper: float | None = None
    ignore_zeros: bool = False

    @classmethod
    def of(cls, raw: Mapping[str, Any] | None) -> "Outliers":
        """Read the keys of a mean metric, or of the outlier handling of a ratio."""
        raw = raw or {}
        lower, upper = raw.get("lower_bound_percentile"), raw.get("upper_bound_percentile")
        return cls(lower, upper, bool(raw.get("ignore_zeros")))


class Retention(msgspec.Struct, frozen=True):
    """Seconds after the start between which a return counts, and the unit to which times are rounded down."""

    start: int
    end: int
    rounding: int
    first_start: bool


class Metric(msgspec.Struct, frozen=True):
    """One metric, read from its stored JSON."""

    kind: MetricType
    sources: tuple[Source, ...]
    """mean: one · ratio: numerator, denominator · funnel: steps · retention: start, completion."""
    window: int = 0
    """Seconds after an exposure in which events count; 0 for no limit."""
    threshold: float | None = None
    """The threshold of a mean: people who reach it count as 1, all others as 0."""
    outliers: tuple[Outliers, Outliers] = (Outliers(), Outliers())
    order: FunnelOrder = "ordered"
    retention: Retention | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Metric":
        """Raise NotComputable for kinds and sources without stored events."""
        kind = next((kind_name for kind_name in NODES if kind_name == raw.get("metric_type")), None)
        if kind is None:
            raise NotComputable("Metrics of the legacy engine are not computed here")
        named = raw.get("series") or () if kind == "funnel" else (raw.get(name) or {} for name in NODES[kind])
        ratio = (raw.get("numerator_outlier_handling"), raw.get("denominator_outlier_handling"))
        top, bottom = {"mean": (raw, None), "ratio": ratio}.get(kind, (None, None))
        return cls(
            kind,
            tuple(Source.of(node) for node in named),
            window_seconds(raw.get("conversion_window"), raw.get("conversion_window_unit")),
            raw.get("threshold") if kind == "mean" else None,
            (Outliers.of(top), Outliers.of(bottom)),
            raw.get("funnel_order_type") or "ordered",
            _retention(raw) if kind == "retention" else None,
        )


def window_seconds(amount: Any, unit: Any) -> int:
    """Return the seconds of a window such as 14 and `day`; 0 when either is missing."""
    if not amount or unit not in SECONDS:
        return 0
    return int(amount) * SECONDS[unit]


def _retention(raw: Mapping[str, Any]) -> Retention:
    unit = raw.get("retention_window_unit") or "day"
    length = SECONDS.get(unit, SECONDS["day"])
    return Retention(
        start=int(raw.get("retention_window_start") or 0) * length,
        end=int(raw.get("retention_window_end") or 0) * length,
        rounding=length if unit in ("day", "hour") else 0,
        first_start=raw.get("start_handling") != "last_seen",
    )


def nodes(raw: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return every event or action a metric of the current engine names."""
    candidates = [*(raw.get("series") or ()), *(raw.get(key) for key in NODE_KEYS)]
    return [node for node in candidates if isinstance(node, dict)]


_IGNORED = frozenset({"uuid", "name", "kind", "fingerprint", "only_count_matured_users"})


def fingerprint(metric: Mapping[str, Any], start: str | None, experiment: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the compact sorted JSON of all that changes the numbers, as 64 hex digits.

    `start` is an ISO text in UTC with `+00:00`, `experiment` its columns; of these empty ones are skipped.
    """
    kept = {key: value for key, value in metric.items() if key not in _IGNORED}
    if not kept.get("breakdownFilter", True):
        del kept["breakdownFilter"]
    parts: dict[str, Any] = {
        "metric": kept,
        "start_date": start,
        "stats_method": (experiment.get("stats_config") or {}).get("method", "bayesian"),
    }
    if criteria := experiment.get("exposure_criteria"):
        parts["exposure_criteria"] = criteria
    if experiment.get("only_count_matured_users"):
        parts["only_count_matured_users"] = True
    if excluded := sorted(experiment.get("excluded_variants") or ()):
        parts["excluded_variants"] = excluded
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
