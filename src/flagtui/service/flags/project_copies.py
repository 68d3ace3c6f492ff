"""Copies of a flag in other projects of the organization, with the cohorts it asks for."""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from flagtui.service.access import called_organization, open_project
from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row
from flagtui.service.errors import Fault, Json, hand_written, invalid, missing_scope
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.filter_storage import unsupported_config
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.representation import flag_texts, properties_of
from flagtui.service.flags.rows import make_room
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.flags.save import change_flag, create_flag, new_values, opened_values
from flagtui.service.responses import Response, respond, text_of, value_of

MOST_TARGETS = 50


def copy_flags(call: Call) -> Response:
    """Copy the flag to each target, over a flag with the same key; failures are listed."""
    if call.settings.strict and "feature_flag:write" not in call.caller.scopes:
        # The product keeps this even from keys that have every scope.
        raise missing_scope("feature_flag:write")
    body = call.body()
    targets, source_id = body.get("target_project_ids"), whole_number(body.get("from_project"))
    if not body.get("feature_flag_key") or source_id is None or not isinstance(targets, list) or not targets:
        raise _refusal(400, "Missing required fields")
    if len(targets) > MOST_TARGETS:
        raise _refusal(400, f"Cannot copy to more than {MOST_TARGETS} projects at once.")
    source, row = _source(call, source_id, str(body["feature_flag_key"]))
    succeeded: list[str] = []
    failed: list[Json] = []
    for target in targets:
        call.db.execute("SAVEPOINT copied_flag")
        try:
            succeeded += _copy(source, row, target, body)
        except Fault as fault:
            call.db.execute("ROLLBACK TO copied_flag")
            failed.append({"project_id": target, "error_message": _words(fault)})
        call.db.execute("RELEASE copied_flag")
    return respond({"success": [value_of(text) for text in succeeded], "failed": failed})


def _refusal(status: int, text: str) -> Fault:
    return hand_written(status, {"error": text})


def _words(fault: Fault) -> Json:
    body = value_of(fault.content.decode())
    return body.get("detail") or body.get("error")


def _source(call: Call, project_id: int, key: str) -> tuple[Call, sqlite3.Row]:
    """Return the flag to copy, and the request as if it had come for its project."""
    organization = called_organization(call)
    project = open_project(call.db, call.caller, project_id)
    row = None
    if project is not None and project.organization_id == organization["id"]:
        row = _by_key(call.db, project.id, key)
    if project is None or row is None:
        raise _refusal(400, "Feature flag to copy does not exist.")
    if not load_levels(call.db, call.caller, project).reaches(row["id"], "editor"):
        raise _refusal(403, "You do not have permission to copy this flag.")
    return replace(call, scoped_project=project), row


def _by_key(db: sqlite3.Connection, project_id: int, key: str) -> sqlite3.Row | None:
    return find(db, "flags", project_id=project_id, key=key, deleted=0)


def _copy(source: Call, row: sqlite3.Row, target_id: Json, body: Mapping[str, Json]) -> list[str]:
    number = whole_number(target_id)
    project = None if number is None else open_project(source.db, source.caller, number)
    if project is None or project.organization_id != source.project.organization_id:
        raise invalid("Project not found.")
    target = replace(source, scoped_project=project)
    values = opened_values(source, row)
    copied: Values = {name: values[name] for name in FLAGS.using(Use.COPIED)}
    copied["active"] = values["active"] and not body.get("disable_copied_flag")
    copied["filters"] = _moved_filters(source, target, values["filters"])
    present = _by_key(target.db, project.id, row["key"])
    if any(stored_version(flag["filters"]) != 1 for flag in (row, present) if flag is not None):
        raise unsupported_config(Fields(body))
    if present is None:
        make_room(target, row["key"])
        made = create_flag(target, new_values({"key": row["key"], **copied}))
    else:
        made = change_flag(target, present, {**opened_values(target, present), **copied})
    if body.get("copy_schedule"):
        _copy_schedule(source, target, row["id"], made["id"])
    return flag_texts(target, [made])


def _moved_filters(source: Call, target: Call, filters: Json) -> Json:
    """Return filters that point at cohorts and flags of the target project."""
    moved = value_of(text_of(filters))
    for item in properties_of(moved):
        if item.get("type") == "cohort":
            item["value"] = _moved_cohort(source, target, whole_number(item.get("value")), ())
        elif item.get("type") == "flag":
            item["key"] = _moved_dependency(source, target, whole_number(item.get("key")))
    return moved


def _moved_dependency(source: Call, target: Call, flag_id: int | None) -> str:
    source_flag = find(source.db, "flags", id=flag_id)
    target_flag = None if source_flag is None else _by_key(target.db, target.project.id, source_flag["key"])
    if target_flag is None:
        name = flag_id if source_flag is None else source_flag["key"]
        raise invalid(f"The flag depends on '{name}', which does not exist in the target project.")
    return str(target_flag["id"])


def _moved_cohort(source: Call, target: Call, cohort_id: int | None, above: tuple[int | None, ...]) -> int:
    """Return the cohort of the same name in the target, created if it does not exist.

    A cohort can depend on others.
    """
    row = find(source.db, "cohorts", id=cohort_id, deleted=0)
    if row is None or cohort_id in above:
        raise invalid(f"Cohort with id {cohort_id} does not exist")
    present = target.db.execute(
        "SELECT id FROM cohorts WHERE project_id = ? AND name = ? AND deleted = 0 ORDER BY id",
        (target.project.id, row["name"]),
    ).fetchone()
    if present is not None:
        return int(present["id"])
    filters = value_of(row["filters"])
    _move_inner_cohorts(source, target, filters, (*above, cohort_id))
    copied = {name: row[name] for name in ("name", "description", "is_static")}
    birth = {"created_by_id": target.caller.user_id, "created_at": target.stamp}
    values = {"project_id": target.project.id, **copied, "filters": text_of(filters), **birth}
    return insert_row(target.db, "cohorts", values)


def _move_inner_cohorts(source: Call, target: Call, part: Json, above: tuple[int | None, ...]) -> None:
    if isinstance(part, list):
        for inner in part:
            _move_inner_cohorts(source, target, inner, above)
    elif isinstance(part, dict):
        if part.get("type") == "cohort":
            part["value"] = _moved_cohort(source, target, whole_number(part.get("value")), above)
        for inner in part.values():
            _move_inner_cohorts(source, target, inner, above)


def _copy_schedule(source: Call, target: Call, from_id: int, to_id: int) -> None:
    columns = (
        "model_name, payload, scheduled_at, is_recurring, recurrence_interval, cron_expression,"
        " end_date, timezone"
    )
    target.db.execute(
        "INSERT INTO scheduled_changes"
        f" (project_id, record_id, created_by_id, created_at, updated_at, {columns})"
        f" SELECT ?, ?, ?, ?, ?, {columns} FROM scheduled_changes"
        " WHERE project_id = ? AND record_id = ? AND executed_at IS NULL",
        (
            *(target.project.id, str(to_id), target.caller.user_id, target.stamp, target.stamp),
            *(source.project.id, str(from_id)),
        ),
    )
