"""Which flags ask for which: read from the conditions of all flags of a project."""

import sqlite3
from collections.abc import Iterable, Mapping

from flagtui.service.answers import Answer, answer, value_of
from flagtui.service.bodies import whole_number
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json
from flagtui.service.flags.representation import properties_of
from flagtui.service.flags.rows import called_row


def dependencies(filters: Mapping[str, Json] | None) -> tuple[int, ...]:
    """Ids of the flags that conditions ask for, each once, in their order."""
    found: dict[int, None] = {}
    for item in properties_of(filters):
        number = whole_number(item.get("key")) if item.get("type") == "flag" else None
        if number is not None:
            found[number] = None
    return tuple(found)


def active_dependents(db: sqlite3.Connection, project_id: int, flag_id: int) -> list[sqlite3.Row]:
    """Enabled flags that ask for this one, sorted by key."""
    rows = db.execute(
        "SELECT id, key, name, filters FROM flags WHERE project_id = ? AND deleted = 0 AND active = 1"
        " AND filters LIKE '%\"flag\"%' ORDER BY key",
        (project_id,),
    )
    return [row for row in rows if row["id"] != flag_id and flag_id in dependencies(value_of(row["filters"]))]


def disabled_dependencies(
    db: sqlite3.Connection, project_id: int, filters: Mapping[str, Json]
) -> list[sqlite3.Row]:
    """Flags that conditions ask for and that are off, sorted by key."""
    rows = [
        find(db, "flags", id=number, project_id=project_id, deleted=0, active=0)
        for number in dependencies(filters)
    ]
    return sorted((row for row in rows if row is not None), key=lambda row: str(row["key"]))


def named(rows: Iterable[sqlite3.Row], most: int = 5, more: str = ", and {} more") -> str:
    """The flags by key and id, as texts list them."""
    listed = [f"{row['key']} (ID: {row['id']})" for row in rows]
    rest = len(listed) - most
    return ", ".join(listed[:most]) + (more.format(rest) if rest > 0 else "")


def find_cycle(
    db: sqlite3.Connection, project_id: int, own_id: int | None, own_key: str, asked: Iterable[int]
) -> list[str]:
    """Keys from the flag back to itself through what it asks for; empty when it never comes back."""
    seen: set[int] = set()
    waiting = [(number, [own_key]) for number in asked] if own_id is not None else []
    while waiting:
        number, chain = waiting.pop()
        if number == own_id:
            return [*chain, own_key]
        if number in seen:
            continue
        seen.add(number)
        row = find(db, "flags", id=number, project_id=project_id, deleted=0)
        if row is not None:
            path = [*chain, row["key"]]
            waiting += [(inner, path) for inner in dependencies(value_of(row["filters"]))]
    return []


def dependent_flags(call: Call) -> Answer:
    row = called_row(call, "viewer")
    found = active_dependents(call.db, call.project.id, row["id"])
    return answer(
        [{"id": flag["id"], "key": flag["key"], "name": flag["name"] or flag["key"]} for flag in found]
    )
