"""Copies of a flag in other projects of the organization, with the cohorts it asks for."""

import sqlite3
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from flagtui.service.access import called_organization, open_project
from flagtui.service.bodies import Fields, whole_number
from flagtui.service.call import Call
from flagtui.service.database import find, insert_row
from flagtui.service.errors import Fault, Json, invalid, missing_scope, plain_error
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.approval_gate import ask_for_approval
from flagtui.service.flags.dependency_copies import (
    describe_requirements,
    find_by_key,
    missing_dependencies,
)
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.filter_links import check_links
from flagtui.service.flags.filter_storage import unsupported_config
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.planned_changes import bind_request
from flagtui.service.flags.representation import flag_texts, properties_of
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.flags.save import (
    attempt,
    change_flag,
    create_flag,
    gated_change,
    new_values,
    opened_values,
)
from flagtui.service.responses import Response, respond, text_of, value_of

MOST_TARGETS = 50
_SCHEDULE = (
    *("model_name", "payload", "scheduled_at", "is_recurring", "recurrence_interval"),
    *("cron_expression", "end_date", "timezone"),
)


def copy_flags(call: Call) -> Response:
    """Copy the flag to each target, over a flag with the same key; failures are listed."""
    if call.settings.strict and "feature_flag:write" not in call.caller.scopes:
        # The product keeps this even from keys that have every scope.
        raise missing_scope("feature_flag:write")
    body = call.body()
    targets, source_id = body.get("target_project_ids"), whole_number(body.get("from_project"))
    if not body.get("feature_flag_key") or source_id is None or not isinstance(targets, list) or not targets:
        raise plain_error("Missing required fields")
    if len(targets) > MOST_TARGETS:
        raise plain_error(f"Cannot copy to more than {MOST_TARGETS} projects at once.")
    source, row = _source(call, source_id, str(body["feature_flag_key"]))
    succeeded: list[Json] = []
    failed: list[Json] = []
    for target in targets:
        call.db.execute("SAVEPOINT copied_flag")
        try:
            succeeded.append(_copy_chain(source, row, target, body))
        except CopyNeedsApproval as waiting:
            failed.append({"project_id": target, **waiting.row})
        except Fault as fault:
            call.db.execute("ROLLBACK TO copied_flag")
            failed.append({"project_id": target, "error_message": _words(fault)})
        call.db.execute("RELEASE copied_flag")
    return respond({"success": succeeded, "failed": failed})


def dependency_requirements(call: Call) -> Response:
    """Return whether the flags that a flag depends on can be copied with it."""
    fields = Fields(call.body())
    for name in ("feature_flag_key", "from_project"):
        fields.require(name)
    key, source_id = fields.text("feature_flag_key", blank=False), fields.number("from_project")
    ids = fields.required_items("target_project_ids", MOST_TARGETS)
    source, row = _source(call, source_id or 0, key or "")
    targets = [_target(source, target) for target in ids]
    return respond(describe_requirements(source, targets, row))


class CopyNeedsApproval(Exception):
    """A policy of the target covers the copy; its request is stored and writes the copy when approved."""

    def __init__(self, refusal: Response) -> None:
        body = value_of(refusal.content.decode())
        super().__init__(body["detail"])
        self.row = {
            "error_message": body["detail"],
            "approval_pending": True,
            "change_request_id": body["change_request_id"],
        }


def _words(fault: Fault) -> Json:
    body = value_of(fault.content.decode())
    return body.get("detail") or body.get("error")


def _source(call: Call, project_id: int, key: str) -> tuple[Call, sqlite3.Row]:
    """Return the flag to copy, and the request as if it had come for its project."""
    organization = called_organization(call)
    project = open_project(call.db, call.caller, project_id)
    if project is None or project.organization_id != organization["id"]:
        raise plain_error("Feature flag to copy does not exist.")
    source = replace(call, scoped_project=project)
    row = find_by_key(source, key)
    if row is None:
        raise plain_error("Feature flag to copy does not exist.")
    if not load_levels(call.db, call.caller, project).reaches(row["id"], "editor"):
        raise plain_error("You do not have permission to copy this flag.", 403)
    return source, row


