"""First event: entries written with the change they describe, and the feeds that show them."""

import secrets
import sqlite3
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flagtui.service.bodies import LARGEST
from flagtui.service.call import Call
from flagtui.service.database import Row, insert_row
from flagtui.service.errors import Json
from flagtui.service.pagination import link, strict_number
from flagtui.service.responses import Response, respond_text, text_of

_SYSTEM = '{"first_name":"System","email":null,"is_system":true}'

_FEED = """
    SELECT a.id, a.activity, a.scope, a.item_id, a.detail, a.created_at, a.is_system, u.first_name, u.email
    FROM activity AS a LEFT JOIN users AS u ON u.id = a.user_id
    WHERE a.project_id = ? AND a.scope = ?{item} ORDER BY a.created_at DESC, a.rowid DESC LIMIT ? OFFSET ?"""


Changes = list[dict[str, Json]]
"""Lines of `change`."""


class Entry(NamedTuple):
    """One action in the activity log. `detail` has at least `name`; `user_id` None is the system."""

    project_id: int
    scope: str
    item_id: str
    activity: str
    user_id: int | None
    created_at: str
    detail: Mapping[str, Json]


def record(db: sqlite3.Connection, entry: Entry) -> None:
    """Write an entry; call it in the transaction of the change itself."""
    detail, is_system = text_of(entry.detail), entry.user_id is None
    stored = {**entry._asdict(), "id": ordered_uuid(), "detail": detail, "is_system": is_system}
    insert_row(db, "activity", stored)


def log(call: Call, scope: str, row: Row, verb: str, changes: Changes | None, **overrides: Json) -> None:
    """Log a change by the caller; `overrides` replace members of the detail, such as its `name`."""
    detail = {"name": row["name"], "type": None, "short_id": None, "trigger": None, "changes": changes}
    caller, item = call.caller.user_id, str(row["id"])
    record(call.db, Entry(row["project_id"], scope, item, verb, caller, call.stamp, detail | overrides))


def ordered_uuid() -> str:
    """Return a UUID of version 7: later ones sort after earlier ones."""
    number = (time.time_ns() // 1_000_000) << 80 | 0x7 << 76 | secrets.randbits(76)
    number = number & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=number))


def change(scope: str, field: str, before: Json, after: Json) -> dict[str, Json]:
    """Return one line of `detail.changes`; a value that was or becomes empty makes it created or deleted.

    The empty side is null then, whichever kind of empty it was.
    """
    action = "changed"
    if _is_empty(before):
        action, before = "created", None
    elif _is_empty(after):
        action, after = "deleted", None
    return {"type": scope, "action": action, "field": field, "before": before, "after": after}


def _is_empty(value: Json) -> bool:
    return value is None or value in ("", [], {})


def changes_between(
    scope: str, before: Mapping[str, Json], after: Mapping[str, Json], fields: Sequence[str]
) -> Changes:
    """Return a line for each field that differs, in the order given.

    One kind of empty is no other than another.
    """
    sides = ((name, before.get(name), after.get(name)) for name in fields)
    return [
        change(scope, name, old, new)
        for name, old, new in sides
        if old != new and not (_is_empty(old) and _is_empty(new))
    ]


def feed(call: Call, scope: str, item_id: str | None = None) -> Response:
    """Return a page of the feed of one record or of all of a kind, newest first. Pages are counted from 1."""
    limit, number = strict_number(call, "limit", 10, 1), strict_number(call, "page", 1, 1)
    item, arguments = ("", []) if item_id is None else (" AND a.item_id = ?", [item_id])
    where: list[Json] = [call.project.id, scope, *arguments]
    counting = "SELECT count(*) FROM activity AS a WHERE a.project_id = ? AND a.scope = ?" + item
    total = call.db.execute(counting, where).fetchone()[0]
    offset = min((number - 1) * limit, LARGEST)
    rows = call.db.execute(_FEED.format(item=item), [*where, limit, offset]).fetchall()
    after = link(call, page=str(number + 1), limit=str(limit)) if offset + limit < total else None
    before = link(call, page=str(number - 1), limit=str(limit)) if number > 1 else None
    return respond_text(
        f'{{"results":[{",".join(map(_entry_text, rows))}],"next":{text_of(after)}'
        f',"previous":{text_of(before)},"total_count":{total}}}'
    )


def _entry_text(row: sqlite3.Row) -> str:
    head = {"id": row["id"], "activity": row["activity"], "scope": row["scope"], "item_id": row["item_id"]}
    user = _SYSTEM if row["is_system"] else _user_text(row)
    created_at = text_of(row["created_at"])
    return f'{text_of(head)[:-1]},"user":{user},"detail":{row["detail"]},"created_at":{created_at}}}'


def _user_text(row: sqlite3.Row) -> str:
    return text_of({"first_name": row["first_name"] or "", "email": row["email"] or ""})
