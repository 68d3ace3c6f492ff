"""Creating, reading and changing one flag."""

import sqlite3

from flagtui.evaluate.parts import is_known_version
from flagtui.service.answers import Answer, empty
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.database import fetch
from flagtui.service.errors import invalid
from flagtui.service.field_kinds import Values
from flagtui.service.flags.approvals import ask_for_approval, change_or_ask
from flagtui.service.flags.concurrency import without_clashes
from flagtui.service.flags.dashboards import add_usage_dashboard
from flagtui.service.flags.fields import check_required_marks, check_together, read_fields
from flagtui.service.flags.filter_storage import open_to_everyone, unsupported_config
from flagtui.service.flags.guards import archived_detail, check_guards
from flagtui.service.flags.representation import flag_answer
from flagtui.service.flags.rows import called_row
from flagtui.service.flags.save import create_flag, new_values, opened_values
from flagtui.service.flags.tombstones import key_when_deleted, key_when_restored, make_room


def retrieve(call: Call) -> Answer:
    return flag_answer(call, called_row(call, "viewer"))


def create(call: Call) -> Answer:
    sent = read_fields(call, Fields(call.body()), None)
    values = new_values(sent)
    check_together(values)
    check_required_marks(call, sent, None)
    if values["archived"] and values["active"]:
        raise invalid(archived_detail({"archived": False}))
    _check_count(call)
    if values["is_remote_configuration"]:
        values["filters"] = open_to_everyone(values["filters"])
    return ask_for_approval(call, None, {}, values) or flag_answer(call, _made(call, values), 201)


def _made(call: Call, values: Values) -> sqlite3.Row:
    make_room(call, values["key"])
    row = create_flag(call, values)
    if call.generation.makes_dashboards and call.body().get("_should_create_usage_dashboard", True):
        add_usage_dashboard(call, row)
    return fetch(call.db, "flags", row["id"])


def _check_count(call: Call) -> None:
    count = call.db.execute(
        "SELECT count(*) FROM flags WHERE project_id = ? AND deleted = 0", (call.project.id,)
    ).fetchone()[0]
    most = call.settings.max_flags
    if count >= most and call.generation.limits_flags:
        raise invalid(
            f"Maximum of {most:,} feature flags allowed per team. "
            "Please delete unused flags or contact support to increase this limit."
        )


def update(call: Call) -> Answer:
    row = called_row(call, "editor")
    before = opened_values(call, row)
    return change_or_ask(call, row, before, _updated(call, row, before))


def _updated(call: Call, row: sqlite3.Row, before: Values) -> Values:
    """All columns as the body wants them; raises whatever speaks against it."""
    fields = Fields(call.body())
    if not is_known_version(before["filters"]):
        raise unsupported_config(fields)
    sent = read_fields(call, Fields(without_clashes(call, fields, row, before)), row)
    sent.pop("creation_context", None)
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
    """The key after deletion, restoration or renaming."""
    key: str = after["key"]
    if after["deleted"] and not row["deleted"]:
        return key_when_deleted(call, row, key)
    if row["deleted"] and not after["deleted"] and "key" not in sent:
        return key_when_restored(call, row, key)
    if key != row["key"] and not after["deleted"]:
        make_room(call, key)
    return key


def refuse_deletion(call: Call) -> Answer:
    """405 without a body, whether or not there is such a flag: flags are deleted by an update."""
    return empty(405, {"Allow": "GET, PUT, PATCH, HEAD, OPTIONS"})
