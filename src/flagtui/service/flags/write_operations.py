"""Creating, reading and changing one flag, including stale versions and conflicts."""

import sqlite3
from collections.abc import Mapping

from flagtui.evaluate import wire
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import fetch, find
from flagtui.service.errors import Fault, Json, conflict, invalid
from flagtui.service.field_kinds import Values
from flagtui.service.flags.approval_gate import ask_for_approval
from flagtui.service.flags.dashboards import add_usage_dashboard
from flagtui.service.flags.dependents import archived_detail, check_guards
from flagtui.service.flags.fields import (
    FLAGS,
    MAKES_DASHBOARD,
    check_required_marks,
    check_together,
    read_fields,
)
from flagtui.service.flags.filter_storage import open_to_everyone, unsupported_config, without_additions
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.representation import flag_answer
from flagtui.service.flags.rows import called_row, key_when_deleted, key_when_restored
from flagtui.service.flags.rules.writes import (
    create_rules_flag,
    is_rules_creation,
    is_rules_flag,
    update_rules_flag,
)
from flagtui.service.flags.save import change_or_ask, create_flag, gated_change, new_values, opened_values
from flagtui.service.responses import Response

_NOT_FIELDS = ("version", "original_flag")


def retrieve(call: Call) -> Response:
    return flag_answer(call, called_row(call, "viewer"))


def create(call: Call) -> Response:
    check_level(call, 0, "editor")
    if is_rules_creation(call, body := call.body()):
        return create_rules_flag(call, body)
    sent = read_fields(call, Fields(body), None)
    wants_dashboard = sent.pop(MAKES_DASHBOARD, call.generation.makes_dashboards)
    values = new_values(sent)
    check_together(values)
    check_required_marks(call, sent, None)
    if values["archived"] and values["active"]:
        raise invalid(archived_detail({"archived": False}))
    if values["is_remote_configuration"]:
        values["filters"] = open_to_everyone(values["filters"])
    refusal = ask_for_approval(call, gated_change(call, None, {}, values))
    return refusal or flag_answer(call, store_new_flag(call, values, wants_dashboard), 201)


def store_new_flag(call: Call, values: Values, wants_dashboard: bool = False) -> sqlite3.Row:
    row = create_flag(call, values)
    if wants_dashboard:
        add_usage_dashboard(call, row)
    return fetch(call.db, "flags", row["id"])


def update(call: Call) -> Response:
    row = called_row(call, "editor")
    if is_rules_flag(call, row):
        return update_rules_flag(call, row, call.body())
    before = opened_values(call, row)
    return change_or_ask(call, row, before, _update_values(call, row, before))


def _update_values(call: Call, row: sqlite3.Row, before: Values) -> Values:
    """Return all columns after the change; raise the first reason against it."""
    fields = Fields(call.body())
    if not wire.has_known_version(before["filters"]):
        raise unsupported_config(fields)
    if call.method == "PUT":
        fields.require("key")
    sent = read_fields(call, Fields(drop_echoes(call, fields, row, before)), row)
    if sent.pop(MAKES_DASHBOARD, False):
        detail = "Only a new flag gets its dashboard this way. Send POST …/dashboard/ for this one."
        raise invalid(detail, MAKES_DASHBOARD)
    if "analytics_dashboards" in sent:
        added = {*before["analytics_dashboards"], *sent["analytics_dashboards"]}
        sent["analytics_dashboards"] = sorted(added)
    after: Values = {**before, **sent}
    check_together(after)
    check_required_marks(call, sent, row)
    check_guards(call, row, before, after)
    if after["is_remote_configuration"] and "filters" in sent:
        after["filters"] = open_to_everyone(after["filters"])
    after["key"] = _moved_key(call, row, after, sent)
    return after


def _moved_key(call: Call, row: sqlite3.Row, after: Values, sent: Values) -> str:
    """Return the key after deletion, restoration or renaming."""
    key: str = after["key"]
    if after["deleted"] and not row["deleted"]:
        return key_when_deleted(call, row, key)
    if row["deleted"] and not after["deleted"] and "key" not in sent:
        return key_when_restored(call, row, key)
    return key


def drop_echoes(call: Call, fields: Fields, row: sqlite3.Row, stored: Values) -> Mapping[str, Json]:
    """Return the body less its stale echoes: fields equal to what the writer began from.

    A field conflicts when the writer changed it and the stored value changed to something else: 409.
    """
    body = fields.sent
    version = fields.number("version", null=True)
    # As text it is valid and equals no version.
    if version is None or body["version"] in (-1, row["version"]):
        return body
    if call.settings.strict_versions:
        raise _conflict(call.db, row)
    original = body.get("original_flag")
    if not isinstance(original, dict) or not original:
        return body
    for name in body:
        if name in original and name not in _NOT_FIELDS and _is_conflict(name, body, original, stored):
            raise _conflict(call.db, row)
    if not call.generation.drops_echoes:
        return body
    return {name: value for name, value in body.items() if not _is_echo(name, value, original)}


def _is_conflict(name: str, body: Mapping[str, Json], original: Mapping[str, Json], stored: Values) -> bool:
    new, old, current = (
        _comparable(value) for value in (body.get(name), original.get(name), stored.get(FLAGS.place(name)))
    )
    return new != old and current not in (new, old)


def _is_echo(name: str, value: Json, original: Mapping[str, Json]) -> bool:
    return name in original and name not in _NOT_FIELDS and _comparable(value) == _comparable(original[name])


def _comparable(value: Json) -> Json:
    return without_additions(value) if isinstance(value, dict) else value


def _conflict(db: sqlite3.Connection, row: sqlite3.Row) -> Fault:
    user = find(db, "users", id=row["last_modified_by_id"])
    who = user["email"] if user else "another user"
    return conflict(
        f"The feature flag was updated by {who} since you started editing it. Please refresh and try again."
    )
