"""A project in which every text that the program shows is hostile."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import Any, Final

from flagtui.service.answers import text_of
from flagtui.service.sample_data.company import MEMBER, ORGANIZATION
from flagtui.service.sample_data.filters import filters, group, person, split
from flagtui.service.sample_data.flag import SampleFlag, state
from flagtui.service.sample_data.flag_rows import add_flags
from flagtui.service.sample_data.hostile_texts import HOSTILE, SIZES
from flagtui.service.sample_data.insert_rows import Row, insert, named_uuid, stamped
from flagtui.service.sample_data.metrics import metric
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE

NASTY: Final = 3
FIRST_ID: Final = 1_000_001
"""Of flags, experiments, cohorts and persons: far from everybody else's."""
FIRST_USER: Final = 901
MODEST: Final = tuple(text for text in HOSTILE if text not in SIZES)
"""Hostile, but not large: for the places that are shown on every screen."""


def add_nasty_project(db: sqlite3.Connection, now: datetime) -> None:
    moments = Moments(now)
    add_project(db, moments)
    flags = list(nasty_flags(moments))
    add_flags(db, flags, str)
    add_cohorts(db, moments)
    add_experiments(db, [flag for flag in flags if flag.filters["multivariate"]], moments)
    add_definitions(db, moments)
    add_people(db, moments)


def turned(index: int, by: int) -> str:
    """Another hostile text than the one of the same index."""
    return HOSTILE[(index + by) % len(HOSTILE)]


def add_project(db: sqlite3.Connection, moments: Moments) -> None:
    since = stamped(moments.ago(30))
    name = "Nasty \x1b[31m[/x]\u202e[@click=app.quit]x[/] \U0001f468\u200d\U0001f469\u200d\U0001f467"
    insert(
        db,
        "projects",
        "id, uuid, organization_id, name, api_token, created_at",
        [(NASTY, named_uuid("nasty"), ORGANIZATION, name, "phc_acmeNasty", since)],
    )
    insert(
        db,
        "users",
        "id, uuid, distinct_id, first_name, last_name, email, role_at_organization, current_project_id",
        (nasty_user(number, text) for number, text in enumerate(MODEST)),
    )
    insert(
        db,
        "organization_members",
        "organization_id, user_id, level",
        ((ORGANIZATION, FIRST_USER + number, MEMBER) for number in range(len(MODEST))),
    )


def nasty_user(number: int, text: str) -> Row:
    first = "" if number % 5 == 0 else text[:150]
    email = f"{text}@{number}.example"
    return FIRST_USER + number, named_uuid(f"nasty {number}"), text, first, text[:150], email, text, NASTY


def nasty_flags(moments: Moments) -> Iterator[SampleFlag]:
    for index, text in enumerate(HOSTILE):
        author = FIRST_USER + index % len(MODEST)
        columns = state(text, nasty_targeting(index), turned(index, 7), active=index % 3 > 0)
        tags = tuple(dict.fromkeys((turned(index, 3), turned(index, 11))))
        made = SampleFlag(columns, moments.ago(30 - index / 10), author, tags)
        made.id, made.project = FIRST_ID + index, NASTY
        made.edit(moments.ago(20 - index / 10), author, name=turned(index, 5))
        made.edit(moments.ago(10 - index / 10), author, filters={**made.filters, "payloads": payloads(index)})
        yield made


def nasty_targeting(index: int) -> dict[str, Any]:
    condition = person(turned(index, 1), "exact", [turned(index, 2), turned(index, 4)])
    first = {**group(index * 2.5 % 100, condition), "description": turned(index, 6)}
    if index % 2:
        return filters(first)
    variants = split(
        (turned(index, 8), 50), (turned(index, 9), 50), names=(turned(index, 10), turned(index, 12))
    )
    return filters(first, variants=variants, payloads=payloads(index))


def payloads(index: int) -> dict[str, str]:
    return {"true" if index % 2 else turned(index, 8): text_of({turned(index, 13): turned(index, 14)})}


def add_cohorts(db: sqlite3.Connection, moments: Moments) -> None:
    since = stamped(moments.ago(25))
    insert(
        db,
        "cohorts",
        "id, project_id, name, description, is_static, count, created_by_id, created_at",
        (
            (FIRST_ID + number, NASTY, text, turned(number, 3), 1, 0, ALICE, since)
            for number, text in enumerate(MODEST)
        ),
    )


def add_experiments(db: sqlite3.Connection, flags: list[SampleFlag], moments: Moments) -> None:
    insert(
        db,
        "experiments",
        "id, project_id, flag_id, name, description, start_date, metrics, exposure_criteria, stats_config,"
        "conclusion_comment, created_by_id, created_at, updated_at",
        (nasty_experiment(number, flag, moments) for number, flag in enumerate(flags)),
    )


def nasty_experiment(number: int, flag: SampleFlag, moments: Moments) -> Row:
    since = stamped(moments.ago(15))
    measured = {**metric("signup", FIRST_ID + number), "name": turned(number, 2)}
    measured["series"] = [{**measured["series"][0], "event": turned(number, 4), "name": turned(number, 6)}]
    return (
        FIRST_ID + number,
        NASTY,
        flag.id,
        turned(number, 20),
        turned(number, 21),
        since if number % 2 else None,
        text_of([measured]),
        text_of({"filterTestAccounts": True}),
        text_of({"method": "bayesian"}),
        turned(number, 22),
        flag.author,
        since,
        since,
    )


def add_definitions(db: sqlite3.Connection, moments: Moments) -> None:
    since = stamped(moments.ago(9))
    insert(
        db,
        "event_definitions",
        "id, project_id, name, created_at, last_seen_at, tags, description, owner_id, verified, updated_at,"
        "updated_by_id, primary_property",
        (
            (
                named_uuid(f"nasty event {index}"), NASTY, text[:400], since, since if index % 3 else None,
                text_of([turned(index, 5), turned(index, 9)]), turned(index, 3),
                FIRST_USER + index % len(MODEST), index % 4 == 0, since, FIRST_USER, turned(index, 7)[:400],
            )
            for index, text in enumerate(HOSTILE)
        ),
    )  # fmt: skip


def add_people(db: sqlite3.Connection, moments: Moments) -> None:
    random = Random("nasty people")
    since = stamped(moments.ago(12))
    people = list(enumerate(MODEST, start=FIRST_ID))
    insert(
        db,
        "persons",
        "id, project_id, uuid, properties, created_at",
        (
            (number, NASTY, named_uuid(f"nasty person {number}"),
             text_of({"email": text, turned(number, 3): turned(number, random.randrange(40))}), since)
            for number, text in people
        ),
    )  # fmt: skip
    insert(
        db,
        "distinct_ids",
        "project_id, distinct_id, person_id",
        ((NASTY, text, number) for number, text in people),
    )
