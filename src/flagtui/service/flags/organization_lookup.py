"""Flags of an organization's projects: the rows of one key, and pages of flags of chosen projects."""

import sqlite3
from typing import Final

from msgspec.structs import replace

from flagtui.service.access import called_organization, open_project
from flagtui.service.bodies import read_id
from flagtui.service.call import Call, Project
from flagtui.service.database import fetch
from flagtui.service.errors import Json, plain_error
from flagtui.service.flags.encryption import PLACEHOLDER
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.representation import shown_filters
from flagtui.service.list_filters import containing, like
from flagtui.service.pagination import Window, page
from flagtui.service.projects import nested_users, projects_of
from flagtui.service.responses import Response, respond, text_of, value_of

MAX_LIMIT: Final = 100
DEFAULT_LIMIT: Final = 25


def list_flags_with_key(call: Call) -> Response:
    """Respond with a row for each visible project that has a flag with the key; [] for an unknown key."""
    return respond([_describe_flag(call, project, row) for project, row in _flags_with_key(call)])


def list_organization_flags(call: Call) -> Response:
    """Respond with a page of the flags of the projects in `team_ids`, or of all projects the caller sees.

    Raises:
        Fault: 400 for numbers that are no numbers or a limit out of range.
    """
    projects = _visible_projects(call)
    chosen = _read_numbers(call, "team_ids")
    if chosen is not None:
        projects = [project for project in projects if project.id in chosen]
    limit = _read_number(call, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    part = Window(limit, _read_number(call, "offset", 0, 0))
    matches = [(project, row) for project in projects for row in _matches(call, project)]
    matches.sort(key=lambda match: (match[1]["key"], match[1]["id"]))
    shown = [
        text_of(_describe_match(call, project, fetch(call.db, "flags", row["id"])))
        for project, row in matches[part.offset :][: part.limit]
    ]
    return page(call, len(matches), shown, part)


def _visible_projects(call: Call) -> list[Project]:
    organization = called_organization(call)
    listed = projects_of(call, organization["id"])["projects"]
    projects = (open_project(call.db, call.caller, project["id"]) for project in listed)
    return [project for project in projects if project is not None]


def _flags_with_key(call: Call) -> list[tuple[Project, sqlite3.Row]]:
    query = "SELECT * FROM flags WHERE project_id = ? AND key = ? AND deleted = 0"
    return [
        (project, row)
        for project in _visible_projects(call)
        for row in call.db.execute(query, (project.id, call.params["key"])).fetchall()
        if load_levels(call.db, call.caller, project).reaches(row["id"], "viewer")
    ]


def _matches(call: Call, project: Project) -> list[sqlite3.Row]:
    """Return id and key of the flags that match: whole ones of every project would take much longer."""
    levels, search = load_levels(call.db, call.caller, project), call.query.get("search", "")
    rows = call.db.execute(
        "SELECT id, key FROM flags WHERE project_id = :project AND deleted = 0"
        f" AND ({containing('key', search)} OR {containing('name', search)})",
        {"project": project.id, "search": like(search)},
    )
    return [row for row in rows if levels.reaches(row["id"], "viewer")]


def _describe_flag(call: Call, project: Project, row: sqlite3.Row) -> dict[str, Json]:
    author = row["created_by_id"]
    return {
        "flag_id": row["id"],
        "team_id": project.id,
        "created_by": value_of(nested_users(call.db, [author])[author]),
        "filters": _redacted_filters(call, project, row),
        "created_at": row["created_at"],
        "active": bool(row["active"]),
        "evaluations_7d": None,
    }


def _describe_match(call: Call, project: Project, row: sqlite3.Row) -> dict[str, Json]:
    return {
        "key": row["key"],
        "name": row["name"],
        "flag_id": row["id"],
        "team_id": row["project_id"],
        "filters": _redacted_filters(call, project, row),
        "active": bool(row["active"]),
    }


def _redacted_filters(call: Call, project: Project, row: sqlite3.Row) -> Json:
    """Return the filters as the project shows them; encrypted payloads stay hidden."""
    filters = value_of(shown_filters(replace(call, scoped_project=project), row))
    if row["has_encrypted_payloads"]:
        filters["payloads"] = dict.fromkeys(filters.get("payloads") or {}, PLACEHOLDER)
    return filters


def _read_number(call: Call, name: str, default: int, lowest: int, highest: int = 2**31) -> int:
    text = call.query.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 12) or not lowest <= int(text) <= highest:
        raise plain_error("Invalid query parameter.")
    return int(text)


def _read_numbers(call: Call, name: str) -> set[int] | None:
    """Return the numbers of a list with commas; None where the parameter is absent."""
    texts = call.query.get(name, "").split(",")
    numbers = {read_id(text.strip()) for text in texts if text.strip()}
    if None in numbers:
        raise plain_error("Invalid query parameter.")
    return {number for number in numbers if number is not None} or None
