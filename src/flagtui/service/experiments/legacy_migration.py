"""Copies of experiments of the older engine on the current one, with their shared metrics."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from flagtui.service.activity import log
from flagtui.service.bodies import whole_number
from flagtui.service.call import Call
from flagtui.service.database import insert_row, update_row
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.analysis.metric import OLD_KINDS
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.metric_rules import ORDER_OF, checked_metrics, ordered_uuids
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import is_old, saved_metric_links
from flagtui.service.experiments.rows import find, insert, select
from flagtui.service.experiments.save import SCOPE, find_called, respond_experiment
from flagtui.service.experiments.saved_metrics import SAVED_METRICS, Usage, replace_links
from flagtui.service.field_kinds import Values
from flagtui.service.resources import find_row
from flagtui.service.responses import Response, value_of

_NOT_COPIED: Final = ("id", "created_at", "updated_at", "flag_cleanup_task_id", "tags")
_QUERIES: Final = {"ExperimentTrendsQuery": "count_query", "ExperimentFunnelsQuery": "funnels_query"}


def migrate(call: Call) -> Response:
    """Return the copy on the current engine, made now or by an earlier call.

    It has the flag, the dates and the conclusion of the original, which keeps its results.
    """
    original = find_called(call)
    call.body()
    if not is_old(original, saved_metric_links(call, original)):
        raise invalid("Only experiments that use legacy metrics can be migrated.")
    return respond_experiment(call, _find_copy(call, original) or _make_copy(call, original))


def _find_copy(call: Call, original: Experiment) -> Experiment | None:
    """Return the copy of an earlier call, unless it has been deleted."""
    number = whole_number((original.fields["stats_config"] or {}).get("migrated_to"))
    values = {"project": call.project.id, "id": number}
    copies = select(call.db, "e.project_id = :project AND e.id = :id AND e.deleted = 0", values)
    return copies[0] if copies else None


def _make_copy(call: Call, original: Experiment) -> Experiment:
    links = [
        Usage(_current_metric(call, link["saved_metric"]), link["metadata"])
        for link in saved_metric_links(call, original)
    ]
    stats = original.fields["stats_config"] or {}
    columns: Values = {name: value for name, value in original.fields.items() if name not in _NOT_COPIED}
    for field, order in ORDER_OF.items():
        columns[field] = checked_metrics([_convert_metric(metric) for metric in columns[field] or []], field)
        columns[order] = ordered_uuids(None, None, columns[field], field, given=False)
    columns["stats_config"] = {**stats, "migrated_from": original.id}
    columns["saved_metrics_ids"] = [
        {"id": link.saved_metric, "metadata": link.metadata} for link in links
    ] or None
    number = insert(call.db, {**columns, "created_at": call.stamp, "updated_at": call.stamp})
    replace_links(call, number, links)
    kept = EXPERIMENTS.encode({"stats_config": {**stats, "migrated_to": number}})
    update_row(call.db, "experiments", original.id, kept)
    made = find(call.db, call.project.id, number)
    log(call, SCOPE, made.fields, "created", None, merge=None)
    return made


def _current_metric(call: Call, number: int) -> int:
    """Return the shared metric, or the copy of one of the older engine, made at its first migration."""
    row = find_row(call.db, "saved_metrics", call.project.id, number)
    assert row is not None
    query = value_of(row["query"])
    if query.get("kind") not in OLD_KINDS:
        return number
    return row["migrated_to_id"] or _copy_metric(call, row, query)


def _copy_metric(call: Call, row: sqlite3.Row, query: Mapping[str, Json]) -> int:
    same = {name: row[name] for name in ("project_id", "name", "description", "tags", "created_by_id")}
    converted = SAVED_METRICS.fields.encode({"query": checked_metrics([_convert_metric(query)], "query")[0]})
    birth = {"created_at": call.stamp, "updated_at": call.stamp}
    number = insert_row(call.db, "saved_metrics", {**same, **converted, **birth})
    update_row(call.db, "saved_metrics", row["id"], {"migrated_to_id": number})
    return number


def _convert_metric(metric: Json) -> Json:
    """Return a metric in the form of the current engine, without an id; others come back unchanged."""
    if not isinstance(metric, dict):
        return metric
    kind = metric.get("kind")
    named = {"name": metric["name"]} if metric.get("name") else {}
    if kind not in OLD_KINDS:
        return {name: value for name, value in metric.items() if name != "uuid"}
    steps = _steps_of(metric, kind)
    if kind == "ExperimentFunnelsQuery":
        series = [{name: value for name, value in step.items() if name != "name"} for step in steps]
        return {"kind": "ExperimentMetric", "metric_type": "funnel", "series": series, **named}
    dropped = ("math_property_type",) if "math" in steps[0] else ("math_property_type", "name")
    source = {name: value for name, value in steps[0].items() if name not in dropped}
    return {"kind": "ExperimentMetric", "metric_type": "mean", "source": source, **named}


def _steps_of(metric: Mapping[str, Json], kind: str) -> list[dict[str, Json]]:
    """Return the events of a metric of the older engine. Raises 400 if it names none."""
    query = metric.get(_QUERIES[kind])
    steps = query.get("series") if isinstance(query, dict) else None
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise invalid(f"A metric of the kind {kind} names no event and cannot be migrated.")
    return steps
