"""From a session to a workspace: who we are, which project is meant, and its flags on their way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError
from flagtui.app.shell.polling import Polling
from flagtui.app.state.app_state import Desk, Watcher
from flagtui.details.flag_inspector import Inspector
from flagtui.store.key_info import Introduction, organization_name
from flagtui.store.workspace import Kind, Workspace

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.connection_state import Link
    from flagtui.app.dialogs.picker import Choice
    from flagtui.models.person import Me
    from flagtui.models.project import Project


async def connect(desk: Desk, polling: Polling) -> None:
    """Open the client and load; whatever fails becomes the desk's trouble."""
    desk.is_connecting = True
    try:
        client = as_left(await desk.session.connect(), desk)
        await open_project(desk, polling, client)
    except ApiError as error:
        desk.become_troubled(error)
    finally:
        desk.is_connecting = False


def as_left(client: Client, desk: Desk) -> Client:
    """Where no project is named, the one that was open last, rather than the browser's."""
    session = desk.session
    last = session.tastes.last_project(session.profile, session.host)
    return client.for_project(last) if last and client.project == "@current" else client


async def open_project(desk: Desk, polling: Polling, client: Client) -> None:
    """Show a project, first as it was when it was last seen, then as it is."""
    session = desk.session
    workspace = Workspace(client, profile=session.profile, snapshots=session.snapshots, clock=session.clock)
    try:
        await workspace.settle()
    except ApiError as error:
        desk.become_troubled(error)
        return
    session.tastes.keep_project(session.profile, session.host, workspace.client.project)
    desk.leave_workspace()
    desk.workspace, desk.inspector = workspace, Inspector(workspace.client)
    desk.is_connecting = False
    workspace.recall()
    link = workspace.client.link
    desk.follow(
        workspace.flags.watch(desk.tell),
        workspace.flags_loading.watch(desk.tell),
        link.watch(_when_it_shows(link, desk.tell)),
    )
    await reload(desk, polling)


def _when_it_shows(link: Link, tell: Watcher) -> Watcher:
    """Every request moves the link; only being made to wait, and being cut off or not, is worth a redraw."""
    was_offline = link.is_offline

    def moved() -> None:
        nonlocal was_offline
        if link.waiting or link.is_offline is not was_offline:
            was_offline = link.is_offline
            tell()

    return moved


async def reload(desk: Desk, polling: Polling) -> None:
    """Ask for everything again; the rows there are stay until newer ones arrive."""
    workspace = desk.workspace
    if workspace is None:
        await connect(desk, polling)
        return
    kinds: set[Kind] = {"flags", desk.kind}
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
        desk.refreshes += 1
    desk.become_troubled(refused)


async def project_choices(desk: Desk) -> list[Choice[int]]:
    """The projects this key can open. Raises ApiError when they cannot be listed."""
    workspace = desk.workspace
    if workspace is None:
        return []
    found = await workspace.client.projects.list()
    return _choices(found, workspace.me, workspace.client.project)


def projects_to_choose(desk: Desk, found: Introduction) -> list[Choice[int]]:
    """The projects of a key that was just given, where it is not clear which is meant; else none."""
    workspace, session, known = desk.workspace, desk.session, {each.id for each in found.projects}
    here = workspace.client.project if workspace else session.project
    if here == "@current":
        here = session.tastes.last_project(session.profile, session.host) or here
    is_settled = here in known or (here == "@current" and len(known) < 2)
    if not known or is_settled:
        return []
    return _choices(found.projects, found.me, found.me.current_project if found.me else None)


async def open_chosen(desk: Desk, polling: Polling, project: int) -> None:
    """Show another project of the same host and key, or the first one; a failure is the desk's trouble."""
    try:
        client = desk.workspace.client if desk.workspace else await desk.session.connect()
    except ApiError as error:
        desk.become_troubled(error)
        return
    await open_project(desk, polling, client.for_project(project))


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
