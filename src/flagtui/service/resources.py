"""Small records of a project, one table for each kind, with the same five operations."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import ClassVar

from flagtui.service.bodies import LARGEST, Fields
from flagtui.service.call import Call
from flagtui.service.database import fetch, find, insert_row, update_row
from flagtui.service.errors import not_found
from flagtui.service.field_kinds import Table, Target, Use, Values
from flagtui.service.list_filters import Filter, Where, narrow
from flagtui.service.pagination import page, window
from flagtui.service.projects import nested_users
from flagtui.service.responses import Response, join_object, respond_text


def find_row(db: sqlite3.Connection, table: str, project_id: int, number: int | None) -> sqlite3.Row | None:
    """Return a record of the project; None also for a number that is too large for an id."""
    if number is None or abs(number) > LARGEST:
        return None
    return find(db, table, id=number, project_id=project_id)


def refuse_deletion(call: Call) -> Response:
    """Respond 405 without a body, for every id: such records are deleted by an update."""
    return Response(status=405, headers={"Allow": "GET, PUT, PATCH, HEAD, OPTIONS"})


class Resource:
    """One kind of record; the methods that take a call alone are handlers."""

    table: str
    fields: Table
    order = "created_at DESC, id DESC"
    filters: ClassVar[Mapping[str, Filter]] = {}
    """By parameter of the list."""

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("limit", "offset", *self.filters)

    def scope(self, call: Call) -> Where:
        """Return the condition on the records of the project."""
        return Where(["project_id = :project"], {"project": call.project.id})

    def called_id(self, call: Call) -> int | str | None:
        """Return the id of the record that the path names; None when it cannot be one."""
        return call.number("id")

    def check(self, call: Call, row: sqlite3.Row | None, columns: Values) -> None:
        """Raise faults between fields; `row` is None for a new record."""

    def born(self, call: Call) -> Values:
        """Return the columns of a new record that no body names."""
        return {}

    def follow(self, call: Call, number: int, columns: Values) -> None:
        """Apply further changes after these columns have been written."""

    def leave(self, call: Call, row: sqlite3.Row) -> None:
        """Apply further changes before a record is deleted."""

    def list_all(self, call: Call) -> Response:
        part, where = window(call), self.scope(call)
        narrow(call, where, self.filters, call.query)
        sql = f"SELECT * FROM {self.table} WHERE {where} ORDER BY {self.order}"
        rows = call.db.execute(sql, where.values).fetchall()
        return page(call, len(rows), self.texts(call, rows[part.offset : part.offset + part.limit]), part)

    def retrieve(self, call: Call) -> Response:
        return self._answer(call, self.find_called(call))

    def create(self, call: Call) -> Response:
        columns = self.fields.read(Fields(call.body()), Target(call), needed=True)
        self.check(call, None, columns)
        birth = {"created_at": call.stamp, "updated_at": call.stamp, "created_by_id": call.caller.user_id}
        stored = self.fields.encode({**columns, **birth, **self.born(call), "project_id": call.project.id})
        number = insert_row(call.db, self.table, stored)
        self.follow(call, number, columns)
        return self._answer(call, fetch(call.db, self.table, stored.get("id", number)), 201)

    def update(self, call: Call) -> Response:
        row = self.find_called(call)
        columns = self.fields.read(Fields(call.body()), Target(call, row))
        self.check(call, row, columns)
        stored = self.fields.encode({**columns, "updated_at": call.stamp})
        update_row(call.db, self.table, row["id"], stored)
        self.follow(call, row["id"], columns)
        return self.retrieve(call)

    def delete(self, call: Call) -> Response:
        row = self.find_called(call)
        self.leave(call, row)
        call.db.execute(f"DELETE FROM {self.table} WHERE id = ?", (row["id"],))
        return Response(status=204)

    def texts(self, call: Call, rows: Sequence[sqlite3.Row]) -> list[str]:
        """Return the JSON texts of the records, the same for every response."""
        users = nested_users(call.db, (row["created_by_id"] for row in rows))
        return [
            join_object(self.fields.texts(row, Use.NONE) | {"created_by": users[row["created_by_id"]]})
            for row in rows
        ]

    def find_called(self, call: Call) -> sqlite3.Row:
        where = self.scope(call)
        where.add("id = :id", id=self.called_id(call))
        sql = f"SELECT * FROM {self.table} WHERE {where}"
        row: sqlite3.Row | None = call.db.execute(sql, where.values).fetchone()
        if row is None:
            raise not_found()
        return row

    def _answer(self, call: Call, row: sqlite3.Row, status: int = 200) -> Response:
        return respond_text(self.texts(call, [row])[0], status)
