"""The people and companies who use the sample product."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Final

from flagtui.service.answers import text_of
from flagtui.service.database import insert_row, insert_rows
from flagtui.service.sample_data.data import Moments, random_uuid, stamped, told

WEB_PEOPLE: Final = 8_246
MOBILE_PEOPLE: Final = 900
COMPANIES: Final = 140


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    distinct_id: str
    properties: dict[str, Any]
    created_at: datetime


def web_people(now: datetime) -> list[Person]:
    """People of the web project: two that examples compare, the company's own staff, and the rest."""
    ago = Moments(now).ago
    known = [
        Person(number, one["email"], compared(one), ago(one["joined"]))
        for number, one in enumerate(told("people")["known"], start=1)
    ]
    staff = told("company")["employees"]
    known += [
        Person(number, staff_id(one["id"]), staffed(one), ago(600))
        for number, one in enumerate(staff, start=len(known) + 1)
    ]
    return [*known, *crowd(now, Random("acme people"), len(known) + 1, WEB_PEOPLE - len(known))]


def mobile_people(now: datetime) -> list[Person]:
    return list(crowd(now, Random("acme mobile people"), WEB_PEOPLE + 1, MOBILE_PEOPLE))


def staff_id(number: int) -> str:
    """How someone who works at the company appears among the persons of the projects."""
    return f"staff-{number:02d}"


def compared(one: dict[str, Any]) -> dict[str, Any]:
    own = {name: one[name] for name in ("name", "email", "country", "plan")}
    return {**own, "seats": 12, "browser": "Chrome", "app_version": "4.2.1"}


def staffed(one: dict[str, Any]) -> dict[str, Any]:
    own = {"name": one["first_name"], "email": one["email"]}
    return {**own, "country": "NL", "plan": "enterprise", "seats": 80, "beta_tester": "true"}


def crowd(now: datetime, random: Random, first_id: int, count: int) -> Iterator[Person]:
    moments, words = Moments(now), told("people")
    domains, countries, plans = (
        random.choices(words[kind]["words"], words[kind]["shares"], k=count)
        for kind in ("domains", "countries", "plans")
    )
    first_names, last_names = words["first_names"].split(), words["last_names"].split()
    browsers, versions, jobs = words["browsers"], words["versions"], words["jobs"]
    for index in range(count):
        person_id = first_id + index
        first, last = random.choice(first_names), random.choice(last_names)
        joined = moments.ago(1 + 398 * random.random())
        properties: dict[str, Any] = {
            "name": f"{first.title()} {last.title()}",
            "email": f"{first}.{last}{person_id}@{domains[index]}",
            "country": countries[index],
            "plan": plans[index],
            "seats": 1 + int(random.random() ** 3 * 90),
            "browser": random.choice(browsers),
            "app_version": random.choice(versions),
            "signed_up_at": joined.date().isoformat(),
        }
        if index % 9 == 0:
            properties["beta_tester"] = "true"
        if index % 4 == 0:
            properties["job_title"] = random.choice(jobs)
        yield Person(person_id, f"u-{person_id:05d}", properties, joined)


def add_people(db: sqlite3.Connection, project: int, people: list[Person]) -> None:
    random = Random(f"persons {project}")
    insert_rows(
        db,
        "persons",
        (
            {
                "id": each.id,
                "project_id": project,
                "uuid": random_uuid(random),
                "properties": text_of(each.properties),
                "created_at": stamped(each.created_at),
            }
            for each in people
        ),
    )
    ids = ({"project_id": project, "distinct_id": one.distinct_id, "person_id": one.id} for one in people)
    insert_rows(db, "distinct_ids", ids)


def add_companies(db: sqlite3.Connection, project: int, now: datetime) -> None:
    """As groups of type 0."""
    random, words = Random("acme companies"), told("people")
    since, named = stamped(Moments(now).ago(300)), words["companies"]
    for number in range(COMPANIES):
        key = named[number] if number < len(named) else f"org-{number:03d}"
        properties = {
            "name": key.title(),
            "plan": random.choices(words["plans"]["words"], words["plans"]["shares"])[0],
            "employees": int(3 + random.random() ** 3 * 4_000),
            "industry": random.choice(words["industries"]),
        }
        row = {"project_id": project, "type_index": 0, "key": key, "properties": text_of(properties)}
        insert_row(db, "groups", {**row, "created_at": since})
