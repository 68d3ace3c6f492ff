"""Finding flags in the database, and how keys of deleted ones make room for new ones and come back."""

import sqlite3
from collections.abc import Iterable

from flagtui.service.call import Call
from flagtui.service.database import find, update_row
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.flags.levels import check_level
from flagtui.service.responses import text_of

SCOPE = "FeatureFlag"


def find_row(db: sqlite3.Connection, project_id: int, flag_id: int | None) -> sqlite3.Row | None:
    """Return a flag of the project, deleted or not."""
    return find(db, "flags", id=flag_id, project_id=project_id)


def called_row(call: Call, level: str) -> sqlite3.Row:
    """Return the flag the path names.

    404 when the project has none with this id, 403 for less than the level.
    """
    row = find_row(call.db, call.project.id, call.number("id"))
    if row is None:
        raise not_found()
    check_level(call, row["id"], level)
    return row


def rows_by_id(db: sqlite3.Connection, project_id: int, ids: Iterable[int]) -> dict[int, sqlite3.Row]:
    rows = db.execute(
        "SELECT * FROM flags WHERE project_id = ? AND deleted = 0 AND id IN (SELECT value FROM json_each(?))",
        (project_id, text_of(list(ids))),
    )
    return {row["id"]: row for row in rows}


def tombstone(key: str, flag_id: int) -> str:
    """Return the new key of a deleted flag that an experiment still references."""
    return f"{key}:deleted:{flag_id}"


def key_when_deleted(call: Call, row: sqlite3.Row, key: str) -> str:
    """Return the key the flag has once deleted: unchanged, unless experiments keep its row alive."""
    only = {} if call.generation.running_experiments_hold else {"deleted": 1}
    return tombstone(key, row["id"]) if find(call.db, "experiments", flag_id=row["id"], **only) else key


def key_when_restored(call: Call, row: sqlite3.Row, key: str) -> str:
    """Return the key without its tombstone, numbered when it was taken meanwhile. Older servers left it."""
    base = key.removesuffix(f":deleted:{row['id']}") if call.generation.strips_tombstones else key
    name, number = base, 1
    while find(call.db, "flags", project_id=call.project.id, key=name, deleted=0):
        number += 1
        name = f"{base}-{number}"
    return name


def check_free(call: Call, key: Json, row: sqlite3.Row | None) -> None:
    """Raise if another flag that is not deleted has the key; `row` None is a new flag."""
    taken = find(call.db, "flags", project_id=call.project.id, key=key, deleted=0)
    if taken is not None and (row is None or taken["id"] != row["id"]):
        raise invalid("There is already a feature flag with this key.", "key", "unique")


def make_room(call: Call, key: str) -> None:
    """Remove deleted flags that hold a key permanently; those that an experiment needs are renamed."""
    rows = call.db.execute(
        "SELECT id, key FROM flags WHERE project_id = ? AND key = ? AND deleted = 1", (call.project.id, key)
    ).fetchall()
    for row in rows:
        _check_unused(call, row)
        if find(call.db, "experiments", flag_id=row["id"]):
            update_row(call.db, "flags", row["id"], {"key": tombstone(key, row["id"])})
        else:
            call.db.execute("DELETE FROM flags WHERE id = ?", (row["id"],))


def _check_unused(call: Call, row: sqlite3.Row) -> None:
    holders = {
        "experiment": "experiments WHERE deleted = 0 AND",
        "early access feature": "early_access_features WHERE",
    }
    for kind, table in holders.items():
        holder_rows = call.db.execute(
            f"SELECT id FROM {table} flag_id = ? ORDER BY id", (row["id"],)
        ).fetchall()
        if holder_rows:
            ids = ", ".join(str(user["id"]) for user in holder_rows)
            raise invalid(call.generation.key_in_use.format(key=row["key"], kind=kind, ids=ids))
