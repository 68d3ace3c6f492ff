"""Scheduled changes: planning, listing, moving and dropping them."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flagtui.service.answers import Answer, empty, spliced, text_of, value_of
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp, stamp
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.rows import find_row
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.pagination import page, window
from flagtui.service.people import nested_users
from flagtui.service.scheduling.recurrence import INTERVALS, BadCron, check_cron

_MODELS = ("FeatureFlag",)
_COLUMNS = (
    *("id", "record_id", "model_name", "scheduled_at", "executed_at", "failure_reason", "created_at"),
    *("updated_at", "recurrence_interval", "cron_expression", "last_executed_at", "end_date", "timezone"),
)


def list_changes(call: Call) -> Answer:
    part = window(call)
    where = "project_id = :project"
    values: dict[str, Json] = {"project": call.project.id}
    for name in ("model_name", "record_id"):
        if (wanted := call.query.get(name)) is not None:
            where += f" AND {name} = :{name}"
            values |= {name: wanted}
    total = call.db.execute(f"SELECT count(*) FROM scheduled_changes WHERE {where}", values).fetchone()[0]
    rows = call.db.execute(
        f"SELECT * FROM scheduled_changes WHERE {where}"
        " ORDER BY scheduled_at, id LIMIT :limit OFFSET :offset",
        {**values, "limit": part.limit, "offset": part.offset},
    ).fetchall()
    return page(call, total, [_text(call.db, row) for row in rows], part)


def retrieve_change(call: Call) -> Answer:
    return spliced(_text(call.db, _called(call)))


def create_change(call: Call) -> Answer:
    fields = Fields(call.body())
    for name in ("record_id", "model_name", "payload", "scheduled_at"):
        fields.require(name)
    values = _read(call, fields, None)
    _check_flag(call, values["record_id"])
    values |= {"project_id": call.project.id, "created_by_id": call.caller.user_id}
    values |= {"created_at": call.stamp, "updated_at": call.stamp}
    names, places = ", ".join(values), ", ".join("?" for _ in values)
    made = call.db.execute(
        f"INSERT INTO scheduled_changes ({names}) VALUES ({places})", tuple(values.values())
    ).lastrowid
    row = call.db.execute("SELECT * FROM scheduled_changes WHERE id = ?", (made,)).fetchone()
    return spliced(_text(call.db, row), 201)


def update_change(call: Call) -> Answer:
    row = _called(call)
    fields = Fields(call.body())
    values = _read(call, fields, row)
    if values.get("record_id", row["record_id"]) != row["record_id"]:
        raise invalid("Cannot change the target record of an existing scheduled change.", "record_id")
    _check_flag(call, row["record_id"])
    if row["executed_at"] is not None:
        raise invalid("Cannot modify a scheduled change that has already executed.")
    values["updated_at"] = call.stamp
    places = ", ".join(f"{name} = ?" for name in values)
    call.db.execute(f"UPDATE scheduled_changes SET {places} WHERE id = ?", (*values.values(), row["id"]))
    return retrieve_change(call)


def delete_change(call: Call) -> Answer:
    row = _called(call)
    _check_flag(call, row["record_id"])
    call.db.execute("DELETE FROM scheduled_changes WHERE id = ?", (row["id"],))
    return empty(204)


def _called(call: Call) -> sqlite3.Row:
    row = call.db.execute(
        "SELECT * FROM scheduled_changes WHERE id = ? AND project_id = ?",
        (call.number("id"), call.project.id),
    ).fetchone()
    if row is None:
        raise not_found()
    found: sqlite3.Row = row
    return found


def _read(call: Call, fields: Fields, row: sqlite3.Row | None) -> dict[str, Any]:
    """Columns from the body. What the payload asks for is looked at only when its time has come."""
    found: dict[str, Any] = {
        "record_id": fields.text("record_id", longest=200, blank=False),
        "model_name": fields.choice("model_name", _MODELS),
        "payload": _payload(fields),
        "scheduled_at": _moment(fields, "scheduled_at", null=False),
        "is_recurring": fields.flag("is_recurring"),
        "recurrence_interval": fields.choice("recurrence_interval", INTERVALS, null=True),
        "cron_expression": _cron(fields),
        "end_date": _moment(fields, "end_date", null=True),
        "timezone": _zone(fields),
    }
    values = {name: value for name, value in found.items() if name in fields}
    _check_recurrence({**(dict(row) if row is not None else {}), **values})
    return values


def _payload(fields: Fields) -> str | None:
    payload = fields.mapping("payload")
    return None if payload is None else text_of(payload)


def _moment(fields: Fields, name: str, *, null: bool) -> str | None:
    moment: datetime | None = fields.moment(name, null=null)
    return None if moment is None else stamp(moment)


def _cron(fields: Fields) -> str | None:
    expression = fields.text("cron_expression", longest=100, null=True)
    if expression:
        try:
            check_cron(expression)
        except BadCron as error:
            raise fields.fault("cron_expression", f"Invalid cron expression. {error}") from None
    return expression


def _zone(fields: Fields) -> str | None:
    name = fields.text("timezone", longest=64, null=True)
    try:
        if name:
            ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise fields.fault("timezone", f"Unknown timezone {name}.") from None
    return name


def _check_recurrence(values: Mapping[str, Json]) -> None:
    cron, interval = values.get("cron_expression"), values.get("recurrence_interval")
    if values.get("is_recurring"):
        if cron and interval:
            raise invalid("Give a cron expression or a recurrence interval, not both.", "cron_expression")
        if not cron and not interval:
            detail = "A recurring change needs a recurrence interval or a cron expression."
            raise invalid(detail, "recurrence_interval")
        if value_of(values["payload"]).get("operation") == "add_release_condition":
            raise invalid("Release conditions cannot be added again and again.", "payload")
    end = values.get("end_date")
    if end and read_stamp(end) <= read_stamp(values["scheduled_at"]):
        raise invalid("End date must be after the scheduled start date.", "end_date")


def _check_flag(call: Call, record_id: str) -> None:
    number = int(record_id) if record_id.isascii() and record_id.isdigit() and len(record_id) < 19 else None
    row = find_row(call.db, call.project.id, number)
    if row is None:
        raise invalid("Feature flag not found")
    if not load_levels(call.db, call.caller, call.project).reaches(row["id"], "editor"):
        raise invalid("You don't have edit permissions for this feature flag")


def _text(db: sqlite3.Connection, row: sqlite3.Row) -> str:
    user = row["created_by_id"]
    shown = text_of({name: row[name] for name in _COLUMNS})
    recurring = "true" if row["is_recurring"] else "false"
    return (
        f'{shown[:-1]},"team_id":{row["project_id"]},"payload":{row["payload"]},"is_recurring":{recurring}'
        f',"created_by":{nested_users(db, [user])[user]}}}'
    )


_ALL = f"{PROJECT}/scheduled_changes"
_ONE = f"{_ALL}/{{id}}"
_READ, _WRITE = "feature_flag:read", "feature_flag:write"
_FILTERS = ("limit", "offset", "model_name", "record_id")

OPERATIONS = (
    Operation("GET", _ALL, list_changes, "List scheduled changes", scope=_READ, parameters=_FILTERS),
    Operation("POST", _ALL, create_change, "Schedule a change", scope=_WRITE, writes=True, success=201),
    Operation("GET", _ONE, retrieve_change, "One scheduled change", scope=_READ),
    Operation("PATCH", _ONE, update_change, "Move a scheduled change", scope=_WRITE, writes=True),
    Operation("DELETE", _ONE, delete_change, "Drop it", scope=_WRITE, writes=True, success=204),
)
