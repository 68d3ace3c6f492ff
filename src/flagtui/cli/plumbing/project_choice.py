"""The project of a command: its id, a name that the server is asked for, or the one of a journal entry."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import keep_place
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.config.profiles import CURRENT_PROJECT, is_project_id

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.models.account import Project

ProjectOfChange = Callable[[Opening, Mapping[str, Any]], str]
"""Return the project that the arguments of a command name by a journal entry; empty for none."""


def split_projects(opening: Opening) -> Sequence[Opening]:
    """Return an opening for each project of `--project 1,2`; one for a single project."""
    names = [name.strip() for name in opening.project_name.split(",")]
    if len(names) < 2:
        return [opening]
    if not all(names):
        what = f"{opening.project_name!r} has an empty name of a project."
        raise Trouble(what, "Write ids or names with commas between them.", code="usage")
    return [
        opening.in_project(name) if is_project_id(name) else replace(opening, project_name=name)
        for name in dict.fromkeys(names)
    ]


def require_one_project(opening: Opening, what: str) -> Opening:
    """Return the opening. Raises Trouble for `--project 1,2`; `what` is the subject of the sentence."""
    if "," in opening.project_name:
        fix = "Run it once for each; name a project with a comma by its id."
        raise Trouble(f"{what} takes one project, not {opening.project_name}.", fix, code="usage")
    return opening


def name_project(opening: Opening, project_of_entry: Callable[[], str]) -> Opening:
    """Return the opening for a change, which needs the name of its project unless there is a terminal.

    `project_of_entry` returns the project of the journal entry that the command undoes, empty for none.
    Raises Trouble.
    """
    require_one_project(opening, "a change")
    if opening.project_name or opening.profile.project != CURRENT_PROJECT:
        return opening
    if project := project_of_entry():
        keep_place("project", project)
        return opening.in_project(project)
    from flagtui.cli.plumbing.prompts import find_prompts

    if not find_prompts().is_there:
        what = "no project is named; without a terminal, a change needs one."
        fix = "Use --project ID, set FLAGTUI_PROJECT, or give the profile a project"
        raise Trouble(what, f"{fix}; {next_command('projects')} lists them.", code="usage")
    return opening


async def open_project(client: "Client", opening: Opening) -> "tuple[Client, Opening]":
    """Return the client and the opening with the id of the project. Raises Trouble, ApiError."""
    if opening.project_name:
        from flagtui.cli.plumbing.prompts import find_prompts

        projects = await client.projects.list()
        id = select_project(projects, opening.project_name, has_prefixes=find_prompts().is_there)
        return client.for_project(id), opening.in_project(str(id))
    if client.project == CURRENT_PROJECT:
        client = client.for_project(await client.projects.current())
    return client, opening


def select_project(projects: "Sequence[Project]", name: str, *, has_prefixes: bool) -> int:
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
