"""The events, actions and tables that a metric counts, for either engine, in one form."""

from collections.abc import Iterator, Mapping
from typing import Final

from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text

Item = dict[str, JSON]
GOAL: Final = "goal"
"""The kind of measurements that the first servers store in filters instead of metrics."""
_SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "mean": ("source",),
    "ratio": ("numerator", "denominator"),
    "retention": ("start_event", "completion_event"),
    "count": ("metric_config",),
    "continuous": ("metric_config",),
    "binomial": ("metric_config",),
}
"""By type; the last three are those of the first months of this engine. Others count a series."""
_PLACES: Final = tuple(dict.fromkeys(place for places in _SOURCES.values() for place in places))


def form_of(metric: Mapping[str, JSON]) -> Item:
    """Return the metric in the keys of this engine. A count of the older engine has the type `trends`."""
    match as_text(metric.get("kind")):
        case "ExperimentTrendsQuery":
            query = as_dict(metric.get("count_query"))
            exposure = as_list(as_dict(metric.get("exposure_query")).get("series"))
            return {
                **metric,
                "metric_type": "trends",
                "series": as_list(query.get("series")),
                "exposure": as_dict(exposure[0]) if exposure else {},
                "filterTestAccounts": query.get("filterTestAccounts"),
            }
        case "ExperimentFunnelsQuery":
            query = as_dict(metric.get("funnels_query"))
            settings = as_dict(query.get("funnelsFilter"))
            return {
                **metric,
                "metric_type": "funnel",
                "series": as_list(query.get("series")),
                "funnel_order_type": settings.get("funnelOrderType"),
                "conversion_window": settings.get("funnelWindowInterval"),
                "conversion_window_unit": settings.get("funnelWindowIntervalUnit"),
                "filterTestAccounts": query.get("filterTestAccounts"),
            }
    return dict(metric)


def nodes_of(metric: Mapping[str, JSON]) -> Iterator[Item]:
    """Yield everything the metric counts, in reading order."""
    form = form_of(metric)
    places = _SOURCES.get(as_text(form.get("metric_type")))
    if places is None:
        # Of an unknown type: every node in a known position.
        others = [form[place] for place in _PLACES if place in form]
        yield from (as_dict(node) for node in (*as_list(form.get("series")), *others))
    else:
        yield from (as_dict(form.get(place)) for place in places)


def events_of(metric: Mapping[str, JSON]) -> tuple[str, ...]:
    """Return the names of its events."""
    return tuple(name for node in nodes_of(metric) if (name := as_text(node.get("event"))))


def all_metrics(experiment: Experiment) -> Iterator[Item]:
    """Yield every metric of an experiment as stored, shared ones too; a goal of the first servers as one."""
    for own in (*experiment.metrics, *experiment.metrics_secondary):
        yield as_dict(own)
    yield from (link.query for link in experiment.saved_metrics)
    if experiment.has_old_goal:
        yield from (*goals_of(experiment, "primary"), *goals_of(experiment, "secondary"))


def exposing(experiment: Experiment) -> Iterator[Item]:
    """Yield the events that expose users, if that is not a call of the flag."""
    for part in ("exposure_config", "activation_config"):
        if node := as_dict(experiment.exposure_criteria.get(part)):
            yield node
    for metric in all_metrics(experiment):
        if exposure := as_dict(form_of(metric).get("exposure")):
            yield exposure


def events_measured(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of all events an experiment looks at, each once."""
    names = [name for metric in all_metrics(experiment) for name in events_of(metric)]
    names += [as_text(node.get("event")) for node in exposing(experiment)]
    return tuple(dict.fromkeys(filter(None, names)))


def goals_of(experiment: Experiment, role: str) -> tuple[Item, ...]:
    """Return the measurements of the first servers, without metrics: a goal in `filters`, and others."""
    if role == "primary":
        goal = _goal("", experiment.filters)
        return (goal,) if goal["series"] else ()
    others = [as_dict(metric) for metric in experiment.secondary_metrics]
    return tuple(_goal(as_text(other.get("name")), as_dict(other.get("filters"))) for other in others)


def _goal(name: str, filters: Mapping[str, JSON]) -> Item:
    insight = as_text(filters.get("insight")).upper()
    nodes = [_old_node(as_dict(event), "EventsNode") for event in as_list(filters.get("events"))]
    nodes += [_old_node(as_dict(action), "ActionsNode") for action in as_list(filters.get("actions"))]
    nodes.sort(key=lambda node: as_number(node.get("order")) or 0.0)
    return {
        "kind": GOAL,
        "name": name,
        "metric_type": {"FUNNELS": "funnel", "TRENDS": "trends"}.get(insight, GOAL),
        "series": nodes,
        "funnel_order_type": filters.get("funnel_order_type"),
        "conversion_window": filters.get("funnel_window_interval"),
        "conversion_window_unit": filters.get("funnel_window_interval_unit"),
    }


def _old_node(entity: Item, kind: str) -> Item:
    """Return the node of an event of old filters, which has its name as its id."""
    node: Item = {**entity, "kind": kind}
    return {**node, "event": entity.get("id")} if kind == "EventsNode" else node
