"""Experiments made at random from a seed: metrics of every kind and age, filters, exposures, statistics."""

from random import Random
from typing import Any

JSON = Any
EVENTS = ["signup", "paid order", "$pageview", "order.closed", "X"]
NAMES = ["plan", "price", "$browser", "utm source"]
VALUES: list[JSON] = ["pro", "Pro team", 3, "3", ["pro"], ["pro", "free", "a, b"], "true", ["true", "false"]]
VALUES += [[f"v{place}" for place in range(300)], "z" * 200, ""]
OPERATORS = ["exact", "is_not", "icontains", "not_icontains", "gt", "lt", "regex", "is_set", "is_not_set"]
OWNERS = ["event", "person", "group", "session", "element", "feature", None]
STATES = ["draft", "running", "paused", "stopped"]
UNITS = ["second", "minute", "hour", "day", "week", "month"]


def asked(random: Random) -> dict[str, JSON]:
    """One filter of an event."""
    draw = random.random()
    if draw < 0.08:
        return {"type": "hogql", "key": "properties.price > 5", "value": None}
    if draw < 0.16:
        return {"type": "cohort", "key": "id", "value": random.choice([3, 4]), "operator": "in"}
    found = {"key": random.choice(NAMES), "operator": random.choice(OPERATORS), "type": random.choice(OWNERS)}
    if found["operator"] == "exact" and random.random() < 0.1:
        return {**found, "value": []}
    return {**found, "value": random.choice(VALUES)}


def properties(random: Random, depth: int = 2) -> JSON:
    """The filters of an event: a list, or groups within groups."""
    several = [asked(random) for _ in range(random.choice([0, 0, 1, 2, 3]))]
    if depth == 0 or random.random() < 0.7:
        return several
    inner = [properties(random, depth - 1) for _ in range(random.choice([1, 2]))]
    kind = random.choice(["AND", "OR"])
    groups = [one if isinstance(one, dict) else {"type": "AND", "values": one} for one in inner]
    return {"type": kind, "values": [*groups, *several]}


def node(random: Random) -> dict[str, JSON]:
    """An event, an action or a table, and how it is counted."""
    made: dict[str, JSON] = random.choice(
        [
            {"kind": "EventsNode", "event": random.choice(EVENTS)},
            {"kind": "EventsNode", "event": random.choice(EVENTS), "name": "another name"},
            {"kind": "EventsNode", "event": None},
            {"kind": "EventsNode"},
            {"kind": "ActionsNode", "id": 5, "name": "Signed up"},
            {"kind": "ActionsNode", "id": 5},
            {"kind": "ExperimentDataWarehouseNode", "table_name": "orders"},
        ]
    )
    counting = random.choice([None, "total", "dau", "unique_session", "unique_group", "hogql", "sum", "avg"])
    if counting is not None:
        made["math"] = counting
    if counting in ("sum", "avg"):
        made["math_property"] = random.choice(["price", "$session_duration"])
    if counting == "hogql":
        made["math_hogql"] = random.choice(["sum(toFloat(properties.x))", "max(1)"])
    if counting == "unique_group":
        made["math_group_type_index"] = random.choice([0, 1])
    if random.random() < 0.5:
        made["properties"] = properties(random)
    return made


def bounds(random: Random) -> dict[str, JSON]:
    """Where outliers are drawn in."""
    made: dict[str, JSON] = {}
    if random.random() < 0.3:
        made["lower_bound_percentile"] = random.choice([0.01, 0.05])
    if random.random() < 0.3:
        made["upper_bound_percentile"] = random.choice([0.9, 0.99, 0.995])
    if random.random() < 0.3:
        made["ignore_zeros"] = random.choice([True, False])
    return made


def metric(random: Random) -> dict[str, JSON]:
    """A metric of one of the engines there have been."""
    old = {"trends": _trends, "funnels": _funnels, "first": _of_the_first_months}
    kind = random.choice(["mean", "mean", "funnel", "funnel", "ratio", "retention", *old])
    if kind in old:
        return old[kind](random)
    made: dict[str, JSON] = {"kind": "ExperimentMetric", "metric_type": kind, "uuid": "m"}
    if random.random() < 0.5:
        made["conversion_window"] = random.choice([0, 1, 14])
        made["conversion_window_unit"] = random.choice(UNITS)
    if random.random() < 0.5:
        made["goal"] = random.choice(["increase", "decrease"])
    match kind:
        case "mean":
            made |= {"source": node(random), **bounds(random)}
            if random.random() < 0.2:
                made["threshold"] = random.choice([1, 2.5, 100])
        case "funnel":
            made["series"] = [node(random) for _ in range(random.choice([1, 2, 3]))]
            made["funnel_order_type"] = random.choice([None, "ordered", "unordered", "strict"])
        case "ratio":
            made |= {"numerator": node(random), "denominator": node(random)}
            for side in ("numerator", "denominator"):
                if random.random() < 0.3:
                    made[f"{side}_outlier_handling"] = bounds(random)
        case "retention":
            made |= {"start_event": node(random), "completion_event": node(random)}
            made |= {"retention_window_start": 1, "retention_window_end": random.choice([7, 14])}
            made["retention_window_unit"] = random.choice(["day", "week", "hour"])
            made["start_handling"] = random.choice(["first_seen", "last_seen", None])
    if random.random() < 0.1:
        made["breakdownFilter"] = {"breakdowns": [{"property": "$os"}, {"property": "$browser"}]}
    return made


