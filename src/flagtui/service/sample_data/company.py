"""The company: its employees, its projects, the users of its product, and their groups."""

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import datetime
from random import Random
from typing import Any, Final

import msgspec

from flagtui.evaluate.filters import compare
from flagtui.evaluate.run import Manner
from flagtui.service.database import insert_row, insert_rows
from flagtui.service.responses import text_of
from flagtui.service.sample_data.data import (
    Moments,
    format_stamp,
    load_subject,
    named_uuid,
    random_uuid,
    user,
)
from flagtui.service.sample_data.flag import person

WEB, MOBILE, NASTY = 1, 2, 3
"""Projects; the last one only where it is asked for."""
ORGANIZATION = named_uuid("acme")
MEMBER = 1
WEB_PEOPLE: Final = 8_246
MOBILE_PEOPLE: Final = 900
COMPANIES: Final = 140


class Person(msgspec.Struct, frozen=True):
    id: int
    distinct_id: str
    properties: dict[str, Any]
    created_at: datetime


def add_company(db: sqlite3.Connection, now: datetime) -> None:
    company = load_subject("company")
    name, founded = company["name"], format_stamp(Moments(now).ago(company["founded"]))
    insert_row(db, "organizations", {"id": ORGANIZATION, "name": name, "slug": name, "created_at": founded})
    for employee in company["employees"]:
        level = company["levels"].get(employee["first_name"], MEMBER)
        add_user(
            db,
            {**employee, "distinct_id": staff_id(employee["id"]), "role": employee["role"] or None},
            WEB,
            level,
        )
    for project in company["projects"]:
        add_project(db, project["id"], project["name"], project["token"], founded)
    insert_rows(db, "group_types", company["group_types"])


def add_user(db: sqlite3.Connection, employee: dict[str, Any], project: int, level: int) -> None:
    values = {name: employee[name] for name in ("id", "distinct_id", "first_name", "last_name", "email")}
    more = {"role_at_organization": employee["role"], "current_project_id": project}
    insert_row(db, "users", {**values, "uuid": named_uuid(employee.get("uuid") or employee["email"]), **more})
    membership = {"organization_id": ORGANIZATION, "user_id": employee["id"], "level": level}
    insert_row(db, "organization_members", membership)


def add_project(db: sqlite3.Connection, number: int, name: str, token: str, since: str | None) -> None:
    identity = {"id": number, "uuid": named_uuid("nasty" if number == NASTY else name)}
    values = {"organization_id": ORGANIZATION, "name": name, "api_token": token, "created_at": since}
    insert_row(db, "projects", {**identity, **values})


def web_people(now: datetime) -> list[Person]:
    """Return people of the web project: two for the examples, the company's own staff, and the rest."""
    ago = Moments(now).ago
    people = [
        Person(number, entry["email"], compared_properties(entry), ago(entry["joined"]))
        for number, entry in enumerate(load_subject("people")["known"], start=1)
    ]
    staff = load_subject("company")["employees"]
    people += [
        Person(number, staff_id(employee["id"]), staff_properties(employee), ago(600))
        for number, employee in enumerate(staff, start=len(people) + 1)
    ]
    return [*people, *crowd(now, Random("acme people"), len(people) + 1, WEB_PEOPLE - len(people))]


def mobile_people(now: datetime) -> list[Person]:
    return list(crowd(now, Random("acme mobile people"), WEB_PEOPLE + 1, MOBILE_PEOPLE))


def staff_id(number: int) -> str:
    """Return an employee of the company as a person of the projects."""
    return f"staff-{number:02d}"


def compared_properties(entry: dict[str, Any]) -> dict[str, Any]:
    own = {name: entry[name] for name in ("name", "email", "country", "plan")}
    return {**own, "seats": 12, "browser": "Chrome", "app_version": "4.2.1"}


def staff_properties(employee: dict[str, Any]) -> dict[str, Any]:
    own = {"name": employee["first_name"], "email": employee["email"]}
    return {**own, "country": "NL", "plan": "enterprise", "seats": 80, "beta_tester": "true"}


def crowd(now: datetime, random: Random, first_id: int, count: int) -> Iterator[Person]:
    moments, words = Moments(now), load_subject("people")
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
                "created_at": format_stamp(each.created_at),
            }
            for each in people
        ),
    )
    ids = ({"project_id": project, "distinct_id": each.distinct_id, "person_id": each.id} for each in people)
    insert_rows(db, "distinct_ids", ids)


def add_companies(db: sqlite3.Connection, project: int, now: datetime) -> None:
    """Add companies as groups of type 0."""
    random, words = Random("acme companies"), load_subject("people")
    since, named = format_stamp(Moments(now).ago(300)), words["companies"]
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


def add_cohorts(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    moments = Moments(now)
    for entry in load_subject("company")["cohorts"]:
        conditions = entry.get("conditions") or entry.get("members")
        person_ids = None if conditions is None else members(conditions, people)
        values = {
            "id": entry["id"],
            "project_id": WEB,
            "name": entry["name"],
            "description": entry["description"],
            "is_static": "members" in entry,
            "filters": text_of(cohort_filters(entry)),
            "last_calculation": format_stamp(moments.ago(hours=6)),
            "count": None if person_ids is None else len(person_ids),
            "created_by_id": user(entry["author"]),
            "created_at": format_stamp(moments.ago(260 - entry["id"])),
        }
        insert_row(db, "cohorts", values)
        if "members" in entry:
            rows = ({"cohort_id": entry["id"], "person_id": number} for number in person_ids or ())
            insert_rows(db, "cohort_members", rows)


def cohort_filters(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions as the service stores them; nothing for a list of people."""
    conditions = [person(*arguments) for arguments in entry.get("conditions", ())]
    if "events" in entry:
        conditions = [entry["events"]]
    if not conditions:
        return {}
    return {"properties": {"type": "OR", "values": [{"type": "AND", "values": conditions}]}}


def members(conditions: Iterable[list[Any]], people: list[Person]) -> list[int]:
    manner, matches = Manner(), people
    for key, operator, value in conditions:
        having = [each for each in matches if key in each.properties]
        # People who are alike are asked once.
        values = {each.properties[key] for each in having}
        verdicts = {actual: compare(operator, value, actual, manner) for actual in values}
        matches = [each for each in having if verdicts[each.properties[key]] is True]
    return [each.id for each in matches]
