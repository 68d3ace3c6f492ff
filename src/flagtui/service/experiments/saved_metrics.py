"""Metrics that several experiments share, and which of them an experiment uses."""

import sqlite3
from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.experiments.metric_rules import METRIC, check_references, checked_metrics, uses_event
from flagtui.service.field_kinds import TAGS, Field, Kind, Table, Target, Use, text
from flagtui.service.list_filters import Filter, Where, among, searching
from flagtui.service.resources import Resource, find_row
from flagtui.service.responses import text_of, value_of
from flagtui.service.shapes import MAYBE_MOMENT, MOMENT, NUMBER, OBJECT, USER


def _read_query(fields: Fields, name: str, target: Target) -> Json:
    query, call = fields.sent[name], target.call
    if not isinstance(query, dict) or not query:
        raise invalid("Query is required to create a saved metric", name)
    checked = checked_metrics([query], name)[0]
    unknown = bool(fields.flag("allow_unknown_events")) or not call.generation.refuses_unknown_events
    check_references(call.db, call.project.id, [checked], unknown_events=unknown)
    return checked


def _add_event(call: Call, where: Where, event: str) -> None:
    if event:
        rows = call.db.execute("SELECT id, query FROM saved_metrics WHERE project_id = ?", (call.project.id,))
        users = [row["id"] for row in rows if uses_event(call, [value_of(row["query"])], event)]
        where.add(f"id IN {among('users')}", users=text_of(users))


class SavedMetrics(Resource):
    """Experiments that used a deleted one go on without it."""

    table = "saved_metrics"
    fields = Table(
        "saved metric",
        (
            Field("id", None, Use.ALWAYS, NUMBER),
            Field("name", text(400, blank=False), Use.NEEDED | Use.ALWAYS),
            Field("description", text(400, null=True)),
            Field("query", Kind(_read_query, METRIC, "json"), Use.NEEDED | Use.ALWAYS, OBJECT),
            Field("created_by", shown=USER, column="created_by_id"),
            Field("created_at", shown=MOMENT),
            Field("updated_at", shown=MAYBE_MOMENT),
            Field("tags", TAGS),
        ),
    )
    filters: ClassVar[Mapping[str, Filter]] = {"search": searching("name"), "event": _add_event}

    def leave(self, call: Call, row: sqlite3.Row) -> None:
        call.body()


SAVED_METRICS: Final = SavedMetrics()


class Usage(NamedTuple):
    """The use of a saved metric by an experiment."""

    saved_metric: int
    metadata: dict[str, Json]


def checked_links(call: Call, sent: Json) -> list[Usage]:
    """Return each metric once, in the order sent; null is no metric."""
    if sent is None:
        return []
    if not isinstance(sent, list):
        raise _fault("Saved metrics must be a list")
    links = {link.saved_metric: link for link in (_link(call, item) for item in sent)}
    return list(links.values())


def replace_links(call: Call, experiment_id: int, links: list[Usage]) -> None:
    """Replace the whole set; rows of metrics that stay keep their ids and dates."""
    kept = text_of([link.saved_metric for link in links])
    call.db.execute(
        "DELETE FROM experiment_saved_metrics WHERE experiment_id = ?"
        " AND saved_metric_id NOT IN (SELECT value FROM json_each(?))",
        (experiment_id, kept),
    )
    for link in links:
        call.db.execute(
            "INSERT INTO experiment_saved_metrics (experiment_id, saved_metric_id, metadata, created_at)"
            " VALUES (?, ?, ?, ?) ON CONFLICT (experiment_id, saved_metric_id)"
            " DO UPDATE SET metadata = excluded.metadata",
            (experiment_id, link.saved_metric, text_of(link.metadata), call.stamp),
        )


def _link(call: Call, item: Json) -> Usage:
    if not isinstance(item, dict):
        raise _fault("Saved metric must be an object")
    if "id" not in item:
        raise _fault("Saved metric must have an id")
    metadata = item.get("metadata")
    if metadata is not None:
        if not isinstance(metadata, dict):
            raise _fault("Metadata must be an object")
        if "type" not in metadata:
            raise _fault("Metadata must have a type key")
    number = item["id"]
    is_number = isinstance(number, int) and not isinstance(number, bool)
    if not is_number or find_row(call.db, "saved_metrics", call.project.id, number) is None:
        raise _fault("Saved metric does not exist or does not belong to this project")
    return Usage(number, metadata or {"type": "primary"})


def _fault(detail: str) -> Fault:
    return invalid(detail, "saved_metrics_ids")
