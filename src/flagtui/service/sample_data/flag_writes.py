"""Flags and their log into the database: as the service saves them, or as rows when they are very many."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Final

from flagtui.service.access import NOBODY, project_of
from flagtui.service.answers import text_of
from flagtui.service.call import Call, Caller, unsent_call
from flagtui.service.database import insert_row, insert_rows
from flagtui.service.field_kinds import Values
from flagtui.service.flags.encryption import key_file_of, seal
from flagtui.service.flags.fields import FLAGS
from flagtui.service.flags.rows import SCOPE
from flagtui.service.flags.save import change_flag, create_flag
from flagtui.service.sample_data.data import named_uuid, stamped
from flagtui.service.sample_data.flag import Entry, SampleFlag
from flagtui.service.settings import Settings

AT_ONCE: Final = 2_000


def save_flags(db: sqlite3.Connection, flags: Iterable[SampleFlag], now: datetime) -> None:
    """Lives every flag through, from its making on, in the name of its authors."""
    settings = Settings(key_file=key_file_of(db))
    calls: dict[int, Call] = {}
    for flag in flags:
        if flag.project not in calls:
            calls[flag.project] = unsent_call(db, settings, NOBODY, project_of(db, flag.project), now)
        if flag.log:
            _save(calls[flag.project], flag)
        else:
            # What is older than versions cannot be saved by what counts them.
            insert_row(db, "flags", _row(db, flag))
        _add_early_access(db, [flag])


def _save(call: Call, flag: SampleFlag) -> None:
    def at(entry: Entry) -> Call:
        return replace(call, now=entry.at, caller=_caller(entry.author or 0))

    made, *edits = flag.log
    state = made.written
    row = create_flag(at(made), {**state, "id": flag.id, "last_called_at": stamped(flag.called_at)})
    for entry in edits:
        state = {**state, **entry.written}
        row = change_flag(at(entry), row, state)


@cache
def _caller(user_id: int) -> Caller:
    return replace(NOBODY, user_id=user_id)


def insert_flags(db: sqlite3.Connection, flags: Iterable[SampleFlag]) -> None:
    """A few at a time, so that a hundred thousand need no more memory than a few."""
    remaining = iter(flags)
    while some := list(islice(remaining, AT_ONCE)):
        insert_rows(db, "flags", (_row(db, flag) for flag in some))
        entries = (_log_row(flag, number) for flag in some for number in range(len(flag.log)))
        insert_rows(db, "activity", entries)
        _add_early_access(db, some)


def _add_early_access(db: sqlite3.Connection, flags: Iterable[SampleFlag]) -> None:
    enrolling = (flag for flag in flags if flag.filters.get("feature_enrollment"))
    rows = (
        {
            "id": named_uuid(f"early {flag.id}"),
            "project_id": flag.project,
            "flag_id": flag.id,
            "name": flag.state["name"],
            "stage": "beta",
            "created_at": stamped(flag.created_at),
        }
        for flag in enrolling
    )
    insert_rows(db, "early_access_features", rows)


def _row(db: sqlite3.Connection, flag: SampleFlag) -> Values:
    filters = flag.filters
    if flag.state["has_encrypted_payloads"]:
        sealed = {name: seal(key_file_of(db), payload) for name, payload in filters["payloads"].items()}
        filters = {**filters, "payloads": sealed}
    return FLAGS.stored(
        {
            **flag.state,
            "filters": filters,
            "id": flag.id,
            "project_id": flag.project,
            "created_by_id": flag.author,
            "created_at": stamped(flag.created_at),
            "updated_at": stamped(flag.updated_at),
            "last_modified_by_id": flag.modified_by,
            "last_called_at": stamped(flag.called_at),
        }
    )


def _log_row(flag: SampleFlag, number: int) -> Values:
    entry = flag.log[number]
    detail = {"name": entry.name, "type": None, "short_id": None, "trigger": None, "changes": entry.changes}
    return {
        "id": f"{flag.id:08x}-0000-7000-8000-{number:012x}",
        "project_id": flag.project,
        "scope": SCOPE,
        "item_id": str(flag.id),
        "activity": entry.activity,
        "user_id": entry.author,
        "is_system": False,
        "created_at": stamped(entry.at),
        "detail": text_of(detail),
    }
