"""Applies due changes in the name of the user who scheduled them."""

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from flagtui.service.access import project_of, user_with_all_scopes
from flagtui.service.approvals.votes import apply_at_its_time
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp, stamp
from flagtui.service.errors import Json, invalid
from flagtui.service.flags.approval_gate import covering_policy
from flagtui.service.flags.planned_changes import bind_request, read_planned_change
from flagtui.service.flags.save import attempt, change_flag
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
        planner = user_with_all_scopes(db, row["created_by_id"])
        _apply(Call(db, settings, planner, project_of(db, row["project_id"]), now), row)
    return len(rows)


def _apply(call: Call, row: sqlite3.Row) -> None:
    """Apply one change, or store the reason why it was not made."""
    request_id = row["change_request_id"]
    if request_id is None:
        reason = attempt(call.db, lambda: _change(call, row))
    else:
        reason = apply_at_its_time(call, request_id, _trigger(row))
    following = _following(row, call.now) if row["is_recurring"] else None
    _settle(call, row, reason, following)
    if following is not None:
        failure = attempt(call.db, lambda: bind_request(call, row["id"], row["record_id"], row["payload"]))
        if failure is not None:
            _settle(call, row, failure, None)


def _change(call: Call, row: sqlite3.Row) -> None:
    change = read_planned_change(call, row["record_id"], value_of(row["payload"]))
    if covering_policy(call, change) is not None:
        raise invalid("The change needs approval, and no request was made for it. Schedule it again.")
    assert change.row is not None
    change_flag(call, change.row, change.after, _trigger(row))


def _trigger(row: sqlite3.Row) -> Mapping[str, Json]:
    """Return what the activity logs as the cause."""
    return {"job_type": "scheduled_change", "job_id": str(row["id"]), "payload": value_of(row["payload"])}


def _settle(call: Call, row: sqlite3.Row, reason: str | None, following: datetime | None) -> None:
    """Mark a change as executed, or move a recurring one to its next time."""
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
