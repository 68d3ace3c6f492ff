"""Experiments in the database, each read together with the flag it rests on."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flagtui.service.database import insert_row
from flagtui.service.errors import not_found
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.field_kinds import Use, Values
from flagtui.service.flags.fields import FLAGS

_FLAG_COLUMNS: Final = ("project_id", "archived", *FLAGS.using(Use.SUMMARY))
_SELECT = f"""
    SELECT e.*, {", ".join(f"f.{name} AS flag_{name}" for name in _FLAG_COLUMNS)}
    FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id"""


def find(db: sqlite3.Connection, project_id: int, number: int | None, *, deleted: bool = False) -> Experiment:
    """One experiment of the project, a deleted one only when asked for; 404 otherwise."""
    row = None
    if number is not None:
        row = db.execute(f"{_SELECT} WHERE e.project_id = ? AND e.id = ?", (project_id, number)).fetchone()
    if row is None or (row["deleted"] and not deleted):
        raise not_found()
    return from_row(row)


def select(
    db: sqlite3.Connection, where: str, arguments: Sequence[Any] | Mapping[str, Any], tail: str = ""
) -> list[Experiment]:
    """Experiments that meet a condition on `e` and its flag `f`; `tail` orders and limits."""
    rows = db.execute(f"{_SELECT} WHERE {where} {tail}", arguments).fetchall()
    return [from_row(row) for row in rows]


def from_row(row: sqlite3.Row) -> Experiment:
    values = EXPERIMENTS.decoded(row)
    flag = {name: values.pop(f"flag_{name}") for name in _FLAG_COLUMNS}
    return Experiment({**values, "flag_id": flag["id"]}, LinkedFlag(FLAGS.decoded(flag)))


def find_flag(db: sqlite3.Connection, project_id: int, key: str) -> LinkedFlag | None:
    """The flag with that key that is not deleted."""
    return _one_flag(db, "project_id = ? AND key = ? AND deleted = 0", (project_id, key))


def flag_by_id(db: sqlite3.Connection, flag_id: int) -> LinkedFlag:
    flag = _one_flag(db, "id = ?", (flag_id,))
    if flag is None:
        raise not_found()
    return flag


def insert(db: sqlite3.Connection, values: Values) -> int:
    """Writes a new row and gives its id."""
    return insert_row(db, "experiments", EXPERIMENTS.stored(values))


def _one_flag(db: sqlite3.Connection, where: str, arguments: Sequence[Any]) -> LinkedFlag | None:
    row = db.execute(f"SELECT {', '.join(_FLAG_COLUMNS)} FROM flags WHERE {where}", arguments).fetchone()
    return None if row is None else LinkedFlag(FLAGS.decoded(row))
