"""Dependents of a flag, and the changes that they forbid."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping

from flagtui.service.bodies import whole_number
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.representation import properties_of
from flagtui.service.flags.rows import called_row
from flagtui.service.responses import Response, respond, value_of


def dependencies(filters: Mapping[str, Json] | None) -> tuple[int, ...]:
    """Return ids of the flags that conditions depend on, each once, in their order."""
    numbers: dict[int, None] = {}
    for item in properties_of(filters):
        number = whole_number(item.get("key")) if item.get("type") == "flag" else None
        if number is not None:
            numbers[number] = None
    return tuple(numbers)


def dependents_by_id(db: sqlite3.Connection, project_id: int) -> Mapping[int, list[sqlite3.Row]]:
    """Return the enabled flags that depend on each flag, sorted by key. Reads every flag of the project."""
    rows = db.execute(
        "SELECT id, key, name, filters FROM flags WHERE project_id = ? AND deleted = 0 AND active = 1"
        " AND filters LIKE '%\"flag\"%' ORDER BY key",
        (project_id,),
    )
    dependents: defaultdict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in rows:
        for number in dependencies(value_of(row["filters"])):
            if number != row["id"]:
                dependents[number].append(row)
    return dependents


def active_dependents(db: sqlite3.Connection, project_id: int, flag_id: int) -> list[sqlite3.Row]:
    """Return enabled flags that depend on this flag, sorted by key."""
    return dependents_by_id(db, project_id).get(flag_id, [])


def disabled_dependencies(
    db: sqlite3.Connection, project_id: int, filters: Mapping[str, Json]
) -> list[sqlite3.Row]:
    rows = [
        find(db, "flags", id=number, project_id=project_id, deleted=0, active=0)
        for number in dependencies(filters)
    ]
    return sorted((row for row in rows if row is not None), key=lambda row: str(row["key"]))


def name_flags(rows: Iterable[sqlite3.Row], most: int = 5, more: str = ", and {} more") -> str:
    """Return the flags by key and id, as texts list them."""
    listed = [f"{row['key']} (ID: {row['id']})" for row in rows]
    rest = len(listed) - most
    return ", ".join(listed[:most]) + (more.format(rest) if rest > 0 else "")


def find_cycle(
    db: sqlite3.Connection, project_id: int, own_id: int | None, own_key: str, needed: Iterable[int]
) -> list[str]:
    """Return the keys of a dependency cycle from the flag to itself; empty without a cycle."""
    seen: set[int] = set()
    waiting = [(number, [own_key]) for number in needed] if own_id is not None else []
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


def dependent_flags(call: Call) -> Response:
    row = called_row(call, "viewer")
    dependents = active_dependents(call.db, call.project.id, row["id"])
    return respond(
        [{"id": flag["id"], "key": flag["key"], "name": flag["name"] or flag["key"]} for flag in dependents]
    )


def experiments_on(db: sqlite3.Connection, flag_id: int, *, running: bool) -> list[sqlite3.Row]:
    """Return experiments on the flag; of the `running` ones those that have begun and not ended."""
    only = " AND start_date IS NOT NULL AND end_date IS NULL" if running else ""
    return db.execute(
        f"SELECT id, name FROM experiments WHERE flag_id = ? AND deleted = 0{only} ORDER BY id", (flag_id,)
    ).fetchall()


def named_experiments(rows: list[sqlite3.Row]) -> str:
    return ", ".join(f'"{row["name"]}" (ID: {row["id"]})' for row in rows)


def check_guards(call: Call, row: sqlite3.Row, before: Mapping[str, Json], after: Mapping[str, Json]) -> None:
    """Raise the first reason against going from `before` to `after`."""
    if after["deleted"] and not before["deleted"]:
        check_deletion(call, row)
    if after["active"] and not before["active"]:
        check_enabling(call, after)
    elif before["active"] and not after["active"]:
        check_disabling(call, row)
    if after["archived"] and after["active"] and call.generation.has_archive:
        raise invalid(archived_detail(before))


def archived_detail(before: Mapping[str, Json]) -> str:
    """Return the requested change: enable an archived flag, or archive an enabled one."""
    if before["archived"]:
        return "Cannot enable an archived feature flag. Unarchive it first."
    return (
        "Cannot archive an enabled feature flag. Disable it first, or send active: false in the same request."
    )


def check_enabling(call: Call, after: Mapping[str, Json]) -> None:
    if after["archived"] and call.generation.has_archive:
        raise invalid("Cannot enable an archived feature flag. Unarchive it first.")
    disabled = disabled_dependencies(call.db, call.project.id, after["filters"])
    if disabled:
        raise invalid(
            "Cannot enable this feature flag because it depends on disabled flags: "
            f"{name_flags(disabled)}. Please enable the dependency flags first."
        )


def check_disabling(call: Call, row: sqlite3.Row) -> None:
    dependents = active_dependents(call.db, call.project.id, row["id"])
    if dependents:
        raise invalid(
            "Cannot disable this feature flag because other flags depend on it: "
            f"{name_flags(dependents)}. Please update or disable the dependent flags first."
        )


def check_deletion(call: Call, row: sqlite3.Row) -> None:
    if find(call.db, "early_access_features", flag_id=row["id"]):
        raise invalid(
            "Cannot delete a feature flag that is in use with early access features. "
            "Please delete the early access feature before deleting the flag."
        )
    _check_experiments(call, row["id"])
    dependents = active_dependents(call.db, call.project.id, row["id"])
    if dependents:
        raise invalid(
            "Cannot delete this feature flag because other flags depend on it: "
            f"{name_flags(dependents)}. {call.generation.held_by_dependents}"
        )
    if row["id"] == call.project.replay_flag_id and call.generation.replay_holds:
        raise invalid(IN_REPLAY)


IN_REPLAY = (
    "This feature flag is used in session replay settings. "
    "Please remove it from replay settings before deleting."
)


def _check_experiments(call: Call, flag_id: int) -> None:
    linked = experiments_on(call.db, flag_id, running=call.generation.running_experiments_hold)
    if linked:
        ids = ", ".join(str(row["id"]) for row in linked)
        raise invalid(call.generation.held_by_experiments.format(named=named_experiments(linked), ids=ids))
