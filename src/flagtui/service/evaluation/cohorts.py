"""Groups of people under a name: the list of them, and what each says of itself."""

import sqlite3

from flagtui.service.answers import Answer, text_of, value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.flags.filter_links import event_condition
from flagtui.service.pagination import page, window
from flagtui.service.people import nested_users
from flagtui.service.projects import like, wants

_LISTED = "FROM cohorts WHERE project_id = ? AND deleted = 0 AND name LIKE ? ESCAPE '\\'"


def list_cohorts(call: Call) -> Answer:
    """Newest first; on request without those that flags cannot ask for."""
    part = window(call)
    values = (call.project.id, like(call.query.get("search", "")))
    rows = call.db.execute(f"SELECT * {_LISTED} ORDER BY created_at DESC, id DESC", values).fetchall()
    if wants(call, "hide_behavioral_cohorts"):
        rows = [row for row in rows if event_condition(call, row, set()) is None]
    shown = rows[part.offset : part.offset + part.limit]
    return page(call, len(rows), [text_of(describe_cohort(call, row)) for row in shown], part)


def describe_cohort(call: Call, row: sqlite3.Row) -> dict[str, Json]:
    """A cohort as every answer shows it."""
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "groups": [],
        "deleted": bool(row["deleted"]),
        "filters": value_of(row["filters"]),
        "query": value_of(row["query"]),
        "is_calculating": bool(row["is_calculating"]),
        "created_by": value_of(nested_users(call.db, [row["created_by_id"]])[row["created_by_id"]]),
        "created_at": row["created_at"],
        "last_calculation": row["last_calculation"],
        "errors_calculating": row["errors_calculating"],
        "count": row["count"],
        "is_static": bool(row["is_static"]),
    }
