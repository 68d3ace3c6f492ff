"""Rows into tables, many at a time."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import blake2b
from random import Random
from typing import Any

Row = tuple[Any, ...]


def insert(db: sqlite3.Connection, table: str, columns: str, rows: Iterable[Row]) -> None:
    """`columns` is their names with commas between them, in the order of each row's values."""
    places = ", ".join("?" for _ in columns.split(","))
    db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)


@contextlib.contextmanager
def indexed_afterwards(db: sqlite3.Connection, *tables: str) -> Iterator[None]:
    """Indexes of the tables are dropped meanwhile: sorting once at the end is several times quicker."""
    places = ", ".join("?" for _ in tables)
    found = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"
        f" AND tbl_name IN ({places})",
        tables,
    ).fetchall()
    for name, _ in found:
        db.execute(f'DROP INDEX "{name}"')
    yield
    for _, sql in found:
        db.execute(sql)


def stamped(moment: datetime | None) -> str | None:
    """As the service's own clock writes it; moments here are in UTC, which makes it several times quicker."""
    return None if moment is None else moment.isoformat(timespec="microseconds")[:26] + "Z"


def random_uuid(random: Random) -> str:
    return dashed(f"{random.getrandbits(128):032x}")


def named_uuid(name: str) -> str:
    """The same UUID for the same name, always."""
    return dashed(blake2b(name.encode(), digest_size=16).hexdigest())


def dashed(digits: str) -> str:
    """Thirty-two hexadecimal digits as a UUID of version 4."""
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
