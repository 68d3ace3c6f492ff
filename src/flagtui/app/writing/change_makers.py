"""What a change of each sort begins with. Loaded by the first change, or once the rows are here."""

from collections.abc import Sequence
from typing import Any

from textual.app import App

from flagtui.app.shell.sign_in import SignIn
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.flag_planner import FlagPlanner, NewFlagPlanner
from flagtui.app.writing.journal_recovery import recover_unresolved
from flagtui.app.writing.listener import Listener
from flagtui.app.writing.requested_changes import NewFlag, request_for, request_revert
from flagtui.app.writing.screens import UndoScreens
from flagtui.app.writing.undo import undo_entries, undo_newest
from flagtui.app.writing.writer import Writer
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.journal_entries import Entry
from flagtui.models.activity import Activity
from flagtui.store.workspace import Workspace


class ChangeMakers:
    """One for each running app. What it begins runs only within `Changes.run`."""

    def __init__(self, app: App[Any], app_state: AppState, interface: UndoScreens) -> None:
        self._app_state = app_state
        self._interface = interface
        self.writer = Writer(app_state, interface)
        self.signing_in = SignIn(app, app_state)

    async def change(self, intents: Sequence[Intent], listener: Listener) -> None:
        """New values for fields of flags, confirmed together."""
        if (workspace := self._app_state.workspace) is None:
            self._interface.no_connection()
            return
        requests = [request_for(intent) for intent in intents]
        await self._interface.write(requests, FlagPlanner(self._app_state, workspace), listener)

    async def create(
        self, wanted: Sequence[NewFlag], listener: Listener, workspace: Workspace, place: str
    ) -> None:
        """New flags; `place` names another project."""
        await self._interface.write(wanted, NewFlagPlanner(self._app_state, workspace, place), listener)

    async def revert(self, record: int, entry: Activity, listener: Listener) -> None:
        """A change of a flag that the activity tells, taken back."""
        if (workspace := self._app_state.workspace) is None:
            self._interface.no_connection()
            return
        request = request_revert(record, entry)
        await self._interface.write([request], FlagPlanner(self._app_state, workspace), listener)

    async def undo_newest(self, *, is_redo: bool) -> None:
        """The newest change of this person here, or what was undone last."""
        await undo_newest(self._app_state, self._interface, is_redo=is_redo)

    async def undo_entry(self, entry: Entry) -> None:
        """One earlier change of this person here."""
        await undo_entries([entry], self._app_state, self._interface)

    async def recover_unresolved(self) -> None:
        """What became of changes that an earlier run left open in this project."""
        await recover_unresolved(self._app_state, self._interface.tell)
