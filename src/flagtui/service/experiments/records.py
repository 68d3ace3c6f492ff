"""An experiment as it is stored, with the flag it rests on."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from flagtui.service.answers import text_of, value_of
from flagtui.service.clock import read_stamp
from flagtui.service.errors import Json, not_found

Status = Literal["draft", "running", "paused", "stopped"]
JSON_COLUMNS = frozenset(
    {
        "parameters",
        "running_time_calculation",
        "excluded_variants",
        "metrics",
        "metrics_secondary",
        "secondary_metrics",
        "saved_metrics_ids",
        "filters",
        "exposure_criteria",
        "stats_config",
        "scheduling_config",
        "primary_metrics_ordered_uuids",
        "secondary_metrics_ordered_uuids",
    }
)
FLAG_COLUMNS = (
    "id",
    "project_id",
    "key",
    "name",
    "filters",
    "active",
    "archived",
    "deleted",
    "version",
    "ensure_experience_continuity",
    "evaluation_runtime",
    "evaluation_contexts",
    "bucketing_identifier",
    "has_encrypted_payloads",
)
_SELECT = f"""
    SELECT e.*, {", ".join(f"f.{name} AS flag_{name}" for name in FLAG_COLUMNS)}
    FROM experiments AS e JOIN flags AS f ON f.id = e.flag_id"""


@dataclass(frozen=True, slots=True)
class LinkedFlag:
    """What an experiment needs to know of a flag; `fields` are its columns with JSON decoded."""

    fields: Mapping[str, Json]

    @property
    def id(self) -> int:
        return int(self.fields["id"])

    @property
    def key(self) -> str:
        return str(self.fields["key"])

    @property
    def active(self) -> bool:
        return bool(self.fields["active"])

    @property
    def deleted(self) -> bool:
        return bool(self.fields["deleted"])

    @property
    def filters(self) -> dict[str, Json]:
        filters: dict[str, Json] = self.fields["filters"]
        return filters

    @property
    def variants(self) -> list[dict[str, Json]]:
        """Empty for a boolean flag."""
        found = (self.filters.get("multivariate") or {}).get("variants") or []
        return [variant for variant in found if isinstance(variant, dict)]

    @property
    def variant_keys(self) -> list[str]:
        return [str(variant.get("key")) for variant in self.variants]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One row; `fields` are its columns with JSON decoded."""

    fields: Mapping[str, Json]
    flag: LinkedFlag

    @property
    def id(self) -> int:
        return int(self.fields["id"])

    @property
    def project_id(self) -> int:
        return int(self.fields["project_id"])

    @property
    def start(self) -> datetime | None:
        return _moment(self.fields["start_date"])

    @property
    def end(self) -> datetime | None:
        return _moment(self.fields["end_date"])

    @property
    def is_launched(self) -> bool:
        return self.fields["start_date"] is not None

    @property
    def status(self) -> Status:
        """Derived, in this order: not started, ended, flag switched off, else running."""
        if not self.is_launched:
            return "draft"
        if self.fields["end_date"] is not None:
            return "stopped"
        return "running" if self.flag.active else "paused"

    @property
    def baseline(self) -> str:
        """The variant the others are compared with."""
        chosen = (self.fields["stats_config"] or {}).get("baseline_variant_key")
        keys = self.flag.variant_keys
        if chosen in keys:
            return str(chosen)
        return "control" if "control" in keys or not keys else keys[0]

    def metrics(self, kind: Literal["primary", "secondary"]) -> list[dict[str, Json]]:
        found = self.fields["metrics" if kind == "primary" else "metrics_secondary"]
        return [metric for metric in found or () if isinstance(metric, dict)]


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
    own = {name: row[name] for name in row.keys() if not name.startswith("flag_") or name == "flag_id"}  # noqa: SIM118
    for name in JSON_COLUMNS:
        own[name] = value_of(own[name])
    flag = {name: row[f"flag_{name}"] for name in FLAG_COLUMNS}
    return Experiment(own, _flag(flag))


def find_flag(db: sqlite3.Connection, project_id: int, key: str) -> LinkedFlag | None:
    """The flag with that key that is not deleted."""
    return _one_flag(db, "project_id = ? AND key = ? AND deleted = 0", (project_id, key))


def flag_by_id(db: sqlite3.Connection, flag_id: int) -> LinkedFlag:
    flag = _one_flag(db, "id = ?", (flag_id,))
    if flag is None:
        raise not_found()
    return flag


def insert(db: sqlite3.Connection, fields: Mapping[str, Json]) -> int:
    """Writes a new row and gives its id."""
    names = list(fields)
    marks = ", ".join("?" for _ in names)
    sql = f"INSERT INTO experiments ({', '.join(names)}) VALUES ({marks})"
    number = db.execute(sql, [stored(name, fields[name]) for name in names]).lastrowid
    assert number is not None
    return number


def update(db: sqlite3.Connection, number: int, changes: Mapping[str, Json]) -> None:
    """Writes some columns of one row."""
    pairs = ", ".join(f"{name} = ?" for name in changes)
    values = [stored(name, value) for name, value in changes.items()]
    db.execute(f"UPDATE experiments SET {pairs} WHERE id = ?", [*values, number])


def stored(name: str, value: Json) -> Json:
    """The value as the column keeps it."""
    if name in JSON_COLUMNS:
        return None if value is None else text_of(value)
    return value


def _one_flag(db: sqlite3.Connection, where: str, arguments: Sequence[Any]) -> LinkedFlag | None:
    row = db.execute(f"SELECT {', '.join(FLAG_COLUMNS)} FROM flags WHERE {where}", arguments).fetchone()
    return None if row is None else _flag(dict(row))


def _flag(fields: dict[str, Json]) -> LinkedFlag:
    decoded = {name: value_of(fields[name]) for name in ("filters", "evaluation_contexts")}
    return LinkedFlag({**fields, **decoded})


def _moment(text: str | None) -> datetime | None:
    return None if text is None else read_stamp(text)
