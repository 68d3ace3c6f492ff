"""Resolve the name of a project, as `--project` takes it: the exact one, on a terminal also its beginning."""

from collections.abc import Sequence

from flagtui.api.client import Client
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.prompts import find_prompts
from flagtui.models.account import Project


async def find_project(client: Client, given: str) -> int:
    """Return the id of the project with this id or name. Raises Trouble, ApiError."""
    if given.isdecimal():
        return int(given)
    return select_project(await client.projects.list(), given, has_prefixes=find_prompts().is_there)


def select_project(projects: Sequence[Project], name: str, *, has_prefixes: bool) -> int:
    """Return the id of the project with this exact name, else with this unique prefix. Raises Trouble."""
    matches = [project for project in projects if project.name == name]
    if not matches and has_prefixes:
        matches = [each for each in projects if each.name.casefold().startswith(name.casefold())]
    if len(matches) > 1:
        ids = ", ".join(f"{project.id} ({project.name})" for project in matches)
        raise Trouble(f"{len(matches):,} projects are called {name}.", f"Give the id: {ids}.", code="usage")
    if not matches:
        from flagtui.cli.plumbing.near_names import not_found

        raise not_found("project", [name], [project.name for project in projects], "projects")
    return matches[0].id
