"""Metrics that several experiments share."""

import sqlite3
from collections.abc import Sequence

from flagtui.service.answers import Answer, answer, empty, text_of, value_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.experiments.metric_rules import check_references, checked_metrics, uses_event
from flagtui.service.experiments.representation import texts
from flagtui.service.pagination import page, window
from flagtui.service.people import nested_users

PARAMETERS = ("limit", "offset", "search", "event")


def list_saved_metrics(call: Call) -> Answer:
    part = window(call)
    search = call.query.get("search", "").strip().lower()
    rows = call.db.execute(
        "SELECT * FROM saved_metrics WHERE project_id = ? AND instr(lower(name), ?) > 0"
        " ORDER BY created_at DESC, id DESC",
        (call.project.id, search),
    ).fetchall()
    if event := call.query.get("event"):
        rows = [row for row in rows if uses_event(call.db, [value_of(row["query"])], event)]
    chosen = rows[part.offset : part.offset + part.limit]
    return page(call, len(rows), texts(_describe(call, chosen)), part)


def retrieve_saved_metric(call: Call) -> Answer:
    return answer(_describe(call, [_called(call)])[0])


def create_saved_metric(call: Call) -> Answer:
    fields = Fields(call.body())
    fields.require("name")
    fields.require("query")
    columns = _read(call, fields)
    names = ", ".join(columns)
    marks = ", ".join("?" for _ in columns)
    sql = (
        f"INSERT INTO saved_metrics (project_id, created_by_id, created_at, updated_at, {names})"
        f" VALUES (?, ?, ?, ?, {marks})"
    )
    birth = (call.project.id, call.caller.user_id, call.stamp, call.stamp)
    number = call.db.execute(sql, (*birth, *columns.values())).lastrowid
    return answer(_describe(call, [_row(call, number)])[0], 201)


def update_saved_metric(call: Call) -> Answer:
    row = _called(call)
    columns = _read(call, Fields(call.body()))
    pairs = "".join(f", {name} = ?" for name in columns)
    sql = f"UPDATE saved_metrics SET updated_at = ?{pairs} WHERE id = ?"
    call.db.execute(sql, (call.stamp, *columns.values(), row["id"]))
    return answer(_describe(call, [_row(call, row["id"])])[0])


def delete_saved_metric(call: Call) -> Answer:
    """Experiments that used it go on without it."""
    row = _called(call)
    call.body()
    call.db.execute("DELETE FROM saved_metrics WHERE id = ?", (row["id"],))
    return empty(204)


def _read(call: Call, fields: Fields) -> dict[str, Json]:
    columns: dict[str, Json] = {}
    if "name" in fields:
        columns["name"] = fields.text("name", longest=400, blank=False)
    if "description" in fields:
        columns["description"] = fields.text("description", longest=400, null=True)
    if "query" in fields:
        columns["query"] = text_of(_checked_query(call, fields))
    if "tags" in fields:
        items = fields.items("tags") or []
        columns["tags"] = text_of(sorted({str(tag).strip().lower() for tag in items if str(tag).strip()}))
    return columns


def _checked_query(call: Call, fields: Fields) -> dict[str, Json]:
    query = fields.sent["query"]
    if not isinstance(query, dict) or not query:
        raise invalid("Query is required to create a saved metric", "query")
    checked = checked_metrics([query], "query")[0]
    unknown = bool(fields.flag("allow_unknown_events", False)) or not call.generation.refuses_unknown_events
    check_references(call.db, call.project.id, [checked], unknown_events=unknown)
    return checked


def _describe(call: Call, rows: Sequence[sqlite3.Row]) -> list[dict[str, Json]]:
    users = nested_users(call.db, (row["created_by_id"] for row in rows))
    return [
        {
            "id": row["id"],
            "name": row["name"],
            "description": row["description"],
            "query": value_of(row["query"]),
            "created_by": value_of(users[row["created_by_id"]]),
            "created_at": row["created_at"],
            "updated_at": row["updated_at"],
            "tags": value_of(row["tags"]),
        }
        for row in rows
    ]


def _called(call: Call) -> sqlite3.Row:
    return _row(call, call.number("id"))


def _row(call: Call, number: int | None) -> sqlite3.Row:
    row: sqlite3.Row | None = call.db.execute(
        "SELECT * FROM saved_metrics WHERE id = ? AND project_id = ?", (number, call.project.id)
    ).fetchone()
    if row is None:
        raise not_found()
    return row
