"""The one file everything is kept in: a thread that writes, one for long reads, and connections to read."""

import contextlib
import os
import queue
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from flagtui.service.database_files import DatabaseFiles
from flagtui.service.reader import Reader, remember

WrittenT = TypeVar("WrittenT")
Work = Callable[[sqlite3.Connection], WrittenT]
"""Runs on a thread of the database inside one transaction; an exception rolls all of it back."""


MOST_IDLE = 1
"""Idle connections kept for reading: each has pages of the file in memory, and computed values."""
PAUSE = 0.01
"""Seconds between two attempts to change the journal mode, or to interrupt a write."""
Values = Mapping[str, Any]
"""Columns by name."""
Row = sqlite3.Row | Values


class DatabaseUnusable(Exception):
    """The file cannot be opened, read or written. The text is a sentence for a person, with what to do."""


def count_rows(db: sqlite3.Connection, sql: str, values: Mapping[str, Any]) -> int:
    """Return the only number of the result of `sql`, cached: counting a long list costs more than a page."""

    def count() -> int:
        number: int = db.execute(sql, values).fetchone()[0]
        return number

    return remember(db, (sql, frozenset(values.items())), count)


def find(db: sqlite3.Connection, table: str, **values: Any) -> sqlite3.Row | None:
    """Return a row with these values, of which None is SQL's null."""
    condition = " AND ".join(f"{name} IS :{name}" for name in values)
    row: sqlite3.Row | None = db.execute(f"SELECT * FROM {table} WHERE {condition}", values).fetchone()
    return row


def fetch(db: sqlite3.Connection, table: str, row_id: int | str | None) -> sqlite3.Row:
    """Return a row that is known to exist."""
    row = find(db, table, id=row_id)
    assert row is not None
    return row


def insert_row(db: sqlite3.Connection, table: str, values: Values) -> int:
    """Store a new row and return its id, where ids are numbers."""
    cursor = db.execute(_insertion(table, values), tuple(values.values()))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def insert_rows(db: sqlite3.Connection, table: str, rows: Iterable[Values]) -> None:
    """Store rows that all have the columns of the first, in its order."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is not None:
        db.executemany(_insertion(table, first), (tuple(row.values()) for row in chain((first,), remaining)))


def _insertion(table: str, columns: Values) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' for _ in columns)})"


def update_row(db: sqlite3.Connection, table: str, row_id: int | str, values: Values) -> None:
    places = ", ".join(f"{name} = ?" for name in values)
    db.execute(f"UPDATE {table} SET {places} WHERE id = ?", (*values.values(), row_id))


class Database:
    """Opens the file, creating and migrating it as needed; raises DatabaseUnusable with a sentence."""

    def __init__(self, path: Path, *, busy_seconds: float = 5.0) -> None:
        self.path = path
        self._busy = busy_seconds
        self._idle: queue.Queue[sqlite3.Connection] = queue.Queue(MOST_IDLE)
        self._idle_for_long: queue.Queue[sqlite3.Connection] = queue.Queue(MOST_IDLE)
        self._writer = _open(path, busy_seconds)
        self._files = DatabaseFiles(path)
        # One thread with a queue: writes happen one after the other, in the order they were asked for.
        self._writes = ThreadPoolExecutor(max_workers=1, thread_name_prefix="flagtui-writer")
        # An interruption while its thread starts would leave one that `interrupt` and `close` do not await.
        self._writes.submit(lambda: None).result()
        # One here too: Python does not count faster on several, and each would cache all people.
        self._long_reads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="flagtui-reader")

    def write(self, work: Work[WrittenT]) -> Future[WrittenT]:
        """Queue `work`; the future is done after the commit has reached the disk.

        It raises DatabaseMoved when the file is found elsewhere: before the work nothing is written, after
        the commit the change is only in the file that was moved.
        """

        def writing() -> WrittenT:
            self._files.check_file()
            result = _in_transaction(self._writer, work)
            self._files.check_all()
            return result

        return self._writes.submit(writing)

    def read_long(self, work: Work[WrittenT]) -> Future[WrittenT]:
        """Queue `work`, which only reads and takes more than a few milliseconds."""

        def reading() -> WrittenT:
            with self._reading(self._idle_for_long) as db:
                return work(db)

        return self._long_reads.submit(reading)

    def reading(self) -> contextlib.AbstractContextManager[sqlite3.Connection]:
        """Return a connection that cannot write and sees one moment of the database throughout.

        Entering it raises DatabaseMoved when the file is found elsewhere.
        """
        return self._reading(self._idle)

    @contextlib.contextmanager
    def _reading(self, idle: queue.Queue[sqlite3.Connection]) -> Iterator[sqlite3.Connection]:
        # Otherwise new connections would read another file, or make an empty one.
        self._files.check_file()
        try:
            connection = idle.get_nowait()
        except queue.Empty:
            connection = _connect(self.path, self._busy, Reader)
            connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")
            try:
                idle.put_nowait(connection)
            except queue.Full:
                connection.close()

    def interrupt(self) -> None:
        """Roll back the running write and those in the queue, unless they are committing; wait for that."""
        ended = self._writes.submit(lambda: None)
        while not ended.done():
            # It stops the statement that is running, and none that begins later.
            self._writer.interrupt()
            wait((ended,), timeout=PAUSE)

    def close(self) -> None:
        """Finish queued writes and the running read, then close the file. A second call does nothing."""
        self._writes.shutdown(wait=True)
        self._long_reads.shutdown(wait=True, cancel_futures=True)
        for idle in (self._idle, self._idle_for_long):
            with contextlib.suppress(queue.Empty):
                idle.get_nowait().close()
        self._writer.close()


@contextlib.contextmanager
def usable(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into DatabaseUnusable with a sentence."""
    try:
        yield
    except OSError as error:
        raise DatabaseUnusable(f"{path} cannot be opened: {error.strerror}. Check who owns it.") from error
    except sqlite3.DatabaseError as error:
        raise DatabaseUnusable(_sentence(path, error)) from error