def _trends(random: Random) -> dict[str, JSON]:
    made: dict[str, JSON] = {"kind": "ExperimentTrendsQuery", "count_query": {"series": [node(random)]}}
    if random.random() < 0.5:
        made["exposure_query"] = {"series": [node(random)]}
    if random.random() < 0.5:
        made["count_query"]["filterTestAccounts"] = random.choice([True, False])
    return made


def _funnels(random: Random) -> dict[str, JSON]:
    settings = {
        "funnelOrderType": random.choice([None, "ordered", "unordered", "strict"]),
        "funnelWindowInterval": random.choice([None, 1, 14]),
        "funnelWindowIntervalUnit": random.choice(UNITS),
    }
    query = {"series": [node(random) for _ in range(2)], "funnelsFilter": settings}
    return {"kind": "ExperimentFunnelsQuery", "funnels_query": query}


def _of_the_first_months(random: Random) -> dict[str, JSON]:
    kind = random.choice(["count", "continuous", "binomial"])
    return {"kind": "ExperimentMetric", "metric_type": kind, "metric_config": node(random)}


def statistics(random: Random) -> dict[str, JSON]:
    """How numbers are judged."""
    made: dict[str, JSON] = {"method": random.choice(["bayesian", "frequentist"])}
    if random.random() < 0.4:
        made["bayesian"] = {"ci_level": random.choice([0.9, 0.99])}
    if random.random() < 0.4:
        made["frequentist"] = {"alpha": random.choice([0.1, 0.01])}
    if random.random() < 0.3:
        made["baseline_variant_key"] = random.choice(["control", "test"])
    if random.random() < 0.3:
        made["cuped"] = {"enabled": random.choice([True, False]), "lookback_days": random.choice([7, None])}
    if random.random() < 0.3:
        made["sequential"] = random.choice([True, False])
    return made


def exposure(random: Random) -> dict[str, JSON]:
    """Which users count as exposed."""
    made: dict[str, JSON] = {}
    for part in ("exposure_config", "activation_config"):
        if random.random() < 0.3:
            made[part] = {key: value for key, value in node(random).items() if not key.startswith("math")}
    if random.random() < 0.5:
        made["filterTestAccounts"] = random.choice([True, False])
    if random.random() < 0.5:
        made["multiple_variant_handling"] = random.choice(["exclude", "first_seen"])
    return made


def experiment(random: Random, number: int) -> dict[str, JSON]:
    """A whole one, in any state."""
    state = random.choice(STATES)
    keys = ["control", "test"]
    variants = [{"key": key, "rollout_percentage": 50} for key in keys]
    flag = {
        "id": number,
        "key": f"flag-{number}",
        "active": state in ("running", "stopped"),
        "filters": {"groups": [{"properties": []}], "multivariate": {"variants": variants}},
    }
    shared = [{"id": 1, "name": "Shared", "query": metric(random), "metadata": {"type": "primary"}}]
    return {
        "id": number,
        "name": f"Experiment {number}",
        "feature_flag_key": f"flag-{number}",
        "feature_flag": flag,
        "start_date": None if state == "draft" else "2026-02-18T09:00:00Z",
        "end_date": "2026-03-01T09:00:00Z" if state == "stopped" else None,
        "metrics": [metric(random) for _ in range(random.choice([0, 1, 2]))],
        "metrics_secondary": [metric(random) for _ in range(random.choice([0, 1]))],
        "saved_metrics": shared if random.random() < 0.3 else [],
        "exposure_criteria": exposure(random),
        "stats_config": statistics(random),
        "holdout": {"id": 3, "name": "Company", "filters": [{"rollout_percentage": 10}]}
        if random.random() < 0.2
        else None,
        "exposure_cohort": 7 if random.random() < 0.2 else None,
        "only_count_matured_users": random.random() < 0.2,
    }
