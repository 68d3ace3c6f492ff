"""The company itself: who belongs to it, and its projects."""

import sqlite3
from datetime import datetime

from flagtui.service.sample_data.insert_rows import insert, named_uuid, stamped
from flagtui.service.sample_data.moments import Moments
from flagtui.service.sample_data.people import ALICE, EMPLOYEES, SAM

ORGANIZATION = named_uuid("acme")
WEB, MOBILE = 1, 2
PROJECTS = ((WEB, "Web app", "phc_acmeWebApp"), (MOBILE, "Mobile", "phc_acmeMobile"))
OWNER, ADMINISTRATOR, MEMBER = 15, 8, 1


def add_company(db: sqlite3.Connection, now: datetime) -> None:
    founded = stamped(Moments(now).ago(900))
    insert(
        db,
        "organizations",
        "id, name, slug, created_at",
        [(ORGANIZATION, "acme", "acme", founded)],
    )
    insert(
        db,
        "users",
        "id, uuid, distinct_id, first_name, last_name, email, role_at_organization, current_project_id",
        (
            (
                p.id,
                named_uuid(p.email),
                p.distinct_id,
                p.first_name,
                p.last_name,
                p.email,
                p.role or None,
                WEB,
            )
            for p in EMPLOYEES
        ),
    )
    insert(
        db,
        "organization_members",
        "organization_id, user_id, level",
        ((ORGANIZATION, person.id, membership(person.id)) for person in EMPLOYEES),
    )
    insert(
        db,
        "projects",
        "id, uuid, organization_id, name, api_token, created_at",
        ((id, named_uuid(name), ORGANIZATION, name, token, founded) for id, name, token in PROJECTS),
    )


def membership(user: int) -> int:
    return OWNER if user == ALICE else ADMINISTRATOR if user == SAM else MEMBER
