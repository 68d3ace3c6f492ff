"""Scheduled changes: planning, listing, moving and dropping them."""

import sqlite3
from collections.abc import Mapping
from typing import ClassVar, Final

from flagtui.service.approvals.votes import close_request
from flagtui.service.bodies import Fields, read_id
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp
from flagtui.service.database import fetch
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import Field, Kind, Table, Target, Use, Values, choice, moment, text, truth
from flagtui.service.flags.change_requests import find_request
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.planned_changes import bind_request
from flagtui.service.list_filters import Filter, comparing
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.projects import load_time_zone
from flagtui.service.resources import Resource, find_row
from flagtui.service.scheduling.recurrence import CRON_FIELDS, INTERVALS, BadCron, read_cron
from flagtui.service.shapes import MAYBE_TEXT, OBJECT

_MODELS = ("FeatureFlag",)
_FIVE_FIELDS: Final = (
    "Only standard 5-field cron expressions are supported (minute hour day month weekday). "
    "Example: '0 9 * * 1-5'."
)
_BAD_CRON: Final = "Invalid cron expression. Use standard 5-field cron syntax (e.g., '0 9 * * 1-5')."
_TIMING: Final = ("scheduled_at", "cron_expression", "recurrence_interval", "end_date", "is_recurring")
_FIXED_TIMING: Final = (
    "Cannot change the timing of a scheduled change while its approval request is pending or approved. "
    "Delete this schedule and create a new one to reschedule."
)


def _read_cron(fields: Fields, name: str, _: Target) -> Json:
    expression = fields.text(name, longest=100, null=True)
    if expression:
        if len(expression.split()) != CRON_FIELDS:
            raise fields.fault(name, _FIVE_FIELDS)
        try:
            read_cron(expression)
        except BadCron:
            raise fields.fault(name, _BAD_CRON) from None
    return expression


class ScheduledChanges(Resource):
    """Handles scheduled changes; a payload is read only when its time has come."""

    table = "scheduled_changes"
    fields = Table(
        "scheduled change",
        (
            Field("id"),
            Field("team_id", column="project_id"),
            Field("record_id", text(200, blank=False), Use.NEEDED),
            Field("model_name", choice(_MODELS), Use.NEEDED),
            Field("payload", Kind(lambda body, name, _: body.mapping(name), OBJECT, "json"), Use.NEEDED),
            Field("scheduled_at", moment(null=False), Use.NEEDED),
            Field("executed_at"),
            Field("failure_reason"),
            Field("is_recurring", truth()),
            Field("recurrence_interval", choice(INTERVALS, null=True)),
            Field("cron_expression", Kind(_read_cron, MAYBE_TEXT)),
            Field("last_executed_at"),
            Field("end_date", moment()),
            Field("timezone"),
            Field("created_by", column="created_by_id"),
            Field("created_at"),
            Field("updated_at"),
        ),
    )
    order = "scheduled_at, id"
    filters: ClassVar[Mapping[str, Filter]] = {
        name: comparing(name, f"{name} = :{name}", str) for name in ("model_name", "record_id")
    }

    def check(self, call: Call, row: sqlite3.Row | None, columns: Values) -> None:
        had = {} if row is None else self.fields.decode(row)
        _check_recurrence({**had, **columns}, is_new=row is None)
        target = columns.get("record_id") or had["record_id"]
        if target != had.get("record_id", target):
            raise invalid("Cannot change the target record of an existing scheduled change.", "record_id")
        _check_flag(call, target)
        if had.get("executed_at") is not None:
            raise invalid("Cannot modify a scheduled change that has already executed.")
        self._check_timing(call, had, columns)

    def _check_timing(self, call: Call, had: Values, columns: Values) -> None:
        """Raise if a new time would outlive the approval, which covers the time that was requested."""
        changed = [name for name in _TIMING if name in columns and columns[name] != had.get(name)]
        request_id = had.get("change_request_id")
        request = find_request(call, request_id) if changed and request_id else None
        if request is not None and request["present_state"] in ("pending", "approved"):
            raise invalid(_FIXED_TIMING, changed[0])

    def born(self, call: Call) -> Values:
        return {"timezone": load_time_zone(call.db, call.project.id)}

    def follow(self, call: Call, number: int, columns: Values) -> None:
        """Request approval for a new change or payload that a policy covers."""
        if "payload" in columns:
            row = fetch(call.db, self.table, number)
            self._drop_request(call, row)
            bind_request(call, number, row["record_id"], row["payload"])

    def leave(self, call: Call, row: sqlite3.Row) -> None:
        _check_level(call, row["record_id"])
        self._drop_request(call, row)

    def _drop_request(self, call: Call, row: sqlite3.Row) -> None:
        """End the request of a change, which without a schedule would be applied on approval."""
        if row["change_request_id"] is not None:
            close_request(call, row["change_request_id"])


def _check_recurrence(values: Mapping[str, Json], *, is_new: bool) -> None:
    cron, interval = values.get("cron_expression"), values.get("recurrence_interval")
    if cron and interval:
        detail = "Cannot set both cron_expression and recurrence_interval. Use one or the other."
        raise invalid(detail, "cron_expression")
    if is_new and (cron or interval) and not values.get("is_recurring"):
        name = "cron_expression" if cron else "recurrence_interval"
        raise invalid(f"Cannot set {name} when is_recurring is false for new schedules.", name)
    if values.get("is_recurring"):
        if not cron and not interval:
            detail = "Either recurrence_interval or cron_expression is required when is_recurring is true."
            raise invalid(detail, "recurrence_interval")
        if values["payload"].get("operation") == "add_release_condition":
            detail = (
                "Recurring schedules are not supported for add_release_condition because it appends "
                "conditions on each run, creating duplicates."
            )
            raise invalid(detail, "payload")
    end = values.get("end_date")
    if end and read_stamp(end) <= read_stamp(values["scheduled_at"]):
        raise invalid("End date must be after the scheduled start date.", "end_date")


def _check_flag(call: Call, record_id: str) -> None:
    row = find_row(call.db, "flags", call.project.id, read_id(record_id))
    if row is None:
        raise invalid("Feature flag not found")
    _check_level(call, record_id)


def _check_level(call: Call, record_id: str) -> None:
    if not load_levels(call.db, call.caller, call.project).reaches(int(record_id), "editor"):
        raise invalid("You don't have edit permissions for this feature flag")


_CHANGES: Final = ScheduledChanges()
_ALL = f"{PROJECT}/scheduled_changes"
_ONE = f"{_ALL}/{{id}}"
_READ, _WRITE = "feature_flag:read", "feature_flag:write"

OPERATIONS = (
    Operation(
        "GET", _ALL, _CHANGES.list_all, "List scheduled changes", _READ, parameters=_CHANGES.parameters
    ),
    Operation("POST", _ALL, _CHANGES.create, "Schedule a change", scope=_WRITE, statuses=(201,)),
    Operation("GET", _ONE, _CHANGES.retrieve, "Get a scheduled change", scope=_READ),
    Operation("PATCH", _ONE, _CHANGES.update, "Change a scheduled change", scope=_WRITE),
    Operation("DELETE", _ONE, _CHANGES.delete, "Delete a scheduled change", scope=_WRITE, statuses=(204,)),
)
