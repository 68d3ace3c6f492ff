"""What experiments are measured by, as the service stores it."""

from typing import Any, Final

from flagtui.service.sample_data.insert_rows import named_uuid

Metric = dict[str, Any]


def event(name: str, math: str = "total", of: str | None = None) -> Metric:
    node: Metric = {"kind": "EventsNode", "event": name, "name": name, "math": math}
    return node if of is None else {**node, "math_property": of}


def funnel(name: str, *steps: str) -> Metric:
    return {
        "metric_type": "funnel",
        "name": name,
        "goal": "increase",
        "series": [event(step) for step in steps],
        "conversion_window": 14,
        "conversion_window_unit": "day",
    }


def mean(name: str, source: Metric, goal: str = "increase", **more: Any) -> Metric:
    return {"metric_type": "mean", "name": name, "goal": goal, "source": source, **more}


def ratio(name: str, top: Metric, bottom: Metric, goal: str = "increase") -> Metric:
    return {"metric_type": "ratio", "name": name, "goal": goal, "numerator": top, "denominator": bottom}


def retention(name: str, start: Metric, done: Metric) -> Metric:
    return {
        "metric_type": "retention",
        "name": name,
        "goal": "increase",
        "start_event": start,
        "completion_event": done,
        "retention_window_start": 1,
        "retention_window_end": 14,
        "retention_window_unit": "day",
        "start_handling": "first_seen",
    }


CATALOGUE: Final[dict[str, Metric]] = {
    "paid": funnel("Paid conversion", "checkout started", "invoice paid"),
    "checkout": funnel("Paid conversion", "checkout_completed"),
    "signup": funnel("Signups", "signup completed"),
    "upgrade": funnel("Upgrades", "plan upgraded"),
    "activation": funnel("First chart", "chart created"),
    "exports": funnel("Exports", "export.started"),
    "queries": mean("Queries per person", event("query run")),
    "latency": mean("Waiting for results", event("query run", "avg", "duration_ms"), "decrease"),
    "revenue": mean(
        "Revenue per person", event("invoice paid", "sum", "amount"), upper_bound_percentile=0.99
    ),
    "unsubscribes": mean("Unsubscribed", event("digest unsubscribed"), "decrease"),
    "checkout time": mean("Checkout time", event("checkout closed", "avg", "seconds"), "decrease"),
    "refund ratio": ratio("Refunds", event("refund issued"), event("checkout_completed"), "decrease"),
    "failed exports": ratio("Failed exports", event("export failed"), event("export.started"), "decrease"),
    "return": retention("Comes back", event("chart created"), event("query run")),
    "viewed": mean("Times seen", event("exp_viewed")),
}

SAVED: Final = ((1, "Revenue per person", "revenue"), (2, "Queries per person", "queries"))
"""Shared metrics: id, name, and what they measure."""


def metric(name: str, experiment: int) -> Metric:
    """A metric of one experiment, with a UUID of its own."""
    return {
        "kind": "ExperimentMetric",
        "uuid": named_uuid(f"metric {experiment} {name}"),
        **CATALOGUE[name],
    }
