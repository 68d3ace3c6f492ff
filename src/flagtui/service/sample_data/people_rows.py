"""Persons, companies and cohorts into the database."""

import sqlite3
from datetime import datetime
from random import Random

from flagtui.service.answers import text_of
from flagtui.service.sample_data.cohorts import COHORTS, Cohort, members
from flagtui.service.sample_data.company import MOBILE, WEB
from flagtui.service.sample_data.insert_rows import Row, insert, random_uuid, stamped
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.population import Person, companies


def add_people(db: sqlite3.Connection, project: int, people: list[Person]) -> None:
    random = Random(f"persons {project}")
    insert(
        db,
        "persons",
        "id, project_id, uuid, properties, created_at",
        (
            (each.id, project, random_uuid(random), text_of(each.properties), stamped(each.created_at))
            for each in people
        ),
    )
    insert(
        db,
        "distinct_ids",
        "project_id, distinct_id, person_id",
        ((project, each.distinct_id, each.id) for each in people),
    )


def add_companies(db: sqlite3.Connection, now: datetime) -> None:
    types = [(WEB, 0, "company"), (WEB, 1, "workspace"), (MOBILE, 0, "company")]
    insert(db, "group_types", "project_id, type_index, name", types)
    since = stamped(Moments(now).ago(300))
    insert(
        db,
        "groups",
        "project_id, type_index, key, properties, created_at",
        ((WEB, 0, each.key, text_of(each.properties), since) for each in companies(Random("acme companies"))),
    )


def add_cohorts(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    found = {cohort.id: members(cohort, people) for cohort in COHORTS}
    insert(
        db,
        "cohorts",
        "id, project_id, name, description, is_static, filters, last_calculation, count, created_by_id, "
        "created_at",
        (cohort_row(cohort, len(found[cohort.id]), Moments(now)) for cohort in COHORTS),
    )
    insert(
        db,
        "cohort_members",
        "cohort_id, person_id",
        ((cohort.id, person) for cohort in COHORTS if not cohort.conditions for person in found[cohort.id]),
    )


def cohort_row(cohort: Cohort, count: int, moments: Moments) -> Row:
    return (
        cohort.id,
        WEB,
        cohort.name,
        cohort.description,
        not cohort.conditions,
        text_of(cohort.filters),
        stamped(moments.ago(hours=6)),
        count if cohort.belongs else None,
        cohort.author,
        stamped(moments.ago(260 - cohort.id)),
    )
