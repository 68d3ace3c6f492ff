"""Operations on many flags at once. Flags that were skipped are listed beside the changed ones."""

import sqlite3
from collections.abc import Container, Iterable, Mapping

from flagtui.evaluate import wire
from flagtui.service.activity import change, log
from flagtui.service.bodies import read_id
from flagtui.service.call import Call
from flagtui.service.database import find, update_row
from flagtui.service.errors import Json, plain_error
from flagtui.service.field_kinds import Values
from flagtui.service.flags.approval_gate import covering_policy
from flagtui.service.flags.dependents import (
    IN_REPLAY,
    dependents_by_id,
    experiments_on,
    name_flags,
    named_experiments,
)
from flagtui.service.flags.fields import FLAGS, STAY_TAGGED
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.list import FILTERS, build_where
from flagtui.service.flags.rows import SCOPE, key_when_deleted, rows_by_id
from flagtui.service.flags.rules.documents import stored_version
from flagtui.service.flags.save import change_flag, gated_change, opened_values
from flagtui.service.flags.status import groups_of, percentage_of, variants_of
from flagtui.service.responses import Response, respond, text_of, value_of
from flagtui.service.tag_edits import TagEdit, edit_each, read_numbers, read_tag_edit

_FILTERS = {*FILTERS} - {"key", "has_evaluation_tags", "eligible_for_experiment"}

_APPROVAL = "Changes of this flag need approval: send this one as an update of the flag"


def bulk_keys(call: Call) -> Response:
    ids = call.body().get("ids")
    if not ids:
        return respond({"keys": {}})
    if not isinstance(ids, list):
        raise plain_error("Invalid flag IDs provided")
    numbers = [flag_number(value) for value in ids]
    wrong = [value for value, number in zip(ids, numbers, strict=True) if number is None]
    if len(wrong) == len(ids):
        raise plain_error("Invalid flag IDs provided")
    levels = load_levels(call.db, call.caller, call.project)
    rows = rows_by_id(call.db, call.project.id, [number for number in numbers if number is not None])
    keys = {str(number): rows[number]["key"] for number in sorted(rows) if levels.reaches(number, "viewer")}
    warning = {"warning": f"Invalid flag IDs ignored: {wrong}"} if wrong else {}
    return respond({"keys": keys, **warning})


def flag_number(value: Json) -> int | None:
    """Return an id as bulk operations take it: a number or its digits, and true is 1."""
    if isinstance(value, bool | int):
        return int(value) if abs(value) < 2**63 else None
    return read_id(value) if isinstance(value, str) else None


def matching_ids(call: Call) -> Response:
    ids = _editable_ids(call, call.query)
    return respond({"ids": ids, "total": len(ids)})


def _editable_ids(call: Call, query: Mapping[str, str]) -> list[int]:
    where = build_where(call, query)
    levels = load_levels(call.db, call.caller, call.project)
    rows = call.db.execute(
        f"SELECT id FROM flags WHERE {where} ORDER BY created_at DESC, id DESC", where.values
    )
    return [row["id"] for row in rows if levels.reaches(row["id"], "editor")]


def bulk_delete(call: Call) -> Response:
    """Soft-delete flags; versions stay except those of rules. Dependents in the same request hold no flag."""
    numbers = _read_ids(call)
    rows = rows_by_id(call.db, call.project.id, [number for _, number in numbers if number is not None])
    levels = load_levels(call.db, call.caller, call.project)
    dependents = dependents_by_id(call.db, call.project.id)
    deleted: list[Json] = []
    errors: list[Json] = []
    for requested, number in {
        str(requested) if number is None else number: (requested, number) for requested, number in numbers
    }.values():
        if number is None:
            errors.append({"id": requested, "reason": "Invalid flag ID format"})
        elif number not in rows or not levels.reaches(number, "editor"):
            errors.append({"id": number, "reason": "Flag not found"})
        elif (reason := _hindrance(call, rows[number], dependents.get(number, ()), rows)) is not None:
            errors.append({"id": number, "key": rows[number]["key"], "reason": reason})
        else:
            deleted.append(_delete(call, rows[number]))
    return respond({"deleted": deleted, "errors": errors})