def _copy_chain(source: Call, row: sqlite3.Row, target_id: Json, body: Mapping[str, Json]) -> Json:
    """Copy a flag, on request after the flags that it depends on and the target lacks."""
    if not body.get("copy_dependencies"):
        return _copy(source, row, target_id, body)
    missing = missing_dependencies(source, _target(source, target_id), row)
    for dependency in missing:
        _copy(source, dependency, target_id, {})
    shown = _copy(source, row, target_id, body)
    return {**shown, "copied_dependency_keys": [dependency["key"] for dependency in missing]}


def _copy(source: Call, row: sqlite3.Row, target_id: Json, body: Mapping[str, Json]) -> Json:
    """Return the flag that was made or changed in a target. Raises the reason why it was not."""
    target = _target(source, target_id)
    present = find_by_key(target, row["key"])
    levels = load_levels(target.db, target.caller, target.project)
    if not levels.reaches(0 if present is None else present["id"], "editor"):
        raise invalid("You do not have permission to copy flags to this project.")
    values = opened_values(source, row)
    copied: Values = {name: values[name] for name in FLAGS.using(Use.COPIED)}
    copied["active"] = values["active"] and not body.get("disable_copied_flag")
    copied["filters"] = _moved_filters(source, target, values["filters"])
    if any(stored_version(flag["filters"]) != 1 for flag in (row, present) if flag is not None):
        raise unsupported_config(Fields(body))
    before = {} if present is None else opened_values(target, present)
    check_links(target, copied["filters"], before.get("filters", {}), present)
    after = {**before, **copied} if present is not None else new_values({"key": row["key"], **copied})
    if present is not None:
        check_guards(target, present, before, after)
    refusal = ask_for_approval(target, gated_change(target, present, before, after))
    if refusal is not None:
        raise CopyNeedsApproval(refusal)
    made = create_flag(target, after) if present is None else change_flag(target, present, after)
    shown: dict[str, Json] = value_of(flag_texts(target, [made])[0])
    reason = _copy_schedule(source, target, row["id"], made["id"]) if body.get("copy_schedule") else None
    if reason is not None:
        shown["schedule_copy_warning"] = f"Flag copied but schedules failed: {reason}"
    return shown


def _target(source: Call, target_id: Json) -> Call:
    """Return the request as if it had come for the target project."""
    number = whole_number(target_id)
    project = None if number is None else open_project(source.db, source.caller, number)
    if project is None or project.organization_id != source.project.organization_id:
        raise invalid("Project not found.")
    return replace(source, scoped_project=project)


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
    target_flag = None if source_flag is None else find_by_key(target, source_flag["key"])
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


def _copy_schedule(source: Call, target: Call, from_id: int, to_id: int) -> str | None:
    """Copy the changes to come; return the first reason why one was not copied."""
    rows = target.db.execute(
        f"SELECT {', '.join(_SCHEDULE)} FROM scheduled_changes"
        " WHERE project_id = ? AND record_id = ? AND executed_at IS NULL ORDER BY scheduled_at, id",
        (source.project.id, str(from_id)),
    ).fetchall()
    place = {"project_id": target.project.id, "record_id": str(to_id), "created_by_id": target.caller.user_id}
    birth = {"created_at": target.stamp, "updated_at": target.stamp}

    def copy(row: sqlite3.Row) -> None:
        planned = value_of(row["payload"])
        if isinstance(planned.get("value"), dict):
            planned["value"] = _moved_filters(source, target, planned["value"])
        payload = text_of(planned)
        columns = {**dict(row), **place, **birth, "payload": payload}
        bind_request(target, insert_row(target.db, "scheduled_changes", columns), str(to_id), payload)

    reasons = [attempt(target.db, partial(copy, row)) for row in rows]
    return next((reason for reason in reasons if reason is not None), None)
