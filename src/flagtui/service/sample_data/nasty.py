"""A project in which every text that the program shows is hostile."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from random import Random
from typing import Any, Final

from flagtui.service.database import insert_row, insert_rows
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.experiments.rows import insert
from flagtui.service.responses import text_of
from flagtui.service.sample_data.company import MEMBER, NASTY, add_project, add_user
from flagtui.service.sample_data.data import Moments, format_stamp, load_subject, named_uuid, user
from flagtui.service.sample_data.experiments import metric
from flagtui.service.sample_data.flag import SampleFlag, filters, group, insert_flags, person, split, state

CONTROLS, MARKUP, SCRIPTS = (tuple(load_subject("nasty")[name]) for name in ("controls", "markup", "scripts"))
SIZES: Final = (
    *(text * times for text, times in load_subject("nasty")["large"]),
    "\n".join(f"line {number}" for number in range(800)),
    *load_subject("nasty")["small"],
)
HOSTILE: Final[tuple[str, ...]] = (*CONTROLS, *MARKUP, *SCRIPTS, *SIZES)
FIRST_ID: Final = 1_000_001
"""Of flags, experiments, cohorts and persons: far from everyone else's."""
FIRST_USER: Final = 901
MODEST: Final = tuple(text for text in HOSTILE if text not in SIZES)
"""Hostile, but not large: for the places that are shown on every screen."""


def add_nasty_project(db: sqlite3.Connection, now: datetime) -> None:
    moments = Moments(now)
    name = "Nasty \x1b[31m[/x]\u202e[@click=app.quit]x[/] \U0001f468\u200d\U0001f469\u200d\U0001f467"
    add_project(db, NASTY, name, "phc_acmeNasty", format_stamp(moments.ago(30)))
    for number, text in enumerate(MODEST):
        add_user(db, nasty_user(number, text), NASTY, MEMBER)
    flags = list(nasty_flags(moments))
    insert_flags(db, flags)
    insert_rows(db, "cohorts", nasty_cohorts(moments))
    for number, flag in enumerate(flag for flag in flags if flag.filters["multivariate"]):
        insert(db, nasty_experiment(number, flag, moments))
    insert_rows(db, "event_definitions", nasty_definitions(moments))
    add_people(db, moments)


def other_text(index: int, by: int) -> str:
    """Return another hostile text than the one of the same index."""
    return HOSTILE[(index + by) % len(HOSTILE)]


def nasty_user(number: int, text: str) -> dict[str, Any]:
    return {
        "id": FIRST_USER + number,
        "uuid": f"nasty {number}",
        "distinct_id": text,
        "first_name": "" if number % 5 == 0 else text[:150],
        "last_name": text[:150],
        "email": f"{text}@{number}.example",
        "role": text,
    }


def nasty_flags(moments: Moments) -> Iterator[SampleFlag]:
    for index, text in enumerate(HOSTILE):
        author = FIRST_USER + index % len(MODEST)
        tags = [*dict.fromkeys((other_text(index, 3), other_text(index, 11)))]
        columns = state(text, nasty_targeting(index), other_text(index, 7), active=index % 3 > 0, tags=tags)
        made = SampleFlag(columns, moments.ago(30 - index / 10), author)
        made.id, made.project = FIRST_ID + index, NASTY
        made.edit(moments.ago(20 - index / 10), author, name=other_text(index, 5))
        made.edit(moments.ago(10 - index / 10), author, filters={**made.filters, "payloads": payloads(index)})
        yield made


def nasty_targeting(index: int) -> dict[str, Any]:
    condition = person(other_text(index, 1), "exact", [other_text(index, 2), other_text(index, 4)])
    first = {**group(index * 2.5 % 100, condition), "description": other_text(index, 6)}
    if index % 2:
        return filters(first)
    halves = (
        (other_text(index, 8), 50, other_text(index, 10)),
        (other_text(index, 9), 50, other_text(index, 12)),
    )
    return filters(first, variants=split(halves), payloads=payloads(index))


def payloads(index: int) -> dict[str, str]:
    return {
        "true" if index % 2 else other_text(index, 8): text_of({other_text(index, 13): other_text(index, 14)})
    }


def nasty_cohorts(moments: Moments) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(MODEST):
        yield {
            "id": FIRST_ID + number,
            "project_id": NASTY,
            "name": text,
            "description": other_text(number, 3),
            "is_static": True,
            "count": 0,
            "created_by_id": user("Alice"),
            "created_at": format_stamp(moments.ago(25)),
        }


def nasty_experiment(number: int, flag: SampleFlag, moments: Moments) -> dict[str, Any]:
    since = format_stamp(moments.ago(15))
    measured = {**metric("signup", FIRST_ID + number), "name": other_text(number, 2)}
    measured["series"] = [
        {**measured["series"][0], "event": other_text(number, 4), "name": other_text(number, 6)}
    ]
    return {
        "id": FIRST_ID + number,
        "project_id": NASTY,
        "flag_id": flag.id,
        "name": other_text(number, 20),
        "description": other_text(number, 21),
        "start_date": since if number % 2 else None,
        "metrics": [measured],
        "exposure_criteria": {"filterTestAccounts": True},
        "stats_config": {"method": "bayesian"},
        "conclusion_comment": other_text(number, 22),
        "created_by_id": flag.author,
        "created_at": since,
        "updated_at": since,
    }


def nasty_definitions(moments: Moments) -> Iterator[dict[str, Any]]:
    since = format_stamp(moments.ago(9))
    for index, text in enumerate(HOSTILE):
        yield DEFINITIONS.encode(
            {
                "id": named_uuid(f"nasty event {index}"),
                "project_id": NASTY,
                "name": text[:400],
                "created_at": since,
                "last_seen_at": since if index % 3 else None,
                "tags": [other_text(index, 5), other_text(index, 9)],
                "description": other_text(index, 3),
                "owner_id": FIRST_USER + index % len(MODEST),
                "verified": index % 4 == 0,
                "updated_at": since,
                "updated_by_id": FIRST_USER,
                "primary_property": other_text(index, 7)[:400],
            }
        )


def add_people(db: sqlite3.Connection, moments: Moments) -> None:
    random = Random("nasty people")
    for number, text in enumerate(MODEST, start=FIRST_ID):
        properties = {"email": text, other_text(number, 3): other_text(number, random.randrange(40))}
        identity = {"id": number, "uuid": named_uuid(f"nasty person {number}"), "project_id": NASTY}
        since = format_stamp(moments.ago(12))
        insert_row(db, "persons", {**identity, "properties": text_of(properties), "created_at": since})
        distinct = {"project_id": NASTY, "distinct_id": text, "person_id": number}
        insert_row(db, "distinct_ids", distinct)
