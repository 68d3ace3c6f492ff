"""Validate a list of metrics before it is stored."""

import sqlite3
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from flagtui.service.bodies import is_number
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.analysis.metric import NODES, OLD_KINDS, SECONDS, nodes
from flagtui.service.resources import find_row
from flagtui.service.responses import value_of
from flagtui.service.shapes import TEXT, list_of, record, words

Listed = Literal["metrics", "metrics_secondary"]
ORDER_OF: Mapping[Listed, str] = {
    "metrics": "primary_metrics_ordered_uuids",
    "metrics_secondary": "secondary_metrics_ordered_uuids",
}
MATHS = ("total", "sum", "unique_session", "min", "max", "avg", "dau", "unique_group", "hogql")
_NEEDS = {
    "sum": "math_property",
    "min": "math_property",
    "max": "math_property",
    "avg": "math_property",
    "hogql": "math_hogql",
    "unique_group": "math_group_type_index",
}
_REQUIRED = {
    "retention": ("retention_window_start", "retention_window_end", "retention_window_unit", "start_handling")
}
_WAREHOUSE = ("table_name", "timestamp_field", "events_join_key", "data_warehouse_join_key")
_MOST_FAULTS = 15
_NODE = record({"kind": words(("EventsNode",)), "event": TEXT}, ("kind", "event"))
METRIC = record(
    {
        "kind": words(("ExperimentMetric",)),
        "metric_type": words(("mean", "funnel")),
        "name": TEXT,
        "goal": words(("increase", "decrease")),
        "source": _NODE,
        "series": {**list_of(_NODE), "minItems": 1},
    },
    ("kind", "metric_type", "source", "series"),
)
"""JSON Schema of a metric that may be sent: of two of the four types."""
_FEW_STEPS = (
    "funnel metrics require at least one step. "
    "The experiment exposure event is added as the initial step automatically."
)


def checked_metrics(sent: Json, field: str) -> list[dict[str, Json]]:
    """Return the metrics without fingerprints, each with a UUID of its own. Faults name `field`."""
    if sent is None:
        return []
    if not isinstance(sent, list):
        raise invalid("Metrics must be a list", field)
    metrics: list[dict[str, Json]] = []
    taken: set[str] = set()
    for index, metric in enumerate(sent):
        checked = {
            name: value
            for name, value in _check_metric(metric, index, field).items()
            if name != "fingerprint"
        }
        if not checked.get("uuid") or checked["uuid"] in taken:
            checked["uuid"] = str(uuid.uuid4())
        taken.add(str(checked["uuid"]))
        metrics.append(checked)
    return metrics


def check_references(
    db: sqlite3.Connection, project_id: int, metrics: Iterable[Mapping[str, Json]], *, unknown_events: bool
) -> None:
    """Raise for actions that do not exist, and for unseen events unless those are allowed."""
    sources = [node for metric in metrics for node in nodes(metric)]
    action_ids = [node["id"] for node in sources if node.get("kind") == "ActionsNode"]
    missing = [number for number in sorted(set(action_ids)) if find_action(db, project_id, number) is None]
    if missing:
        listed = ", ".join(str(number) for number in missing)
        raise invalid(
            f"Action(s) with ID {listed} not found or deleted. "
            "Each ActionsNode must reference an existing action belonging to this project."
        )
    if unknown_events:
        return
    events = [node.get("event") for node in sources if node.get("kind") == "EventsNode"]
    names = sorted({name for name in events if isinstance(name, str) and name})
    unseen = [name for name in names if not _event_exists(db, project_id, name)]
    if unseen:
        listed = ", ".join(f"'{name}'" for name in unseen)
        raise invalid(
            f"Event(s) {listed} not found. No events with these names have been ingested by this project. "
            "Send allow_unknown_events=true to use them anyway."
        )


