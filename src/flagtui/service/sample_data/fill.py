"""Puts the sample into an empty database, in one transaction; what hangs on flags comes last."""

import contextlib
import gc
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import chain
from random import Random

from flagtui.service.database import insert_row
from flagtui.service.responses import text_of
from flagtui.service.sample_data.company import (
    MOBILE,
    WEB,
    add_cohorts,
    add_companies,
    add_company,
    add_people,
    mobile_people,
    web_people,
)
from flagtui.service.sample_data.data import Moments, format_stamp, named_uuid, user
from flagtui.service.sample_data.definitions import add_definitions, mobile_definitions, web_definitions
from flagtui.service.sample_data.events import add_events
from flagtui.service.sample_data.experiments import add_experiments
from flagtui.service.sample_data.flag import insert_flags
from flagtui.service.sample_data.flags import FAMOUS_KEY, LISTED, mobile_flags, web_flags
from flagtui.service.sample_data.nasty import add_nasty_project
from flagtui.service.settings import Settings

SURVEYED = "survey-nps-q4"


def add_links(db: sqlite3.Connection, ids: Mapping[str, int], now: datetime) -> None:
    """Add records that refer to flags, whose `ids` are by key."""
    since = format_stamp(Moments(now).ago(26))
    survey = {"id": named_uuid(SURVEYED), "name": "Score of the fourth quarter", "created_at": since}
    insert_row(db, "surveys", {**survey, "project_id": WEB, "linked_flag_id": ids[SURVEYED]})
    everyone = {"groups": [{"properties": [], "rollout_percentage": 100}]}
    planned = {
        "project_id": WEB,
        "record_id": str(ids[FAMOUS_KEY]),
        "payload": text_of({"operation": "add_release_condition", "value": everyone}),
        "scheduled_at": format_stamp(due(now)),
        "created_at": since,
        "created_by_id": user("Alice"),
        "updated_at": since,
        "timezone": "UTC",
    }
    insert_row(db, "scheduled_changes", planned)


def due(now: datetime) -> datetime:
    """Return nine in the morning, three days from now."""
    return (now + timedelta(days=3)).replace(hour=9, minute=0, second=0, microsecond=0)


Fill = Callable[[sqlite3.Connection, datetime], None]
SORTED_AT_LAST = ("flags", "activity", "events", "persons", "distinct_ids")


def sample(*, flags: int | None = None, nasty: bool = False) -> Fill:
    """Return what `create_service` fills a new database with. Alice, the first user, owns everything.

    The first project lists `flags` flags, LISTED unless given, but never fewer than the hand-written ones.
    `nasty` adds a project whose every text is hostile.
    """

    def fill(db: sqlite3.Connection, now: datetime) -> None:
        with indexed_afterwards(db, *SORTED_AT_LAST), without_collecting():
            add_company(db, now)
            people = web_people(now)
            add_people(db, WEB, people)
            add_people(db, MOBILE, mobile_people(now))
            add_companies(db, WEB, now)
            add_cohorts(db, people, now)
            usual, others = web_flags(now, LISTED if flags is None else flags)
            insert_flags(db, chain(usual, others, mobile_flags(now)))
            ids = {flag.key: flag.id for flag in usual}
            add_links(db, ids, now)
            add_experiments(db, ids, now)
            add_events(db, people, now)
            add_definitions(db, WEB, web_definitions(Random("acme events")), now)
            add_definitions(db, MOBILE, mobile_definitions(Random("acme mobile events")), now)
            if nasty:
                add_nasty_project(db, now)

    return fill


def room_for(flags: int | None) -> int:
    """Return how many flags a project with so many in its sample may have."""
    return max(Settings.max_flags, 2 * (flags or 0))


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Pause garbage collection: with half a million new values it takes a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextlib.contextmanager
def indexed_afterwards(db: sqlite3.Connection, *tables: str) -> Iterator[None]:
    """Drop indexes of the tables meanwhile: sorting once at the end is several times quicker."""
    places = ", ".join("?" for _ in tables)
    indexes = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL"
        f" AND tbl_name IN ({places})",
        tables,
    ).fetchall()
    for name, _ in indexes:
        db.execute(f'DROP INDEX "{name}"')
    yield
    for _, sql in indexes:
        db.execute(sql)
