"""Projects to choose from."""

from collections.abc import Iterable

from flagtui.app.dialogs.picker import Choice
from flagtui.app.state.app_state import AppState
from flagtui.models.account import Me, Project
from flagtui.store.key_info import Introduction, organization_name


async def project_choices(app_state: AppState) -> list[Choice[int]]:
    """Return the projects this key can open. Raises ApiError when they cannot be listed."""
    workspace = app_state.workspace
    if workspace is None:
        return []
    projects = await workspace.client.projects.list()
    return _choices(projects, workspace.me, workspace.client.project)


def projects_to_choose(app_state: AppState, introduction: Introduction) -> list[Choice[int]]:
    """Return the projects of a new key if it can open several and none is named; else none."""
    workspace, session, ids = (
        app_state.workspace,
        app_state.session,
        {project.id for project in introduction.projects},
    )
    here = workspace.client.project if workspace else session.project
    if here == "@current":
        here = session.last_project or here
    is_settled = here in ids or (here == "@current" and len(ids) < 2)
    if not ids or is_settled:
        return []
    return _choices(
        introduction.projects, introduction.me, introduction.me.current_project if introduction.me else None
    )


def _choices(projects: Iterable[Project], me: Me | None, here: int | str | None) -> list[Choice[int]]:
    return [
        Choice(
            project.id,
            project.label,
            f"#{project.id}  {organization_name(me, project)}".rstrip(),
            project.id == here,
        )
        for project in projects
    ]
