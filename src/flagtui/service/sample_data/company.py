"""The company itself: who belongs to it, its projects, and the groups of people it made."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from flagtui.evaluate.filters import compare
from flagtui.evaluate.run import Manner
from flagtui.service.answers import text_of
from flagtui.service.database import insert_row, insert_rows
from flagtui.service.sample_data.data import Moments, named_uuid, stamped, told, user
from flagtui.service.sample_data.filters import person
from flagtui.service.sample_data.population import Person, staff_id

WEB, MOBILE, NASTY = 1, 2, 3
"""Projects; the last one only where it is asked for."""
ORGANIZATION = named_uuid("acme")
MEMBER = 1


def add_company(db: sqlite3.Connection, now: datetime) -> None:
    company = told("company")
    name, founded = company["name"], stamped(Moments(now).ago(company["founded"]))
    insert_row(db, "organizations", {"id": ORGANIZATION, "name": name, "slug": name, "created_at": founded})
    for one in company["employees"]:
        level = company["levels"].get(one["first_name"], MEMBER)
        add_user(db, {**one, "distinct_id": staff_id(one["id"]), "role": one["role"] or None}, WEB, level)
    for project in company["projects"]:
        add_project(db, project["id"], project["name"], project["token"], founded)
    insert_rows(db, "group_types", company["group_types"])


def add_user(db: sqlite3.Connection, one: dict[str, Any], project: int, level: int) -> None:
    values = {name: one[name] for name in ("id", "distinct_id", "first_name", "last_name", "email")}
    more = {"role_at_organization": one["role"], "current_project_id": project}
    insert_row(db, "users", {**values, "uuid": named_uuid(one.get("uuid") or one["email"]), **more})
    membership = {"organization_id": ORGANIZATION, "user_id": one["id"], "level": level}
    insert_row(db, "organization_members", membership)


def add_project(db: sqlite3.Connection, number: int, name: str, token: str, since: str | None) -> None:
    identity = {"id": number, "uuid": named_uuid("nasty" if number == NASTY else name)}
    values = {"organization_id": ORGANIZATION, "name": name, "api_token": token, "created_at": since}
    insert_row(db, "projects", {**identity, **values})


def add_cohorts(db: sqlite3.Connection, people: list[Person], now: datetime) -> None:
    moments = Moments(now)
    for one in told("company")["cohorts"]:
        asked = one.get("conditions") or one.get("members")
        found = None if asked is None else members(asked, people)
        values = {
            "id": one["id"],
            "project_id": WEB,
            "name": one["name"],
            "description": one["description"],
            "is_static": "members" in one,
            "filters": text_of(cohort_filters(one)),
            "last_calculation": stamped(moments.ago(hours=6)),
            "count": None if found is None else len(found),
            "created_by_id": user(one["author"]),
            "created_at": stamped(moments.ago(260 - one["id"])),
        }
        insert_row(db, "cohorts", values)
        if "members" in one:
            rows = ({"cohort_id": one["id"], "person_id": number} for number in found or ())
            insert_rows(db, "cohort_members", rows)


def cohort_filters(one: dict[str, Any]) -> dict[str, Any]:
    """What the service keeps of the conditions; nothing for a list of people."""
    conditions = [person(*asked) for asked in one.get("conditions", ())]
    if "events" in one:
        conditions = [one["events"]]
    if not conditions:
        return {}
    return {"properties": {"type": "OR", "values": [{"type": "AND", "values": conditions}]}}


def members(conditions: Iterable[list[Any]], people: list[Person]) -> list[int]:
    """Ids of the people who meet every condition."""
    manner, found = Manner(), people
    for key, operator, value in conditions:
        having = [one for one in found if key in one.properties]
        # People who are alike are asked once.
        known = {actual: compare(operator, value, actual, manner) for actual in values_of(key, having)}
        found = [one for one in having if known[one.properties[key]] is True]
    return [one.id for one in found]


def values_of(key: str, people: list[Person]) -> set[Any]:
    return {one.properties[key] for one in people}
