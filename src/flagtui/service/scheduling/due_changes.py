"""Applies due changes in the name of the user who scheduled them."""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from flagtui.evaluate import wire
from flagtui.service.access import ANONYMOUS, caller_of, project_of
from flagtui.service.call import Call, Caller
from flagtui.service.clock import read_stamp, stamp
from flagtui.service.database import find
from flagtui.service.errors import Fault, Json, invalid
from flagtui.service.field_kinds import Values
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.filter_storage import with_changes
from flagtui.service.flags.rows import find_row
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.flags.save import change_flag, opened_values
from flagtui.service.responses import value_of
from flagtui.service.scheduling.recurrence import BadCron, next_by_cron, next_by_interval
from flagtui.service.settings import Settings

_WAITS = (
    "executed_at IS NULL AND (is_recurring = 1 OR coalesce(recurrence_interval, cron_expression, '') = '')"
)
"""A change with a pattern that no longer recurs is paused."""


def first_due(db: sqlite3.Connection) -> str | None:
    """Return when the next change is to be made, as it is stored; None when none waits."""
    row = db.execute(f"SELECT min(scheduled_at) FROM scheduled_changes WHERE {_WAITS}").fetchone()
    moment: str | None = row[0]
    return moment


def apply_due(db: sqlite3.Connection, settings: Settings, now: datetime) -> int:
    """Apply every due change, the earliest first, and return their number."""
    rows = db.execute(
        f"SELECT * FROM scheduled_changes WHERE {_WAITS} AND scheduled_at <= ? ORDER BY scheduled_at, id",
        (stamp(now),),
    ).fetchall()
    for row in rows:
        planner, project = _planner(db, row["created_by_id"]), project_of(db, row["project_id"])
        _apply(Call(db, settings, planner, project, now), row)
    return len(rows)


def _apply(call: Call, row: sqlite3.Row) -> None:
    """Apply one change, or roll it back and store the reason."""
    reason = None
    call.db.execute("SAVEPOINT scheduled_change")
    try:
        _change(call, row)
    except Fault as fault:
        call.db.execute("ROLLBACK TO scheduled_change")
        reason = fault.detail
    call.db.execute("RELEASE scheduled_change")
    _settle(call, row, reason)


def _change(call: Call, row: sqlite3.Row) -> None:
    number = int(row["record_id"]) if row["record_id"].isdigit() else None
    flag = find_row(call.db, call.project.id, number)
    if flag is None or flag["deleted"]:
        raise invalid("Feature flag not found")
    if stored_version(flag["filters"]) == 2:
        raise invalid("This field is required for this flag.", "version", "required")
    payload = value_of(row["payload"])
    before = opened_values(call, flag)
    after = {**before, **_read_columns(call, flag, payload, before)}
    check_guards(call, flag, before, after)
    trigger = {"job_type": "scheduled_change", "job_id": str(row["id"]), "payload": payload}
    change_flag(call, flag, after, trigger)


def _read_columns(call: Call, flag: sqlite3.Row, payload: Mapping[str, Json], before: Values) -> Values:
    """Return the columns that a payload sets, checked as in an update."""
    operation, value = payload.get("operation"), payload.get("value")
    if operation == "update_status" and isinstance(value, bool):
        return {"active": value}
    if operation == "add_release_condition" and isinstance(value, dict):
        added = value.get("groups")
        if isinstance(added, list):
            groups = [*wire.conditions(before["filters"]), *added]
            return {"filters": with_changes(call, flag, {"groups": groups})}
    if operation == "update_variants" and isinstance(value, dict):
        variants = {"multivariate": {"variants": value.get("variants")}}
        changes = {**variants, "payloads": value.get("payloads") or {}}
        return {"filters": with_changes(call, flag, changes)}
    raise invalid(f"Unrecognized operation: {operation}")


def _settle(call: Call, row: sqlite3.Row, reason: str | None) -> None:
    """Mark a change as executed, or move a recurring one to its next time."""
    following = _following(row, call.now) if row["is_recurring"] else None
    call.db.execute(
        "UPDATE scheduled_changes SET executed_at = ?, last_executed_at = ?, failure_reason = ?,"
        " scheduled_at = ?, updated_at = ? WHERE id = ?",
        (
            None if following else call.stamp,
            *(call.stamp, reason, stamp(following) if following else row["scheduled_at"]),
            *(call.stamp, row["id"]),
        ),
    )


def _following(row: sqlite3.Row, now: datetime) -> datetime | None:
    """Return the next time after now, so that a long sleep is caught up with once; None after the end."""
    moment = read_stamp(row["scheduled_at"])
    zone = ZoneInfo(row["timezone"]) if row["timezone"] else UTC
    try:
        if row["cron_expression"]:
            moment = next_by_cron(now, row["cron_expression"], zone)
        while moment <= now:
            moment = next_by_interval(moment, row["recurrence_interval"])
    except BadCron:
        return None
    if row["end_date"] is not None and moment > read_stamp(row["end_date"]):
        return None
    return moment


def _planner(db: sqlite3.Connection, user_id: int | None) -> Caller:
    user = find(db, "users", id=user_id)
    return ANONYMOUS if user is None else replace(caller_of(user), scopes=frozenset("*"))
