"""From a session to a workspace: who we are, which project is meant, and its flags on their way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError
from flagtui.app.shell.polling import Polling
from flagtui.app.state.app_state import AppState, Watcher
from flagtui.details.flag_inspector import Inspector
from flagtui.store.key_info import Introduction, organization_name
from flagtui.store.workspace import Kind, Workspace

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.connection_state import ConnectionState
    from flagtui.app.dialogs.picker import Choice
    from flagtui.models.person import Me
    from flagtui.models.project import Project


async def connect(app_state: AppState, polling: Polling) -> None:
    """Open the client and load; whatever fails becomes the app's trouble."""
    app_state.is_connecting = True
    try:
        client = as_left(await app_state.session.connect(), app_state)
        await open_project(app_state, polling, client)
    except ApiError as error:
        app_state.become_troubled(error)
    finally:
        app_state.is_connecting = False


def as_left(client: Client, app_state: AppState) -> Client:
    """Where no project is named, the one that was open last, rather than the browser's."""
    session = app_state.session
    last = session.preferences.last_project(session.profile, session.host)
    return client.for_project(last) if last and client.project == "@current" else client


async def open_project(app_state: AppState, polling: Polling, client: Client) -> None:
    """Show a project, first as it was when it was last seen, then as it is."""
    session = app_state.session
    workspace = Workspace(client, profile=session.profile, snapshots=session.snapshots, clock=session.clock)
    try:
        await workspace.settle()
    except ApiError as error:
        app_state.become_troubled(error)
        return
    session.preferences.keep_project(session.profile, session.host, workspace.client.project)
    app_state.leave_workspace()
    app_state.workspace, app_state.inspector = workspace, Inspector(workspace.client)
    app_state.is_connecting = False
    workspace.recall()
    link = workspace.client.link
    app_state.follow(
        workspace.flags.watch(app_state.tell),
        workspace.flags_loading.watch(app_state.tell),
        link.watch(_when_it_shows(link, app_state.tell)),
    )
    await reload(app_state, polling)


def _when_it_shows(link: ConnectionState, tell: Watcher) -> Watcher:
    """Every request moves the link; only being made to wait, and being cut off or not, is worth a redraw."""
    was_offline = link.is_offline

    def moved() -> None:
        nonlocal was_offline
        if link.waiting or link.is_offline is not was_offline:
            was_offline = link.is_offline
            tell()

    return moved


async def reload(app_state: AppState, polling: Polling) -> None:
    """Ask for everything again; the rows there are stay until newer ones arrive."""
    workspace = app_state.workspace
    if workspace is None:
        await connect(app_state, polling)
        return
    kinds: set[Kind] = {"flags", app_state.kind}
    loads = (workspace.refresh(kind, is_asked=True) for kind in kinds)
    ended = await asyncio.gather(
        workspace.introduce(), polling.mark(workspace), *loads, return_exceptions=True
    )
    faults = [fault for fault in ended if isinstance(fault, BaseException)]
    for fault in faults:
        if not isinstance(fault, ApiError):
            raise fault
    refused = next((fault for fault in faults if isinstance(fault, ApiError)), None)
    if refused is None:
        app_state.refreshes += 1
    app_state.become_troubled(refused)


async def project_choices(app_state: AppState) -> list[Choice[int]]:
    """The projects this key can open. Raises ApiError when they cannot be listed."""
    workspace = app_state.workspace
    if workspace is None:
        return []
    found = await workspace.client.projects.list()
    return _choices(found, workspace.me, workspace.client.project)


def projects_to_choose(app_state: AppState, found: Introduction) -> list[Choice[int]]:
    """The projects of a key that was just given, where it is not clear which is meant; else none."""
    workspace, session, known = app_state.workspace, app_state.session, {each.id for each in found.projects}
    here = workspace.client.project if workspace else session.project
    if here == "@current":
        here = session.preferences.last_project(session.profile, session.host) or here
    is_settled = here in known or (here == "@current" and len(known) < 2)
    if not known or is_settled:
        return []
    return _choices(found.projects, found.me, found.me.current_project if found.me else None)


async def open_chosen(app_state: AppState, polling: Polling, project: int) -> None:
    """Show another project of the same host and key, or the first one; a failure is the app's trouble."""
    try:
        client = app_state.workspace.client if app_state.workspace else await app_state.session.connect()
    except ApiError as error:
        app_state.become_troubled(error)
        return
    await open_project(app_state, polling, client.for_project(project))


def _choices(found: Iterable[Project], me: Me | None, here: int | str | None) -> list[Choice[int]]:
    from flagtui.app.dialogs.picker import Choice

    return [
        Choice(
            project.id,
            project.label,
            f"#{project.id}  {organization_name(me, project)}".rstrip(),
            project.id == here,
        )
        for project in found
    ]
