"""The database file: access rights, guarantees of an open file, and messages for an unusable one."""

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tests.doubles.service_world import starting

from flagtui.service import create_service
from flagtui.service.database import MOST_IDLE, Database, DatabaseUnusable, migrations
from flagtui.service.evaluation.stored import StoredPerson, load_people
from flagtui.service.reader import remember

ORGANIZATION = "INSERT INTO organizations VALUES (?, 'O', 'o', 'x', 1)"


def count_organizations(db: sqlite3.Connection) -> int:
    count: int = db.execute("SELECT count(*) FROM organizations").fetchone()[0]
    return count


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.db")
    yield database
    database.close()


def test_the_file_and_its_companions_belong_to_their_owner_alone(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    database.write(lambda db: db.execute("CREATE TABLE t (n)")).result()
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    database.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.db"]


def test_every_acknowledged_write_has_been_asked_onto_the_disk(database: Database) -> None:
    def settings(db: sqlite3.Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys")
        return [db.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert database.write(settings).result() == ["wal", 2, 1]


def test_an_open_file_has_its_writer(tmp_path: Path) -> None:
    # An interruption while the thread starts would leave one that nothing waits for.
    before = threading.enumerate()
    database = Database(tmp_path / "x.db")
    assert "flagtui-writer_0" in {thread.name for thread in threading.enumerate() if thread not in before}
    database.close()


def test_failed_and_interrupted_writes_leave_nothing(database: Database) -> None:
    began = threading.Event()

    def fail(db: sqlite3.Connection) -> None:
        db.execute(ORGANIZATION, ("o",))
        raise KeyError("later")

    def write_for_ever(db: sqlite3.Connection) -> None:
        db.execute(ORGANIZATION, ("o",))
        began.set()
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        db.execute(endless).fetchone()

    with pytest.raises(KeyError):
        database.write(fail).result()
    write = database.write(write_for_ever)
    assert began.wait(10)
    database.interrupt()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        write.result()
    with database.reading() as db:
        assert count_organizations(db) == 0


def test_readers_see_one_moment_and_cannot_write(database: Database) -> None:
    with database.reading() as db:
        assert count_organizations(db) == 0
        database.write(lambda writing: writing.execute(ORGANIZATION, ("a",))).result()
        assert count_organizations(db) == 0
        with pytest.raises(sqlite3.OperationalError):
            db.execute(ORGANIZATION, ("b",))
    with database.reading() as db:
        assert count_organizations(db) == 1
    with pytest.raises(sqlite3.OperationalError):
        database.read_long(lambda db: db.execute(ORGANIZATION, ("b",))).result()
    assert database.read_long(lambda db: db.in_transaction).result()


def test_closing_finishes_what_is_queued(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.db")
    gate = threading.Event()
    database.write(lambda _: gate.wait(5))
    queued = [database.write(partial(insert_organization, name=str(name))) for name in range(20)]
    threading.Timer(0.01, gate.set).start()
    database.close()
    assert all(future.done() and future.exception() is None for future in queued)
    again = Database(tmp_path / "x.db")
    with again.reading() as db:
        assert count_organizations(db) == 20
    again.close()


def insert_organization(db: sqlite3.Connection, name: str) -> None:
    db.execute(ORGANIZATION, (name,))


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = [number for number, _ in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


PROJECT: Final = """
    INSERT INTO organizations VALUES ('o', 'O', 'o', 'x', 1);
    INSERT INTO projects (id, uuid, organization_id, name, api_token, created_at)
        VALUES (1, 'p', 'o', 'P', 't', 'x');
"""
OLD: Final = """
    INSERT INTO flags (project_id, key, filters, created_at) VALUES
        (1, 'half', '{"groups":[{"properties":[],"rollout_percentage":50}]}', 'x'),
        (1, 'asked', '{"groups":[{"properties":[{"key":"a"}],"rollout_percentage":50}]}', 'x'),
        (1, 'odd', '{}', 'x');
    INSERT INTO approval_policies (id, organization_id, action, approvers, created_at)
        VALUES ('y', 'o', 'a', '{"quorum":2,"allow_self_approve":true}', 'x');
    INSERT INTO change_requests (id, project_id, policy_id, resource_type, action, intent, created_at)
        VALUES ('r', 1, 'y', 'feature_flag', 'a', '{}', 'x');
"""


def test_a_database_before_the_folders_opens_with_its_flags(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "x.db")
    for number, sql in migrations()[:3]:
        old.executescript(f"{sql};PRAGMA user_version = {number}")
    old.executescript(PROJECT + OLD)
    old.close()
    database = Database(tmp_path / "x.db")
    with database.reading() as db:
        rows = db.execute("SELECT key, is_simple, simple_rollout, folder FROM flags ORDER BY id").fetchall()
        # Requests without a body to apply: neither listed nor decided.
        assert db.execute("SELECT * FROM change_requests").fetchall() == []
        policy = db.execute("SELECT approvers, allow_self_approve FROM approval_policies").fetchone()
        assert tuple(policy) == ('{"quorum":2}', 1)
    database.close()
    folder = "Unfiled/Feature Flags"
    expected = [("half", 1, 50, folder), ("asked", 0, None, folder), ("odd", 0, None, folder)]
    assert [tuple(row) for row in rows] == expected


def test_a_file_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("This is a letter to grandmother, and nothing else at all.")
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE photos (n)")
    foreign.close()
    for name, words in (
        ("text.db", "is not a database of this service"),
        ("newer.db", "was written by a newer flagtui"),
        ("foreign.db", "belongs to another program"),
        (".", "is a directory"),
        ("nowhere/x.db", "does not exist. Create it first."),
    ):
        with pytest.raises(DatabaseUnusable, match=words):
            Database(tmp_path / name)
    with pytest.raises(DatabaseUnusable, match="is a directory"):
        create_service(Path())
    Database(tmp_path / "x.db").close()
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseUnusable, match="is locked by another program"):
        Database(tmp_path / "x.db", busy_seconds=0.05)
    other.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file; run it as another user")
def test_file_of_another_user_gets_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch(mode=0o000)
    with pytest.raises(DatabaseUnusable, match="Check who owns it"):
        Database(tmp_path / "x.db")


async def test_database_locked_by_another_program_responds_503(tmp_path: Path) -> None:
    async with starting(tmp_path / "x.db") as world:
        world.database.write(lambda db: db.execute("PRAGMA user_version")).result()
        other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        world.database._writer.execute("PRAGMA busy_timeout = 10")
        response = await world.ask("POST", "", {"key": "a"})
        assert (response.status_code, response.json()["code"]) == (503, "database_unavailable")
        assert response.headers["Retry-After"] == "1"
        assert await world.keys() == []
        other.execute("ROLLBACK")
        other.close()
        await world.flag("a")


def test_of_many_that_read_at_once_few_connections_stay_open(database: Database) -> None:
    with ExitStack() as reading:
        readers = [reading.enter_context(database.reading()) for _ in range(20)]
        assert len({id(each) for each in readers}) == 20
    assert [is_open(each) for each in readers].count(True) == MOST_IDLE
    with database.reading() as db:
        assert db in readers


def test_long_reads_share_the_cache_and_block_no_short_read(tmp_path: Path) -> None:
    database, gate = Database(tmp_path / "x.db"), threading.Event()
    numbers = count(1)

    def work_out(db: sqlite3.Connection) -> int:
        assert gate.wait(20)
        return remember(db, "people", lambda: next(numbers))

    read = [database.read_long(work_out) for _ in range(8)]
    with database.reading() as db:
        assert count_organizations(db) == 0
    gate.set()
    assert [each.result() for each in read] == [1] * 8
    database.close()


PEOPLE: Final = """
    INSERT INTO persons (id, project_id, uuid, created_at) VALUES (1, 1, 'a', 'x');
    INSERT INTO cohorts (id, project_id, name, is_static, created_at) VALUES (7, 1, 'C', 1, 'x');
"""


def test_people_are_read_again_only_when_they_change(database: Database) -> None:
    def execute(sql: str) -> None:
        database.write(lambda db: db.execute(sql)).result()

    def read() -> Sequence[StoredPerson]:
        return database.read_long(lambda db: load_people(db, 1)).result()

    for statement in (PROJECT + PEOPLE).split(";")[:-1]:
        execute(statement)
    people = read()
    execute("UPDATE organizations SET name = 'N'")
    assert read() is people
    for sql, state in (
        ("UPDATE persons SET properties = '{\"a\": 1}'", ("", {"a": 1}, frozenset())),
        ("INSERT INTO distinct_ids VALUES (1, 'ann', 1)", ("ann", {"a": 1}, frozenset())),
        ("UPDATE distinct_ids SET distinct_id = 'bea'", ("bea", {"a": 1}, frozenset())),
        ("INSERT INTO cohort_members VALUES (7, 1)", ("bea", {"a": 1}, frozenset({"7"}))),
        ("DELETE FROM cohorts", ("bea", {"a": 1}, frozenset())),
        ("DELETE FROM distinct_ids", ("", {"a": 1}, frozenset())),
    ):
        execute(sql)
        assert [(person.distinct_id, person.properties, person.cohorts) for person in read()] == [state], sql
    execute("DELETE FROM persons")
    assert read() == []


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
