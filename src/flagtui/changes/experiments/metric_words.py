"""Describe a metric in words that omit nothing. Raw."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from flagtui.changes.experiments.metric_nodes import GOAL, Item, form_of, nodes_of
from flagtui.changes.flags.flag_words import property_in_short
from flagtui.evaluate.operator_words import compact, cut
from flagtui.models.filters import Property
from flagtui.models.flag_details import Names
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text

UNNAMED: Final = "an event without a name"
_OF_A_PROPERTY: Final = frozenset(("sum", "avg", "min", "max"))
_OWNERS: Final[Mapping[str, str]] = {
    "event": "",
    "": "",
    "feature": "",
    "cohort": "",
    "person": "the person's ",
    "group": "the group's ",
    "session": "the session's ",
    "element": "the element's ",
}
_ROOM: Final = 80
"""Characters of an expression."""


def metric_name(metric: Mapping[str, JSON]) -> str:
    """Return the metric's name, else the event that it counts. Raw."""
    return as_text(metric.get("name")) or metric_words(metric)


def metric_words(metric: Mapping[str, JSON], unit: str = "users") -> str:
    """Describe the metric's measurement; `unit` names the counted subjects (`Experiment.unit`). Raw."""
    form = form_of(metric)
    kind = as_text(form.get("metric_type")) or as_text(form.get("kind")) or "?"
    nodes = [*nodes_of(form)]
    return _PHRASES[kind](form, nodes, unit) if kind in _PHRASES else kind


def whole_words(metric: Mapping[str, JSON], unit: str = "users") -> str:
    """Describe the measurement with all its settings, on one line. Raw."""
    return ", ".join((metric_words(metric, unit), *further_words(metric)))


def named_words(metric: Mapping[str, JSON]) -> str:
    """Return `Paid (funnel view → purchase)`; the measurement alone where the name adds nothing. Raw."""
    name, words = as_text(metric.get("name")), whole_words(metric)
    return words if name in ("", metric_words(metric)) else f"{name} ({words})"


def further_words(metric: Mapping[str, JSON]) -> tuple[str, ...]:
    """Return phrases for all other settings of a metric: windows, bounds, test accounts. Raw."""
    return tuple(_further(form_of(metric)))


def window_words(metric: Mapping[str, JSON]) -> str:
    """Describe how long after exposure something still counts; empty for no limit."""
    form = form_of(metric)
    count, unit = as_number(form.get("conversion_window")), as_text(form.get("conversion_window_unit"))
    if not count or not unit:
        return ""
    return f"within {count:g} {unit}{'' if count == 1 else 's'}"


def return_words(metric: Mapping[str, JSON]) -> str:
    """Return the retention window, `1 to 14 days`; empty when the metric has none."""
    first, last = (as_number(metric.get(f"retention_window_{end}")) for end in ("start", "end"))
    if first is None or last is None:
        return ""
    return f"{first:g} to {last:g} {as_text(metric.get('retention_window_unit')) or 'day'}s"


def named_node(node: Mapping[str, JSON]) -> str:
    """Return an event, action or table with its property filters: `order (price > 5)`."""
    filters = _filter_words(node.get("properties"))
    return f"{_name(node)}{f' ({filters})' if filters else ''}"


def describe_node(node: Mapping[str, JSON]) -> str:
    """Return the same with how it is counted: `sum of price of order`."""
    name, counting = named_node(node), as_text(node.get("math")) or "total"
    match counting:
        case "total":
            return name
        case "dau":
            return f"users with {name}"
        case "unique_session":
            return f"sessions with {name}"
        case "unique_group":
            return f"groups of type {compact(node.get('math_group_type_index'))} with {name}"
        case "hogql":
            return f"{cut(as_text(node.get('math_hogql')), _ROOM) or 'no expression'} of {name}"
    of = as_text(node.get("math_property")) or ("?" if counting in _OF_A_PROPERTY else "")
    return f"{counting} of {of} of {name}" if of else f"{counting} of {name}"


def _name(node: Mapping[str, JSON]) -> str:
    kind, name = as_text(node.get("kind")), as_text(node.get("event")) or as_text(node.get("name"))
    if kind.startswith(("ActionsNode", "ExperimentAction")):
        return f"action {as_text(node.get('name')) or as_text(node.get('id')) or '?'}"
    if table := as_text(node.get("table_name")):
        return f"table {table}"
    if name:
        return name
    return "any event" if kind == "EventsNode" and "event" in node else UNNAMED


def _mean(form: Item, nodes: list[Item], unit: str) -> str:
    least, counted = as_number(form.get("threshold")), describe_node(nodes[0])
    if nodes[0].get("math") == "dau":
        return f"share of {unit} with {named_node(nodes[0])}"
    return f"mean of {counted}" if least is None else f"share of {unit} with at least {least:g} of {counted}"


def _funnel(form: Item, nodes: list[Item], _unit: str) -> str:
    order, steps = as_text(form.get("funnel_order_type")), [*map(named_node, nodes)]
    if not steps:
        return "funnel without steps"
    if order == "unordered":
        return f"funnel {', '.join(steps)} in any order" if len(steps) > 1 else f"funnel {steps[0]}"
    strict = ", with nothing between" if order == "strict" else ""
    return f"funnel {' → '.join(steps)}{strict}"


