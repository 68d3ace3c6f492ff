"""Organizations, projects and people, as far as the caller may see them."""

import sqlite3
from collections.abc import Iterable

from flagtui.service.access import ADMINISTRATOR, called_organization
from flagtui.service.call import Call
from flagtui.service.database import fetch, find
from flagtui.service.errors import Json, forbidden
from flagtui.service.list_filters import containing, like
from flagtui.service.operations import Operation
from flagtui.service.pagination import page, window
from flagtui.service.responses import Response, respond, text_of, value_of

_VISIBLE = f"""
    FROM projects AS p
    JOIN organization_members AS m ON m.organization_id = p.organization_id AND m.user_id = :user
    WHERE (p.is_private = 0 OR m.level >= {ADMINISTRATOR} OR EXISTS (
        SELECT 1 FROM project_members AS x WHERE x.project_id = p.id AND x.user_id = :user))"""


def load_time_zone(db: sqlite3.Connection, project_id: int) -> str:
    row = find(db, "projects", id=project_id)
    return "UTC" if row is None else str(row["timezone"])


def list_projects(call: Call) -> Response:
    return _project_page(call, tuple(call.caller.organizations))


def list_organization_projects(call: Call) -> Response:
    organization = called_organization(call)
    return _project_page(call, (organization["id"],))


def _project_page(call: Call, organizations: tuple[str, ...]) -> Response:
    part, search = window(call), call.query.get("search", "")
    where, values = (
        f"{_VISIBLE} AND {containing('p.name', search)}",
        {"user": call.caller.user_id, "search": like(search)},
    )
    if organizations:
        where += " AND p.organization_id IN (SELECT value FROM json_each(:organizations))"
        values["organizations"] = text_of(organizations)
    total = call.db.execute("SELECT count(*)" + where, values).fetchone()[0]
    rows = call.db.execute(
        f"SELECT p.*{where} ORDER BY p.id LIMIT :limit OFFSET :offset",
        {**values, "limit": part.limit, "offset": part.offset},
    )
    return page(call, total, [text_of(describe_project(row)) for row in rows], part)


def retrieve_project(call: Call) -> Response:
    row = fetch(call.db, "projects", call.project.id)
    shown = describe_project(row)
    for name, value in value_of(row["settings"]).items():
        shown.setdefault(name, value)
    shown["created_at"] = row["created_at"]
    return respond(shown)


def describe_project(row: sqlite3.Row) -> dict[str, Json]:
    """Return the fields every list of projects shows."""
    return {
        "id": row["id"],
        "uuid": row["uuid"],
        "organization": row["organization_id"],
        "project_id": row["id"],
        "api_token": row["api_token"],
        "name": row["name"],
        "completed_snippet_onboarding": True,
        "has_completed_onboarding_for": None,
        "ingested_event": True,
        "is_demo": bool(row["is_demo"]),
        "timezone": row["timezone"],
        "access_control": bool(row["is_private"]),
    }


def list_organizations(call: Call) -> Response:
    part = window(call)
    allowed = call.caller.organizations
    shown = [row for row in organizations_of(call) if not allowed or row["id"] in allowed]
    items = [text_of(describe_organization(row)) for row in shown[part.offset : part.offset + part.limit]]
    return page(call, len(shown), items, part)


def organizations_of(call: Call) -> list[sqlite3.Row]:
    """Return the organizations of the caller, with the caller's `level` in each."""
    return call.db.execute(
        "SELECT o.*, m.level FROM organizations AS o"
        " JOIN organization_members AS m ON m.organization_id = o.id"
        " WHERE m.user_id = ? ORDER BY o.created_at, o.id",
        (call.caller.user_id,),
    ).fetchall()


def retrieve_organization(call: Call) -> Response:
    row = called_organization(call)
    return respond({**describe_organization(row), **projects_of(call, row["id"])})


def describe_organization(row: sqlite3.Row) -> dict[str, Json]:
    return {
        "id": row["id"],
        "name": row["name"],
        "slug": row["slug"],
        "logo_media_id": None,
        "membership_level": row["level"],
        "members_can_use_personal_api_keys": bool(row["members_can_use_keys"]),
        "is_active": True,
        "is_not_active_reason": None,
        "is_pending_deletion": False,
        "created_at": row["created_at"],
    }


def projects_of(call: Call, organization_id: str) -> dict[str, Json]:
    """Return the projects of an organization the caller may see, in both forms the product nests them."""
    rows = call.db.execute(
        f"SELECT p.*{_VISIBLE} AND p.organization_id = :organization ORDER BY p.id",
        {"user": call.caller.user_id, "organization": organization_id},
    ).fetchall()
    names = [{"id": row["id"], "organization_id": organization_id, "name": row["name"]} for row in rows]
    return {"teams": [describe_project(row) for row in rows], "projects": names}


def nested_users(db: sqlite3.Connection, ids: Iterable[int | None]) -> dict[int | None, str]:
    """Return JSON texts of users as other records nest them, by id; `null` without a user."""
    user_ids = [user_id for user_id in ids if user_id is not None]
    texts: dict[int | None, str] = {None: "null"} | dict.fromkeys(user_ids, "null")
    query = "SELECT id, nested FROM users WHERE id IN (SELECT value FROM json_each(?))"
    texts.update((row["id"], row["nested"]) for row in db.execute(query, (text_of(user_ids),)))
    return texts


def current_user(call: Call) -> Response:
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
    return respond(shown)


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


_ORGANIZATION = "/api/organizations/{organization_id}"

_PAGES = ("limit", "offset")
_SEARCH = (*_PAGES, "search")
OPERATIONS = (
    Operation(
        "GET", "/api/projects", list_projects, "List projects", "project:read", parameters=_SEARCH,
    ),
    Operation("GET", "/api/projects/{project_id}", retrieve_project, "Get a project", "project:read"),
    Operation(
        "GET", "/api/organizations", list_organizations, "List organizations", "organization:read",
        parameters=_PAGES,
    ),
    Operation("GET", _ORGANIZATION, retrieve_organization, "Get an organization", "organization:read"),
    Operation(
        "GET", f"{_ORGANIZATION}/projects", list_organization_projects,
        "List the projects of an organization", "project:read", parameters=_SEARCH,
    ),
    Operation(
        "GET", "/api/users/{id}", current_user, "Get the user of the key", "user:read", unconfined=True,
    ),
)  # fmt: skip
