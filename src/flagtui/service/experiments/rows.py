"""Experiments in the database, each with the flag it rests on, which changes by the flags' own operations."""

import functools
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace
from starlette.datastructures import Headers

from flagtui.service.call import Call
from flagtui.service.database import insert_row
from flagtui.service.errors import Fault, Json, not_found
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.encryption import PLACEHOLDER
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.write_operations import create, update
from flagtui.service.operations import Handler
from flagtui.service.responses import Response, encode, value_of

_FLAG_COLUMNS: Final = ("project_id", "archived", *FLAGS.using(Use.SUMMARY))
_SELECT = f"""
    SELECT e.*, {", ".join(f"f.{name} AS flag_{name}" for name in _FLAG_COLUMNS)}
    FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id"""


def find(db: sqlite3.Connection, project_id: int, number: int | None, *, deleted: bool = False) -> Experiment:
    """Return an experiment of the project, a deleted one only on request; raises 404 otherwise."""
    row = None
    if number is not None:
        row = db.execute(f"{_SELECT} WHERE e.project_id = ? AND e.id = ?", (project_id, number)).fetchone()
    if row is None or (row["deleted"] and not deleted):
        raise not_found()
    return from_row(row)


def select(
    db: sqlite3.Connection, where: str, arguments: Sequence[Any] | Mapping[str, Any], tail: str = ""
) -> list[Experiment]:
    """Return experiments that meet a condition on `e` and its flag `f`; `tail` orders and limits."""
    rows = db.execute(f"{_SELECT} WHERE {where} {tail}", arguments).fetchall()
    return [from_row(row) for row in rows]


def from_row(row: sqlite3.Row) -> Experiment:
    values = EXPERIMENTS.decode(row)
    flag = {name: values.pop(f"flag_{name}") for name in _FLAG_COLUMNS}
    return Experiment({**values, "flag_id": flag["id"]}, LinkedFlag.of(FLAGS.decode(flag)))


def find_flag(db: sqlite3.Connection, project_id: int, key: str) -> LinkedFlag | None:
    return _one_flag(db, "project_id = ? AND key = ? AND deleted = 0", (project_id, key))


def insert(db: sqlite3.Connection, values: Values) -> int:
    return insert_row(db, "experiments", EXPERIMENTS.encode(values))


def _one_flag(db: sqlite3.Connection, where: str, arguments: Sequence[Any]) -> LinkedFlag | None:
    row = db.execute(f"SELECT {', '.join(_FLAG_COLUMNS)} FROM flags WHERE {where}", arguments).fetchone()
    return None if row is None else LinkedFlag.of(FLAGS.decode(row))


_JSON = Headers({"content-type": "application/json"})


class AwaitsApproval(Fault):
    """The change of the flag needs approval first; the change request has been stored."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status, None)
        self.content = response.content
        self.response = response


def create_flag(call: Call, body: Mapping[str, Json]) -> LinkedFlag:
    """Make a flag in the same transaction; faults are those of creating a flag."""
    return _written_flag(call, create(replace(call, method="POST", raw_body=encode(body), headers=_JSON)))


def change_flag(call: Call, flag: LinkedFlag, changes: Mapping[str, Json]) -> LinkedFlag:
    """Change a flag in the same transaction; faults are those of changing a flag."""
    params, body = {**call.params, "id": str(flag.id)}, encode(_with_placeholders(flag, changes))
    changed = update(replace(call, method="PATCH", params=params, raw_body=body, headers=_JSON))
    return _written_flag(call, changed)


def _with_placeholders(flag: LinkedFlag, changes: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the changes with a placeholder for each encrypted payload that stays as it is stored."""
    if "filters" not in changes or not flag.fields["has_encrypted_payloads"]:
        return changes
    filters, stored = changes["filters"], flag.filters.get("payloads") or {}
    payloads = {
        name: PLACEHOLDER if stored.get(name) == payload else payload
        for name, payload in (filters.get("payloads") or {}).items()
    }
    return {**changes, "filters": {**filters, "payloads": payloads}}


def keeping_requests(handler: Handler) -> Handler:
    """Respond with a required approval without rolling back its request.

    For handlers that write nothing before they change the flag.
    """

    @functools.wraps(handler)
    def handle(call: Call) -> Response:
        try:
            return handler(call)
        except AwaitsApproval as pending:
            return pending.response

    return handle


def _written_flag(call: Call, given: Response) -> LinkedFlag:
    if given.status >= 400:
        raise AwaitsApproval(given)
    flag = _one_flag(call.db, "id = ?", (value_of(given.content.decode())["id"],))
    assert flag is not None
    return flag
