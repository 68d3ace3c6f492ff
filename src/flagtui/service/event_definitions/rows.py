"""One event definition: finding it, and the JSON text it is answered with."""

import sqlite3
from collections.abc import Sequence
from uuid import UUID

from flagtui.service.activity import Entry, record
from flagtui.service.answers import Answer, encode, spliced
from flagtui.service.call import Call
from flagtui.service.errors import Json, not_found, server_error

SCOPE = "EventDefinition"
JOINED = """
    SELECT d.*, owner.nested AS owner, verifier.nested AS verified_by, editor.nested AS updated_by,
        maker.nested AS created_by
    FROM event_definitions AS d
    LEFT JOIN users AS owner ON owner.id = d.owner_id
    LEFT JOIN users AS verifier ON verifier.id = d.verified_by_id
    LEFT JOIN users AS editor ON editor.id = d.updated_by_id
    LEFT JOIN users AS maker ON maker.id = d.created_by_id"""


def find_row(call: Call, name: str = "id") -> sqlite3.Row:
    """The definition that a part of the path names.

    404 when there is none; a service set to it answers 500 for a UUID that nobody has, as the product does.
    """
    known = uuid_text(call.params[name])
    if known is None:
        raise server_error() if call.settings.legacy else not_found()
    row = find_by_id(call.db, call.project.id, known)
    if row is None:
        raise server_error() if call.settings.unknown_definition_fails else not_found()
    return row


def find_by_id(db: sqlite3.Connection, project_id: int, definition_id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        f"{JOINED} WHERE d.project_id = ? AND d.id = ?", (project_id, definition_id)
    ).fetchone()
    return row


def uuid_text(text: Json) -> str | None:
    """The UUID as it is stored; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        return str(UUID(text))
    except ValueError:
        return None


def answer_row(call: Call, definition_id: str, status: int = 200) -> Answer:
    """The definition as it is now."""
    row = find_by_id(call.db, call.project.id, definition_id)
    assert row is not None, "written in this transaction"
    return spliced(definition_text(call, row), status)


def definition_texts(call: Call, rows: Sequence[sqlite3.Row]) -> list[str]:
    return [definition_text(call, row) for row in rows]


def definition_text(call: Call, row: sqlite3.Row) -> str:
    """JSON text; stored JSON is put in as it is."""
    fields = {
        **_base_fields(call, row),
        **({} if call.settings.unlicensed else _enterprise_fields(call, row)),
    }
    return "{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}"


def _base_fields(call: Call, row: sqlite3.Row) -> dict[str, str]:
    fields = {
        "id": _text(row["id"]),
        "name": _text(row["name"]),
        "created_at": _text(row["created_at"]),
        "last_seen_at": _text(row["last_seen_at"]),
        "last_updated_at": _text(row["last_updated_at"]),
        "tags": row["tags"] if has_tagging(call) else "[]",
        "is_action": "false",
        "action_id": "null",
        "is_calculating": "false",
        "last_calculated_at": "null",
        "created_by": row["created_by"] or "null",
        "post_to_slack": _truth(row["post_to_slack"]),
    }
    if not call.settings.legacy:
        fields["enforcement_mode"] = _text(row["enforcement_mode"])
        fields["primary_property"] = _text(row["primary_property"])
    return fields


def _enterprise_fields(call: Call, row: sqlite3.Row) -> dict[str, str]:
    fields = {
        "description": _text(row["description"]),
        "owner": row["owner"] or "null",
        "verified": _truth(row["verified"]),
        "verified_at": _text(row["verified_at"]),
        "verified_by": row["verified_by"] or "null",
        "hidden": _truth(row["hidden"]),
        "updated_at": _text(row["updated_at"]),
        "updated_by": row["updated_by"] or "null",
        "default_columns": row["default_columns"],
    }
    if not call.settings.legacy:
        fields["media_preview_urls"] = row["media_preview_urls"]
    return fields


def has_tagging(call: Call) -> bool:
    """Whether tags are kept and shown: not without the licence, nor where the project turns them off."""
    return not call.settings.unlicensed and bool(call.project.settings.get("tagging", True))


def log_change(call: Call, row: sqlite3.Row, activity: str, changes: list[dict[str, Json]]) -> None:
    detail = {"name": row["name"], "changes": changes, "short_id": None, "type": None, "trigger": None}
    caller = call.caller.user_id
    record(call.db, Entry(call.project.id, SCOPE, row["id"], activity, caller, call.stamp, detail))


def _text(value: Json) -> str:
    return encode(value).decode()


def _truth(value: int | None) -> str:
    return "null" if value is None else "true" if value else "false"
