"""From a session to a workspace, and keeping it current. Loaded once rows of an earlier run are on screen."""

import asyncio
from collections.abc import Callable
from functools import partial

from flagtui.api import Client
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError
from flagtui.app.shell.polling import Polling
from flagtui.app.state.app_state import AppState, Session, Watcher
from flagtui.app.state.staged_records import staged_change
from flagtui.details.flag_inspector import Inspector
from flagtui.store.kinds import FLAGS, Kind
from flagtui.store.workspace import Workspace
from flagtui.text.clock_words import SET, clock_words
from flagtui.text.styled import Notice


class ServerConnection:
    """Loads the identity, the project and its records. Failures become the app's trouble."""

    def __init__(
        self, app_state: AppState, reconnect: Callable[[], object], show_toast: Callable[[Notice], None]
    ) -> None:
        self._app_state = app_state
        self._show_toast = show_toast
        self.polling = Polling(app_state, reconnect)

    async def poll(self) -> None:
        """Look for what others change, on the server and in the mirror, until cancelled."""
        mirror, polls = self._app_state.session.mirror, [self.polling.run()]
        if mirror is not None:
            polls.append(mirror.run(self._app_state.notify_watchers))
        await asyncio.gather(*polls)

    async def connect(self) -> None:
        """Open the client and load."""
        app_state = self._app_state
        app_state.is_connecting = True
        try:
            client = await app_state.session.connect()
            await self._open_project(_as_left(client, app_state))
        except ApiError as error:
            app_state.become_troubled(error)
        finally:
            app_state.is_connecting = False
        if app_state.workspace is not None and (words := clock_words(app_state.workspace.client.link)):
            text = f"This machine's clock is {words}; ages are off by as much.\n{SET}"
            self._show_toast(Notice(text, "warning", "clock"))

    async def reload(self) -> None:
        """Ask for everything again; the rows there are stay until newer ones arrive."""
        app_state, workspace = self._app_state, self._app_state.workspace
        if workspace is None:
            await self.connect()
            return
        kinds: set[Kind] = {"flags", app_state.kind}
        loads = (workspace.refresh(kind, is_asked=True) for kind in kinds)
        ended = await asyncio.gather(
            workspace.load_identity(), self.polling.mark(workspace), *loads, return_exceptions=True
        )
        refused: ApiError | None = None
        for fault in ended:
            if isinstance(fault, ApiError):
                refused = refused or fault
            elif isinstance(fault, BaseException):
                raise fault
        if refused is None:
            if app_state.inspector is not None:
                app_state.inspector.expire()
            app_state.refreshes += 1
        app_state.become_troubled(refused)

    async def open_chosen(self, project: int) -> None:
        """Show another project of the same host and key, or the first one."""
        app_state, workspace = self._app_state, self._app_state.workspace
        if workspace is not None:
            workspace.keep_newer()
        try:
            client = workspace.client if workspace is not None else await app_state.session.connect()
        except ApiError as error:
            app_state.become_troubled(error)
            return
        await self._open_project(client.for_project(project))

    async def change_session(self, session: Session) -> None:
        """Leave the project that is open, and its connection, for another profile."""
        app_state, workspace = self._app_state, self._app_state.workspace
        app_state.leave_workspace()
        app_state.session = session
        app_state.refreshes = 0
        app_state.unlocked_until = 0.0
        app_state.recall()
        app_state.notify_watchers()
        if workspace is not None:
            workspace.keep_newer()
            await workspace.client.close()

    async def _open_project(self, client: Client) -> None:
        """Show a project, first from its cached copy, then from the server."""
        app_state, session = self._app_state, self._app_state.session
        workspace = Workspace(
            client, profile=session.profile, snapshots=session.snapshots, clock=session.clock.time
        )
        try:
            await workspace.settle()
        except ApiError as error:
            app_state.become_troubled(error)
            return
        session.preferences.keep_project(session.profile, session.host, workspace.client.project)
        recalled = app_state.recalled
        app_state.leave_workspace()
        app_state.workspace = workspace
        staged = partial(staged_change, app_state, FLAGS.entry)
        app_state.inspector = Inspector(workspace.client, staged, partial(workspace.learn_row, "flags"))
        app_state.is_connecting = False
        workspace.recall(snapshot=recalled)
        link = workspace.client.link
        app_state.follow(
            *workspace.watch(app_state.notify_watchers),
            link.watch(_when_it_shows(link, app_state.notify_watchers)),
        )
        await self.reload()


def _as_left(client: Client, app_state: AppState) -> Client:
    """Open the project that was open last if none is named."""
    last = app_state.session.last_project
    return client.for_project(last) if last and client.project == "@current" else client


def _when_it_shows(link: ConnectionState, watcher: Watcher) -> Watcher:
    """Watch the link but redraw only for a wait, a failed read, a refused key, or a change of offline."""
    before = link.is_offline, link.failed_reads, link.refusals

    def notify_of_changes() -> None:
        nonlocal before
        now = link.is_offline, link.failed_reads, link.refusals
        if link.waiting or link.retrying or now != before:
            before = now
            watcher()

    return notify_of_changes
