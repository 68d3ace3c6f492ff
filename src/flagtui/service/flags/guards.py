"""What must not happen to a flag while others rely on it."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.dependents import active_dependents, disabled_dependencies, named
from flagtui.service.flags.filter_links import experiments_on, named_experiments


def check_guards(call: Call, row: sqlite3.Row, before: Mapping[str, Json], after: Mapping[str, Json]) -> None:
    """Raises the first reason against going from `before` to `after`."""
    if after["deleted"] and not before["deleted"]:
        check_deletion(call, row)
    if after["active"] and not before["active"]:
        check_enabling(call, after)
    elif before["active"] and not after["active"]:
        check_disabling(call, row)
    if after["archived"] and after["active"]:
        raise invalid(archived_detail(before))


def archived_detail(before: Mapping[str, Json]) -> str:
    """Which of the two was asked for: to enable what is archived, or to archive what is enabled."""
    if before["archived"]:
        return "Cannot enable an archived feature flag. Unarchive it first."
    return (
        "Cannot archive an enabled feature flag. Disable it first, or send active: false in the same request."
    )


def check_enabling(call: Call, after: Mapping[str, Json]) -> None:
    if after["archived"]:
        raise invalid("Cannot enable an archived feature flag. Unarchive it first.")
    disabled = disabled_dependencies(call.db, call.project.id, after["filters"])
    if disabled:
        raise invalid(
            "Cannot enable this feature flag because it depends on disabled flags: "
            f"{named(disabled)}. Please enable the dependency flags first."
        )


def check_disabling(call: Call, row: sqlite3.Row) -> None:
    dependents = active_dependents(call.db, call.project.id, row["id"])
    if dependents:
        raise invalid(
            "Cannot disable this feature flag because other flags depend on it: "
            f"{named(dependents)}. Please update or disable the dependent flags first."
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
            f"{named(dependents)}. {call.generation.held_by_dependents}"
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
