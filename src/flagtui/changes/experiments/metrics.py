"""Build metrics from events, in their order, and list their problems.

New metrics have the keys that every server accepts; edits keep unknown keys.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from flagtui.changes.experiments.metric_nodes import Item, nodes_of
from flagtui.changes.experiments.metric_words import named_node
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text

Kind = Literal["mean", "funnel", "ratio", "retention"]
Counting = Literal["total", "dau", "unique_session", "sum", "avg", "min", "max"]

KINDS: Final[Mapping[Kind, str]] = {
    "mean": "a count, sum or average per user",
    "funnel": "how many users complete these steps",
    "ratio": "one quantity per another",
    "retention": "how many users return later",
}
COUNTING: Final[Mapping[Counting, str]] = {
    "total": "how often",
    "dau": "whether at all",
    "unique_session": "in how many sessions",
    "sum": "the sum of a property",
    "avg": "the average of a property",
    "min": "the minimum of a property",
    "max": "the maximum of a property",
}
OF_A_PROPERTY: Final = frozenset({"sum", "avg", "min", "max"})
"""Ways to count that need to know which property."""
UNITS: Final = ("second", "minute", "hour", "day", "week", "month")
LONGEST_NAME: Final = 400


def event_node(event: str, counting: Counting = "total", of: str = "") -> Item:
    """Return an event as a metric counts it."""
    node: Item = {"kind": "EventsNode", "event": event, "math": counting, "properties": []}
    return {**node, "math_property": of} if counting in OF_A_PROPERTY else node


def mean_of(source: Item) -> Item:
    """Return a metric of the mean per person."""
    return _metric("mean", source=source)


def funnel_of(events: Sequence[str]) -> Item:
    """Return the share of users who complete all steps; exposure comes before the first."""
    return _metric("funnel", series=[_step(event) for event in events])


def ratio_of(numerator: Item, denominator: Item) -> Item:
    """Return the ratio of two sums."""
    return _metric("ratio", numerator=numerator, denominator=denominator)


def retention_of(start: str, completion: str, span: tuple[int, int, str]) -> Item:
    """Return the share of users who did the first event and the second within the span: from, to, unit."""
    return _metric(
        "retention", **retention_nodes(start, completion), **return_span(*span), start_handling="first_seen"
    )


def _metric(kind: Kind, **parts: JSON) -> Item:
    return {"kind": "ExperimentMetric", "metric_type": kind, "goal": "increase", **parts}


def retention_nodes(start: str, completion: str) -> Item:
    """Return the first event and the return event."""
    return {"start_event": _step(start), "completion_event": _step(completion)}


def return_span(first: int, last: int, unit: str) -> Item:
    """Return the span in which people count as having returned."""
    ends = {"retention_window_start": first, "retention_window_end": last}
    return {**ends, "retention_window_unit": unit}


def _step(event: str) -> Item:
    return {"kind": "EventsNode", "event": event, "properties": []}


def keep_settings(chosen: Iterable[Item], old: Iterable[Item]) -> list[Item]:
    """Return the chosen steps; those for an event that was there keep its settings, in order."""
    left, kept = list(old), list[Item]()
    for node in chosen:
        place = next((place for place, each in enumerate(left) if each.get("event") == node["event"]), None)
        kept.append(node if place is None else left.pop(place))
    return kept


def problems_in_metric(metric: Mapping[str, JSON]) -> Iterator[str]:
    """Yield what a server would refuse of a metric of this engine."""
    name = as_text(metric.get("name"))
    if len(name) > LONGEST_NAME:
        yield f"the name of a metric is longer than {LONGEST_NAME} characters"
    if as_text(metric.get("kind")) != "ExperimentMetric":
        yield f"{name or 'a metric'} has a kind that is no longer measured"
        return
    nodes = list(nodes_of(metric))
    called = name or as_text(metric.get("metric_type")) or "a metric"
    if not nodes:
        yield f"{called} counts nothing: give it an event"
    for node in nodes:
        if not (_is_known(node) or as_text(node.get("event"))):
            yield f"{called} has a step without an event"
        elif as_text(node.get("math")) in OF_A_PROPERTY and not as_text(node.get("math_property")):
            yield f"{called} has to know which property of {named_node(node)}"
    if as_text(metric.get("metric_type")) == "retention":
        yield from _problems_in_return(metric, called)
    window = metric.get("conversion_window")
    if window is not None and (as_number(window) or 0) <= 0:
        yield f"{called} has a window that ends before it begins"


def _problems_in_return(metric: Mapping[str, JSON], called: str) -> Iterator[str]:
    first, last = (as_number(metric.get(f"retention_window_{end}")) for end in ("start", "end"))
    if first is None or last is None or as_text(metric.get("retention_window_unit")) not in UNITS:
        yield f"{called} needs a return window, such as 1 to 14 days"
    elif not 0 <= first <= last:
        yield f"{called} has users return before their first visit"
    if as_text(metric.get("start_handling")) not in ("first_seen", "last_seen"):
        yield f"{called} has to know whether it counts from the first or the last time"


def _is_known(node: Mapping[str, JSON]) -> bool:
    """Return whether a node without an event names another source: an action, a table, or every event."""
    kind = as_text(node.get("kind"))
    is_every_event = kind == "EventsNode" and "event" in node and node["event"] is None
    return is_every_event or kind not in ("", "EventsNode")


ORDERS: Final[Mapping[str, str]] = {
    "metrics": "primary_metrics_ordered_uuids",
    "metrics_secondary": "secondary_metrics_ordered_uuids",
}


def as_shown(fresh: Experiment, name: str) -> list[dict[str, JSON]]:
    """Return the metrics of a field in the order in which people see them."""
    places = {as_text(uuid): place for place, uuid in enumerate(as_list(fresh.raw.get(ORDERS[name])))}
    listed = [metric for metric in as_list(fresh.raw.get(name)) if isinstance(metric, dict)]
    return sorted(listed, key=lambda metric: places.get(as_text(metric.get("uuid")), len(places)))


def with_order(fresh: Experiment, fields: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return the fields as sent: metrics that change places keep their order.

    Servers keep the old order otherwise. They arrange added and removed metrics themselves.
    """
    sent = dict(fields)
    for name, order in ORDERS.items():
        kept = [as_text(uuid) for uuid in as_list(fresh.raw.get(order))]
        if name not in fields or not kept:
            continue
        uuids = [as_text(as_dict(metric).get("uuid")) for metric in as_list(fields[name])]
        before = [as_text(metric.get("uuid")) for metric in as_shown(fresh, name)]
        added = (uuid for uuid in uuids if uuid not in before)
        by_itself = [*(uuid for uuid in before if uuid in uuids), *added]
        if all(uuids) and uuids != by_itself:
            sent[order] = _rearrange(kept, uuids, before)
    return sent


def _rearrange(kept: Sequence[str], chosen: Sequence[str], before: Iterable[str]) -> list[JSON]:
    """Return the old order with our metrics in the places that were ours; shared ones stay where they are."""
    own, coming = set(before), list(chosen)
    result: list[JSON] = []
    for uuid in kept:
        if uuid not in own:
            result.append(uuid)
        elif coming:
            result.append(coming.pop(0))
    return [*result, *coming]