def _read_ids(call: Call) -> list[tuple[Json, int | None]]:
    """Return each requested entry with its id."""
    body = call.body()
    ids, filters = body.get("ids"), body.get("filters")
    if ids and filters:
        raise plain_error("Provide either filters or ids, not both")
    if isinstance(ids, list) and ids:
        return [(value, flag_number(value)) for value in ids]
    if isinstance(filters, dict) and filters:
        unknown = [name for name in filters if name not in _FILTERS]
        if unknown:
            raise plain_error(f"Unknown filter keys: {', '.join(unknown)}")
        sent = {name: value for name, value in filters.items() if value is not None}
        query = {name: value if isinstance(value, str) else text_of(value) for name, value in sent.items()}
        return [(number, number) for number in _editable_ids(call, query)]
    raise plain_error("Must provide either filters or ids")


def _hindrance(
    call: Call, row: sqlite3.Row, dependents: Iterable[sqlite3.Row], batch: Container[int]
) -> str | None:
    """Return why a flag of the batch must stay."""
    if find(call.db, "early_access_features", flag_id=row["id"]):
        return "Cannot delete a feature flag that is in use with early access features"
    running = experiments_on(call.db, row["id"], running=True)
    if running:
        linked = named_experiments(running)
        return f"Cannot delete a feature flag linked to running experiment(s): {linked}"
    others = [flag for flag in dependents if flag["id"] not in batch]
    if others:
        listed_flags = name_flags(others, most=3, more=" and {} more")
        return f"Cannot delete because other flags depend on it: {listed_flags}"
    if row["id"] == call.project.replay_flag_id:
        return IN_REPLAY
    return _APPROVAL if _needs_approval(call, row, _deletion(row)) else None


def _deletion(row: sqlite3.Row) -> Values:
    return {"deleted": True} | ({"active": False} if stored_version(row["filters"]) == 2 else {})


def _delete(call: Call, row: sqlite3.Row) -> Json:
    if stored_version(row["filters"]) == 2:
        change_flag(call, row, FLAGS.decode(row) | _deletion(row))
    else:
        gone = {
            "key": key_when_deleted(call, row, row["key"]),
            "updated_at": call.stamp,
            "last_modified_by_id": call.caller.user_id,
            **_deletion(row),
        }
        update_row(call.db, "flags", row["id"], FLAGS.encode(gone))
        log(call, SCOPE, row, "deleted", [], name=row["key"])
    state, variant = _rollout(value_of(row["filters"]), active=bool(row["active"]))
    return {"id": row["id"], "key": row["key"], "rollout_state": state, "active_variant": variant}


def _rollout(filters: Mapping[str, Json], *, active: bool) -> tuple[str, str | None]:
    """Return the flag's last rollout state, for removing it from code."""
    if active and not wire.has_known_version(filters):
        return "partial", None
    groups = groups_of(filters)
    if not active or not any(percentage_of(group) > 0 for group in groups):
        return "not_rolled_out", None
    open_groups = [group for group in groups if percentage_of(group) == 100 and not group.get("properties")]
    if not open_groups:
        return "partial", None
    variants = variants_of(filters)
    if not variants:
        return "fully_rolled_out", None
    whole = [variant["key"] for variant in variants if variant.get("rollout_percentage") == 100]
    chosen = open_groups[0].get("variant") or (whole[0] if whole else None)
    return ("fully_rolled_out", chosen) if chosen else ("partial", None)


def bulk_update_tags(call: Call) -> Response:
    """Add, remove or replace tags without raising versions."""
    edit = read_tag_edit(call, read_numbers)
    rows = rows_by_id(call.db, call.project.id, edit.ids)
    levels = load_levels(call.db, call.caller, call.project)
    editable = {number: row for number, row in rows.items() if levels.reaches(number, "editor")}
    return edit_each(edit, editable, lambda row: _retag(call, row, edit))


def _retag(call: Call, row: sqlite3.Row, edit: TagEdit[int]) -> list[str] | str:
    before: list[str] = value_of(row["tags"])
    after = edit.apply(before)
    if after == sorted(before):
        return after
    if not after and call.project.settings.get("require_flag_tags"):
        return STAY_TAGGED
    if _needs_approval(call, row, {"tags": after}):
        return _APPROVAL
    update_row(call.db, "flags", row["id"], FLAGS.encode({"tags": after}))
    log(call, SCOPE, row, "updated", [change(SCOPE, "tags", before, after)], name=row["name"] or row["key"])
    return after


def _needs_approval(call: Call, row: sqlite3.Row, changes: Values) -> bool:
    before = opened_values(call, row)
    return covering_policy(call, gated_change(call, row, before, {**before, **changes})) is not None