def uses_event(call: Call, metrics: Iterable[Mapping[str, Json]], event: str) -> bool:
    """Return whether a metric counts the event, itself or through an action."""
    for node in (node for metric in metrics for node in nodes(metric)):
        if node.get("event") == event:
            return True
        if node.get("kind") == "ActionsNode" and event in action_events(call, node.get("id")):
            return True
    return False


def find_action(db: sqlite3.Connection, project_id: int, number: Json) -> sqlite3.Row | None:
    row = find_row(db, "actions", project_id, number) if isinstance(number, int) else None
    return None if row is None or row["deleted"] else row


def action_events(call: Call, action_id: Json) -> list[str]:
    row = find_action(call.db, call.project.id, action_id)
    return [str(step.get("event")) for step in value_of(row["steps"])] if row else []


def ordered_uuids(
    sent: Json,
    had: Sequence[str] | None,
    metrics: Iterable[Mapping[str, Json]],
    field: Listed,
    *,
    given: bool,
    before: Iterable[Mapping[str, Json]] = (),
) -> list[str] | None:
    """Return the display order: the one sent if it names every metric, else the previous one and new ones.

    `before` are the previous metrics; other UUIDs in the order are those of shared metrics, which stay.
    """
    uuids, name = _uuids_of(metrics), ORDER_OF[field]
    if given:
        hint = "This is likely a frontend bug - please refresh and try again."
        if sent is None and uuids:
            kind = "primary" if field == "metrics" else "secondary"
            raise invalid(f"{name} is null but {kind} metrics exist. {hint}")
        missing = [uuid for uuid in uuids if uuid not in (sent or [])]
        if missing:
            raise invalid(f"{name} is missing UUIDs: {missing}. {hint}")
        return None if sent is None else [str(uuid) for uuid in sent]
    if not uuids and had is None:
        return None
    gone = {*_uuids_of(before)} - {*uuids}
    kept = [uuid for uuid in had or () if uuid not in gone]
    return kept + [uuid for uuid in uuids if uuid not in kept]


def _uuids_of(metrics: Iterable[Mapping[str, Json]]) -> list[str]:
    return [str(metric["uuid"]) for metric in metrics if metric.get("uuid")]


def _check_metric(metric: Json, index: int, field: str) -> dict[str, Json]:
    start = f"Invalid metric at index {index}: "
    if not isinstance(metric, dict):
        raise invalid(f"{start}must be a dict", field)
    kind = metric.get("kind")
    if kind in OLD_KINDS:
        raise invalid(
            f"{start}legacy metric kind '{kind}' is no longer supported for new experiments. "
            "Use 'ExperimentMetric' instead.",
            field,
        )
    if kind != "ExperimentMetric":
        raise invalid(f"{start}metric kind must be 'ExperimentMetric'", field)
    if metric.get("metric_type") == "funnel" and metric.get("series") == []:
        raise invalid(start + _FEW_STEPS, field)
    faults = list(_faults(metric))[:_MOST_FAULTS]
    if faults:
        raise invalid(f"{start}{faults}.", field)
    return metric


def _faults(metric: Mapping[str, Json]) -> Iterable[dict[str, Any]]:
    """Yield faults of shape, as the product's validator words and places them."""
    kind = next((name for name in NODES if name == metric.get("metric_type")), None)
    if kind is None:
        expected = "'mean', 'funnel', 'ratio' or 'retention'"
        yield _fault(("metric_type",), "literal_error", f"Input should be {expected}")
        return
    for name in (*NODES[kind], *_REQUIRED.get(kind, ())):
        if metric.get(name) is None:
            yield _fault((name,), "missing", "Field required")
        elif name in NODES[kind]:
            yield from _node_faults(metric[name], (name,))
    if kind == "funnel":
        yield from _series_faults(metric.get("series"))
    yield from _setting_faults(metric)


def _series_faults(series: Json) -> Iterable[dict[str, Any]]:
    if not isinstance(series, list):
        yield _fault(
            ("series",), "list_type" if series is not None else "missing", "Input should be a valid list"
        )
        return
    for place, node in enumerate(series):
        yield from _node_faults(node, ("series", place))


