"""What experiments are measured by, as the service stores it."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from flagtui.service.sample_data.data import named_uuid, told

Metric = dict[str, Any]


def event(name: str, math: str = "total", of: str | None = None) -> Metric:
    node: Metric = {"kind": "EventsNode", "event": name, "name": name, "math": math}
    return node if of is None else {**node, "math_property": of}


def node(told_as: str | list[str]) -> Metric:
    """An event by its name, or with how it is counted."""
    return event(told_as) if isinstance(told_as, str) else event(*told_as)


def funnel(one: Mapping[str, Any]) -> Metric:
    window = {"conversion_window": 14, "conversion_window_unit": "day"}
    return {"series": [event(step) for step in one["steps"]], **window}


def mean(one: Mapping[str, Any]) -> Metric:
    bound = {name: one[name] for name in ("upper_bound_percentile",) if name in one}
    return {"source": node(one["source"]), **bound}


def ratio(one: Mapping[str, Any]) -> Metric:
    return {name: node(one[name]) for name in ("numerator", "denominator")}


def retention(one: Mapping[str, Any]) -> Metric:
    return {
        **{name: node(one[name]) for name in ("start_event", "completion_event")},
        "retention_window_start": 1,
        "retention_window_end": 14,
        "retention_window_unit": "day",
        "start_handling": "first_seen",
    }


_TYPES: Final[Mapping[str, Callable[[Mapping[str, Any]], Metric]]] = {
    "funnel": funnel,
    "mean": mean,
    "ratio": ratio,
    "retention": retention,
}
SAVED: Final = ((1, "Revenue per person", "revenue"), (2, "Queries per person", "queries"))
"""Shared metrics: id, name, and what they measure."""


@cache
def catalogue() -> dict[str, Metric]:
    """Metrics by the name that plans give them."""
    return {name: _described(one) for name, one in told("experiments")["metrics"].items()}


def _described(one: Mapping[str, Any]) -> Metric:
    kind = one["type"]
    head = {"metric_type": kind, "name": one["name"], "goal": one.get("goal", "increase")}
    return {**head, **_TYPES[kind](one)}


def metric(name: str, experiment: int) -> Metric:
    """A metric of one experiment, with a UUID of its own."""
    identity = named_uuid(f"metric {experiment} {name}")
    return {"kind": "ExperimentMetric", "uuid": identity, **catalogue()[name]}
