"""Finding flags in the database."""

import sqlite3
from collections.abc import Iterable

from flagtui.service.answers import text_of
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import not_found
from flagtui.service.flags.levels import check_level

SCOPE = "FeatureFlag"


def find_row(db: sqlite3.Connection, project_id: int, flag_id: int | None) -> sqlite3.Row | None:
    """A flag of the project, deleted or not."""
    return find(db, "flags", id=flag_id, project_id=project_id)


def called_row(call: Call, level: str) -> sqlite3.Row:
    """The flag the path names; 404 when the project has none with this id, 403 for less than the level."""
    row = find_row(call.db, call.project.id, call.number("id"))
    if row is None:
        raise not_found()
    check_level(call, row["id"], level)
    return row


def rows_by_id(db: sqlite3.Connection, project_id: int, ids: Iterable[int]) -> dict[int, sqlite3.Row]:
    """Flags of the project that are not deleted."""
    rows = db.execute(
        "SELECT * FROM flags WHERE project_id = ? AND deleted = 0 AND id IN (SELECT value FROM json_each(?))",
        (project_id, text_of(list(ids))),
    )
    return {row["id"]: row for row in rows}