def _filter_words(properties: JSON) -> str:
    """Return filters as `plan is pro and price > 5`; a group joins its own with its operator."""
    if isinstance(properties, dict):
        joint = " or " if as_text(properties.get("type")).upper() == "OR" else " and "
        parts = [_filter_words([value]) for value in as_list(properties.get("values"))]
        return joint.join(f"({part})" if " or " in part else part for part in parts if part)
    return " and ".join(filter(None, map(_filter, as_list(properties))))


def _filter(raw: JSON) -> str:
    item = as_dict(raw)
    if "values" in item:
        return _filter_words(item)
    kind = as_text(item.get("type"))
    if kind == "hogql":
        return cut(as_text(item.get("key")), _ROOM)
    owner = _OWNERS.get(kind, f"{kind} ")
    if item.get("value") == []:
        return f"{owner}{as_text(item.get('key'))}: no value is listed"
    # Events are compared as text, whatever the project's flags do with true and false.
    typed = Property.of({**item, "type": kind or "event"})
    words = property_in_short(typed, Names(matching_version=2), is_of_flag=False)
    return f"{owner}{words}"


def _further(form: Item) -> Iterator[str]:
    kind = as_text(form.get("metric_type"))
    if window := window_words(form):
        yield window
    if kind == "retention":
        start = "last" if form.get("start_handling") == "last_seen" else "first"
        yield f"back {return_words(form) or 'at an unspecified time'} after the {start} time"
    if bounds := _bounds(form):
        yield bounds
    for side in ("numerator", "denominator"):
        if bounds := _bounds(as_dict(form.get(f"{side}_outlier_handling"))):
            yield f"{side}: {bounds}"
    if exposure := as_dict(form.get("exposure")):
        yield f"exposed by {named_node(exposure)}"
    if "filterTestAccounts" in form:
        yield f"with{'out' if form['filterTestAccounts'] else ''} test accounts"
    if split := _split(as_dict(form.get("breakdownFilter"))):
        yield f"broken down by {split}"
    if form.get("goal") == "decrease":
        yield "lower wins"


def _bounds(handling: Mapping[str, JSON]) -> str:
    """Return `values clamped to at least the 5 % and at most the 99 % quantile, zeros excluded`."""
    low, high = (as_number(handling.get(f"{end}_bound_percentile")) for end in ("lower", "upper"))
    ends = [
        *([f"at least the {low * 100:g} %"] if low is not None else []),
        *([f"at most the {high * 100:g} %"] if high is not None else []),
    ]
    if not ends:
        return ""
    zeros = ", zeros excluded" if high is not None and handling.get("ignore_zeros") is True else ""
    return f"values clamped to {' and '.join(ends)} quantile{zeros}"


def _split(breakdown: Mapping[str, JSON]) -> str:
    listed = [as_dict(part) for part in as_list(breakdown.get("breakdowns"))]
    names = [as_text(part.get("property")) for part in listed] or [as_text(breakdown.get("breakdown"))]
    return ", ".join(filter(None, names))


def _node_list(nodes: list[Item]) -> str:
    return ", ".join(map(describe_node, nodes)) or UNNAMED


_PHRASES: Final[Mapping[str, Callable[[Item, list[Item], str], str]]] = {
    "mean": _mean,
    "funnel": _funnel,
    "ratio": lambda _form, nodes, _unit: f"{describe_node(nodes[0])} per {describe_node(nodes[1])}",
    "retention": lambda _form, nodes, _unit: f"retention {named_node(nodes[0])} → {named_node(nodes[1])}",
    "trends": lambda _form, nodes, _unit: f"count of {_node_list(nodes)}",
    "count": lambda _form, nodes, _unit: f"count of {_node_list(nodes)}",
    "continuous": lambda _form, nodes, _unit: f"mean of {_node_list(nodes)}",
    "binomial": lambda _form, nodes, unit: f"share of {unit} with {named_node(nodes[0])}",
    GOAL: lambda _form, nodes, _unit: f"goal of {_node_list(nodes)}",
}


SEVERAL: Final[Mapping[str, str]] = {
    "exclude": "excluded from the results",
    "first_seen": "counted for the first one",
}
"""Return how users exposed to several variants are handled."""


def exposed_by(criteria: Mapping[str, JSON]) -> str:
    """Return `a call of its flag`, `signup (plan is pro)` or `action Signed up`."""
    config = as_dict(criteria.get("exposure_config"))
    return named_node(config) if config else "a call of its flag"


def activated_by(criteria: Mapping[str, JSON]) -> str:
    """Return the event that must follow the exposure before a user counts; empty for none."""
    config = as_dict(criteria.get("activation_config"))
    return named_node(config) if config else ""


def counts_test_accounts(criteria: Mapping[str, JSON]) -> bool:
    """Return whether test accounts count; servers exclude them on request, as new experiments do."""
    return not criteria.get("filterTestAccounts")


def several_words(criteria: Mapping[str, JSON]) -> str:
    """Return how users exposed to several variants are handled."""
    handling = as_text(criteria.get("multiple_variant_handling")) or "exclude"
    return SEVERAL.get(handling, handling)
