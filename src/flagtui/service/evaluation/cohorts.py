"""Cohorts: the list, and creation from the users who have a flag now."""

import sqlite3
from collections.abc import Collection

from flagtui.evaluate.flags import evaluate
from flagtui.service.bodies import truth
from flagtui.service.call import Call
from flagtui.service.database import fetch, insert_row, insert_rows
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.costly import is_on
from flagtui.service.evaluation.stored import evaluator_fields, load_definitions_for, load_people
from flagtui.service.field_kinds import Values
from flagtui.service.flags.filter_links import event_condition
from flagtui.service.flags.rows import called_row
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.list_filters import containing, like
from flagtui.service.pagination import page, window
from flagtui.service.projects import nested_users
from flagtui.service.responses import Response, respond, text_of, value_of


def list_cohorts(call: Call) -> Response:
    """List cohorts, newest first; on request without those that flags cannot use."""
    part, search = window(call), call.query.get("search", "")
    rows = call.db.execute(
        "SELECT * FROM cohorts WHERE project_id = :project AND deleted = 0"
        f" AND {containing('name', search)} ORDER BY created_at DESC, id DESC",
        {"project": call.project.id, "search": like(search)},
    ).fetchall()
    if truth(call.query.get("hide_behavioral_cohorts", "")):
        rows = [row for row in rows if event_condition(call, row, set()) is None]
    shown = rows[part.offset : part.offset + part.limit]
    return page(call, len(rows), [text_of(describe_cohort(call, row)) for row in shown], part)


def describe_cohort(call: Call, row: sqlite3.Row) -> dict[str, Json]:
    """Return a cohort as every response has it."""
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


def create_static_cohort(call: Call) -> Response:
    """Create a cohort that is complete when the response arrives; the product fills it later."""
    row = called_row(call, "viewer")
    if stored_version(row["filters"]) != 1:
        detail = "This flag uses a configuration format that cannot fill a cohort yet."
        raise invalid(detail, "filters", "unsupported_config_format")
    members = [] if row["deleted"] else _seeing(call, row)
    name = f"Users with feature flag {row['key']} enabled at {call.now:%Y-%m-%d %H:%M:%S}"
    return respond({"cohort": make_cohort(call, {"name": name, "is_static": 1}, members)}, 201)


def make_cohort(call: Call, columns: Values, members: Collection[int]) -> dict[str, Json]:
    """Store a cohort of these persons and return it."""
    birth = {"created_by_id": call.caller.user_id, "created_at": call.stamp, "last_calculation": call.stamp}
    stored = {**columns, **birth, "project_id": call.project.id, "count": len(members)}
    number = insert_row(call.db, "cohorts", stored)
    rows = ({"cohort_id": number, "person_id": person_id} for person_id in members)
    insert_rows(call.db, "cohort_members", rows)
    return describe_cohort(call, fetch(call.db, "cohorts", number))


def _seeing(call: Call, row: sqlite3.Row) -> list[int]:
    """Return ids of persons; a flag about groups has none."""
    definitions = load_definitions_for(call.db, call.project.id, evaluator_fields(row))
    return [
        stored.row
        for stored in load_people(call.db, call.project.id)
        if is_on(evaluate(row["key"], stored.at(call.now), definitions))
    ]
