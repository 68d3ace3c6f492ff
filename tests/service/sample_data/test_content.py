"""The sample's content: the same in every release that does not mean to change it, however it is written."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from tests.service.sample_data.conftest import NOW

from flagtui.service.access import ANONYMOUS, project_of
from flagtui.service.call import Call
from flagtui.service.database import Database
from flagtui.service.field_kinds import Values
from flagtui.service.flags.encryption import key_file_of, unseal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.save import change_flag, create_flag
from flagtui.service.sample_data.company import add_company
from flagtui.service.sample_data.data import format_stamp
from flagtui.service.sample_data.flag import SampleFlag, Saved, insert_flags
from flagtui.service.sample_data.flags import web_flags
from flagtui.service.settings import Settings

CONTENT: Final = """
activity 851 b5111cd5cab7
cohort_members 1561 7fc4166e136e
cohorts 8 bce3ec010019
distinct_ids 9146 522a79a11de8
early_access_features 3 7b4725f2ff9f
event_definitions 2116 6d719bd04b22
experiment_saved_metrics 4 561c287ab37d
experiments 35 e16569756a05
flags 292 2993f5647213
group_types 3 a511121ae4a2
groups 140 9ae4df8e2bca
holdouts 1 4b85a710365d
organization_members 12 bf0ad14bd4dd
organizations 1 638b2f2260c0
persons 9146 6e53edf92571
projects 2 24df92701e17
saved_metrics 2 edb74938d214
scheduled_changes 1 a880d656bb2e
surveys 1 d830d72b7ffa
users 12 bca209bdcb85
events 29609
"""
"""Rows and a digest of every table; of events the number alone, as libraries round their times otherwise."""
WITHOUT: Final = ("events", "revisions", "sqlite_sequence")
"""Counters are no content."""


@contextmanager
def fill_database(path: Path, fill: Callable[[sqlite3.Connection], None]) -> Iterator[sqlite3.Connection]:
    database = Database(path)
    database.write(fill).result()
    with database.reading() as db:
        yield db
    database.close()


def rows(db: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    """Without the ids of log entries, which are drawn, and with sealed payloads opened."""
    records = [dict(row) for row in db.execute(f"SELECT * FROM {table}")]
    for row in records:
        if table == "activity":
            del row["id"]
        if table == "flags" and row["has_encrypted_payloads"]:
            filters = json.loads(row["filters"])
            sealed = filters["payloads"]
            filters["payloads"] = {name: unseal(key_file_of(db), text) for name, text in sealed.items()}
            row["filters"] = filters
    return records


def digest(rows: list[dict[str, Any]]) -> str:
    return sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:12]


def test_sample_content_is_unchanged(company: sqlite3.Connection) -> None:
    names = company.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    content = {name: rows(company, name) for (name,) in names if name not in WITHOUT}
    lines = [f"{name} {len(records)} {digest(records)}" for name, records in content.items() if records]
    events = company.execute("SELECT count(*) FROM events").fetchone()[0]
    assert [*lines, f"events {events}"] == CONTENT.split("\n")[1:-1]


def side(saved: Saved, name: str) -> Values:
    """Columns as they were before or after; the log tells of what is empty as null."""
    values = {change["field"]: change[name] for change in saved.changes}
    return {field: FLAGS.defaults[field] if value is None else value for field, value in values.items()}


def live_through(db: sqlite3.Connection, flag: SampleFlag) -> None:
    """Makes and edits the flag as the service does when it is asked to, in the name of its authors."""

    def at(moment: datetime, author: int | None) -> Call:
        caller = replace(ANONYMOUS, user_id=author or 0)
        settings = Settings(key_file=key_file_of(db))
        return Call(db, settings, caller, project_of(db, flag.project), moment)

    if flag.state["version"] is None:
        insert_flags(db, [flag])
        return
    made, *edits = flag.log
    state = {**flag.state, "id": flag.id, "last_called_at": format_stamp(flag.called_at)}
    for saved in reversed(edits):
        state |= side(saved, "before")
    row = create_flag(at(made.at, made.author), state)
    for saved in edits:
        state |= side(saved, "after")
        row = change_flag(at(saved.at, saved.author), row, state)


def test_bulk_flags_equal_flags_saved_one_by_one(tmp_path: Path) -> None:
    def save(db: sqlite3.Connection) -> None:
        add_company(db, NOW)
        for flag in web_flags(NOW, 0)[0]:
            live_through(db, flag)

    def insert(db: sqlite3.Connection) -> None:
        add_company(db, NOW)
        insert_flags(db, iter(web_flags(NOW, 0)[0]))

    names = ("flags", "activity", "early_access_features")
    contents = []
    for fill in (save, insert):
        with fill_database(tmp_path / f"{fill.__name__}.db", fill) as db:
            contents.append({name: rows(db, name) for name in names})
    saved, inserted = contents
    assert saved == inserted
    assert len(saved["activity"]) > 150
