"""Flags as the database keeps them: finding them, and columns as the values the API speaks of."""

import sqlite3
from collections.abc import Iterable, Mapping

from flagtui.service.answers import encode, text_of, value_of
from flagtui.service.call import Call
from flagtui.service.errors import Json, not_found

SCOPE = "FeatureFlag"
BOOLEANS = (
    "deleted",
    "active",
    "archived",
    "ensure_experience_continuity",
    "has_enriched_analytics",
    "is_remote_configuration",
    "has_encrypted_payloads",
    "performed_rollback",
)
DOCUMENTS = ("filters", "tags", "evaluation_contexts", "analytics_dashboards", "rollback_conditions")
LOGGED = (
    "key",
    "name",
    "filters",
    "deleted",
    "active",
    "archived",
    "version",
    "ensure_experience_continuity",
    "evaluation_contexts",
    "evaluation_runtime",
    "bucketing_identifier",
    "is_remote_configuration",
    "has_encrypted_payloads",
    "has_enriched_analytics",
    "rollback_conditions",
    "performed_rollback",
)
"""Columns whose change is told in the activity log, in its order. Tags of one flag are not among them."""

Values = dict[str, Json]
"""The columns of a flag by name, decoded."""


def find_row(db: sqlite3.Connection, project_id: int, flag_id: int | None) -> sqlite3.Row | None:
    """A flag of the project, deleted or not."""
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM flags WHERE id = ? AND project_id = ?", (flag_id, project_id)
    ).fetchone()
    return row


def called_row(call: Call) -> sqlite3.Row:
    """The flag the path names; 404 when the project has none with this id."""
    row = find_row(call.db, call.project.id, call.number("id"))
    if row is None:
        raise not_found()
    return row


def called_again(call: Call, row: sqlite3.Row) -> sqlite3.Row:
    """The same flag after something was written to it."""
    again = find_row(call.db, call.project.id, row["id"])
    assert again is not None
    return again


def rows_by_id(db: sqlite3.Connection, project_id: int, ids: Iterable[int]) -> dict[int, sqlite3.Row]:
    """Flags of the project that are not deleted."""
    rows = db.execute(
        "SELECT * FROM flags WHERE project_id = ? AND deleted = 0 AND id IN (SELECT value FROM json_each(?))",
        (project_id, text_of(list(ids))),
    )
    return {row["id"]: row for row in rows}


def decode(row: sqlite3.Row) -> Values:
    """Columns as JSON values: booleans, decoded documents, the rest as it is."""
    values: Values = {name: row[name] for name in row.keys()}  # noqa: SIM118  # A Row iterates its values.
    for name in BOOLEANS:
        values[name] = None if values[name] is None else bool(values[name])
    for name in DOCUMENTS:
        values[name] = value_of(values[name])
    return values


def columns(values: Mapping[str, Json]) -> dict[str, Json]:
    """Decoded values as the columns store them."""
    stored = dict(values)
    for name in DOCUMENTS:
        if name in stored and stored[name] is not None:
            stored[name] = encode(stored[name]).decode()
    return stored


def insert_flag(db: sqlite3.Connection, values: Mapping[str, Json]) -> int:
    """Stores a new row and gives back its id."""
    stored = columns(values)
    names, places = ", ".join(stored), ", ".join("?" for _ in stored)
    cursor = db.execute(f"INSERT INTO flags ({names}) VALUES ({places})", tuple(stored.values()))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def update_flag(db: sqlite3.Connection, flag_id: int, values: Mapping[str, Json]) -> None:
    stored = columns(values)
    places = ", ".join(f"{name} = ?" for name in stored)
    db.execute(f"UPDATE flags SET {places} WHERE id = ?", (*stored.values(), flag_id))
