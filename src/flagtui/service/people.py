"""The users of the service: the caller, and users as other records nest them."""

import sqlite3
from collections.abc import Iterable

from flagtui.service.answers import Answer, answer, text_of, value_of
from flagtui.service.call import Call
from flagtui.service.database import fetch, find
from flagtui.service.errors import Json, forbidden
from flagtui.service.operations import Operation
from flagtui.service.projects import describe_organization, describe_project, organizations_of, projects_of


def nested_users(db: sqlite3.Connection, ids: Iterable[int | None]) -> dict[int | None, str]:
    """JSON text of users as other records nest them, by id; nobody is `null`."""
    wanted = [user_id for user_id in ids if user_id is not None]
    found: dict[int | None, str] = {None: "null"} | dict.fromkeys(wanted, "null")
    query = "SELECT id, nested FROM users WHERE id IN (SELECT value FROM json_each(?))"
    found.update((row["id"], row["nested"]) for row in db.execute(query, (text_of(wanted),)))
    return found


def current_user(call: Call) -> Answer:
    row = fetch(call.db, "users", call.caller.user_id)
    if call.params["id"] not in ("@me", row["uuid"]):
        raise forbidden("As a non-staff user you're only allowed to access the `@me` user instance.")
    shown: dict[str, Json] = value_of(row["nested"])
    shown.update(
        is_staff=bool(row["is_staff"]),
        is_2fa_enabled=False,
        has_password=True,
        theme_mode=None,
        **_places(call, row["current_project_id"]),
    )
    return answer(shown)


def _places(call: Call, project_id: int | None) -> dict[str, Json]:
    project = find(call.db, "projects", id=project_id)
    memberships = organizations_of(call)
    home = project["organization_id"] if project else None
    current = next((row for row in memberships if row["id"] == home), None)
    return {
        "team": describe_project(project) if project else None,
        "organization": {**describe_organization(current), **projects_of(call, current["id"])}
        if current
        else None,
        "organizations": [describe_organization(row) for row in memberships],
    }


OPERATIONS = (
    Operation("GET", "/api/users/{id}", current_user, "The caller", scope="user:read", unconfined=True),
)