def _in_transaction(connection: sqlite3.Connection, work: Work[WrittenT]) -> WrittenT:
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return result


def _open(path: Path, busy_seconds: float) -> sqlite3.Connection:
    _check_place(path)
    with contextlib.ExitStack() as undo:
        with usable(path):
            # SQLite would make the file readable by everybody; keys and people are in it.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            connection = _connect(path, busy_seconds)
            undo.callback(connection.close)
            use_write_ahead_log(connection, busy_seconds)
            connection.execute("PRAGMA synchronous = FULL")
            _migrate(connection, path)
        undo.pop_all()
    return connection


def use_write_ahead_log(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Change the journal mode, which SQLite refuses at once while another program does the same."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(PAUSE)


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise DatabaseUnusable(f"{path} is a directory. Give the name of a file.")
    if path.exists() and not path.is_file():
        raise DatabaseUnusable(f"{path} is no file. Give the name of one.")
    if not path.parent.is_dir():
        raise DatabaseUnusable(f"The directory {path.parent} does not exist. Create it first.")


def _connect(
    path: Path, busy_seconds: float, kind: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, factory=kind
    )
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    # SQLite's own function lowers the letters of ASCII alone.
    connection.create_function("lower", 1, lambda text: text and str(text).lower(), deterministic=True)
    return connection


def _sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    text = str(error)
    if "locked" in text or "busy" in text:
        return f"{path} is locked by another program. Stop it, or use another file."
    if "full" in text:
        return f"{path} cannot grow: the disk is full. Make room, or use another disk."
    if "not a database" in text or "malformed" in text or "encrypted" in text:
        return f"{path} is not a database of this service. Use another file, or move it away."
    if "readonly" in text or "unable to open" in text:
        return f"{path} or its directory cannot be written. Check who owns it."
    return f"{path} cannot be used: {text}."


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of every step from an empty file, in order."""
    folder = resources.files("flagtui.service") / "migrations"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda e: e.name)
    return tuple((int(entry.name.split("_")[0]), entry.read_text(encoding="utf-8")) for entry in files)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Take the steps that are missing, all or none; two programs that start at once take turns."""
    if _schema_number(connection) == migrations()[-1][0]:
        return
    _in_transaction(connection, lambda db: _take_steps(db, path))


def _take_steps(connection: sqlite3.Connection, path: Path) -> None:
    steps, current = migrations(), _schema_number(connection)
    if current > steps[-1][0]:
        raise DatabaseUnusable(f"{path} was written by a newer flagtui. Update flagtui, or use another file.")
    if current == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise DatabaseUnusable(f"{path} belongs to another program. Use another file.")
    for number, sql in steps:
        if number > current:
            for statement in _statements(sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _statements(sql: str) -> Iterator[str]:
    """Return the statements of a script: running a script as a whole would end the transaction."""
    waiting = ""
    for line in sql.splitlines(keepends=True):
        waiting += line
        if sqlite3.complete_statement(waiting):
            yield waiting
            waiting = ""
    yield waiting


def _schema_number(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number
