"""Puts the sample into an empty database, in one transaction."""

import sqlite3
from collections.abc import Callable
from datetime import datetime
from functools import partial

from flagtui.service.flags.encryption import key_file_of, seal
from flagtui.service.sample_data.company import MOBILE, WEB, add_company
from flagtui.service.sample_data.definition_rows import add_definitions
from flagtui.service.sample_data.event_rows import add_events
from flagtui.service.sample_data.experiment_rows import add_experiments
from flagtui.service.sample_data.flag_rows import add_flags
from flagtui.service.sample_data.flags import LISTED, mobile_flags, web_flags
from flagtui.service.sample_data.insert_rows import indexed_afterwards
from flagtui.service.sample_data.links import add_links
from flagtui.service.sample_data.nasty import add_nasty_project
from flagtui.service.sample_data.people_rows import add_cohorts, add_companies, add_people
from flagtui.service.sample_data.population import Person, mobile_people, web_people

Fill = Callable[[sqlite3.Connection, datetime], None]


def sample(*, flags: int = LISTED, nasty: bool = False) -> Fill:
    """What `create_service` fills a new database with. Alice, the first user, owns everything.

    The first project lists `flags` flags, but never fewer than the hand-written ones.
    `nasty` adds a project whose every text is hostile.
    """

    def fill(db: sqlite3.Connection, now: datetime) -> None:
        with indexed_afterwards(db, "flags", "activity", "events", "persons", "distinct_ids"):
            add_everything(db, now)

    def add_everything(db: sqlite3.Connection, now: datetime) -> None:
        add_company(db, now)
        people = add_population(db, now)
        seal_payload = partial(seal, key_file_of(db))
        ids = add_flags(db, web_flags(now, flags), seal_payload)
        add_flags(db, mobile_flags(now), seal_payload)
        add_links(db, ids, now)
        add_experiments(db, ids, now)
        add_events(db, people, now)
        add_definitions(db, now)
        if nasty:
            add_nasty_project(db, now)

    return fill


def add_population(db: sqlite3.Connection, now: datetime) -> list[Person]:
    """Gives back the people of the first project."""
    people = web_people(now)
    add_people(db, WEB, people)
    add_people(db, MOBILE, mobile_people(now))
    add_companies(db, now)
    add_cohorts(db, people, now)
    return people