def _setting_faults(metric: Mapping[str, Json]) -> Iterable[dict[str, Any]]:
    for name in ("uuid", "name"):
        if metric.get(name) is not None and not isinstance(metric[name], str):
            yield _fault((name,), "string_type", "Input should be a valid string")
    yield from _bound_faults(metric)
    for name in ("threshold", "conversion_window", "retention_window_start", "retention_window_end"):
        value = metric.get(name)
        if value is not None and (not is_number(value) or abs(value) > 1e9):
            yield _fault((name,), "int_type", "Input should be a valid integer")
    for name in ("conversion_window_unit", "retention_window_unit"):
        if metric.get(name) is not None and metric[name] not in list(SECONDS):
            yield _fault((name,), "literal_error", f"Input should be one of {list(SECONDS)}")
    if metric.get("goal") not in (None, "increase", "decrease"):
        yield _fault(("goal",), "literal_error", "Input should be 'increase' or 'decrease'")
    for name in ("numerator_outlier_handling", "denominator_outlier_handling"):
        outliers = metric.get(name)
        if isinstance(outliers, dict):
            yield from _bound_faults(outliers, name)
        elif outliers is not None:
            yield _fault((name,), "model_type", "Input should be a valid dictionary")


def _bound_faults(holder: Mapping[str, Json], *place: str) -> Iterable[dict[str, Any]]:
    for name in ("lower_bound_percentile", "upper_bound_percentile"):
        value = holder.get(name)
        if value is not None and (not is_number(value) or not 0 <= value <= 1):
            yield _fault((*place, name), "less_than_equal", "Input should be between 0 and 1")


def _node_faults(node: Json, place: tuple[str | int, ...]) -> Iterable[dict[str, Any]]:
    if not isinstance(node, dict):
        yield _fault(place, "model_type", "Input should be a valid dictionary")
        return
    kind = node.get("kind")
    if kind == "ExperimentDataWarehouseNode":
        for name in _WAREHOUSE:
            if not isinstance(node.get(name), str):
                yield _fault((*place, name), "missing", "Field required")
        return
    if kind == "ActionsNode":
        if isinstance(node.get("id"), bool) or not isinstance(node.get("id"), int):
            yield _fault((*place, "id"), "int_type", "Input should be a valid integer")
    elif kind != "EventsNode":
        yield _fault((*place, "kind"), "literal_error", "Input should be 'EventsNode' or 'ActionsNode'")
    elif node.get("event") is not None and not isinstance(node["event"], str):
        yield _fault((*place, "event"), "string_type", "Input should be a valid string")
    yield from _math_faults(node, place)


def _math_faults(node: Mapping[str, Json], place: tuple[str | int, ...]) -> Iterable[dict[str, Any]]:
    math = node.get("math")
    if math is not None and math not in MATHS:
        yield _fault((*place, "math"), "enum", f"Input should be one of {list(MATHS)}")
    needed = _NEEDS.get(math) if isinstance(math, str) else None
    if needed and node.get(needed) is None:
        yield _fault((*place, needed), "missing", "Field required")
    if node.get("math_property") is not None and not isinstance(node["math_property"], str):
        yield _fault((*place, "math_property"), "string_type", "Input should be a valid string")
    filters = node.get("properties")
    if filters is not None and not (
        isinstance(filters, list) and all(isinstance(item, dict) for item in filters)
    ):
        yield _fault((*place, "properties"), "list_type", "Input should be a valid list")


def _fault(place: tuple[str | int, ...], kind: str, text: str) -> dict[str, Any]:
    return {"loc": place, "type": kind, "msg": text}


def _event_exists(db: sqlite3.Connection, project_id: int, name: str) -> bool:
    defined = find(db, "event_definitions", project_id=project_id, name=name)
    return defined is not None or find(db, "events", project_id=project_id, event=name) is not None
