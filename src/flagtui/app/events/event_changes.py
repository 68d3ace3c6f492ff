"""Changes of event definitions begin here; a server that refuses them is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flagtui.api.errors import PaymentNeeded
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.screens import NOBODY, Listener
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_planner import EventPlanner
from flagtui.changes.pipeline import Ended
from flagtui.store.workspace import Workspace
from flagtui.text.styled import Notice


class EventChanges:
    """Begins changes of event definitions; they run as tasks of the App."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self.changing = changing
        self._refusal: tuple[Workspace, str] | None = None

    @property
    def why_read_only(self) -> str:
        """Why this server refuses changes of event definitions; empty until it has refused one."""
        if self._refusal is None or self._refusal[0] is not self._app_state.workspace:
            return ""
        return self._refusal[1]

    def is_read_only(self) -> bool:
        """Whether this server refuses such changes, which is said then."""
        if why := self.why_read_only:
            self.changing.tell(Notice(why, "warning", "read-only"))
        return bool(why)

    def start(self, intents: Sequence[EventIntent], listener: Listener = NOBODY) -> None:
        """Starts the pipeline for these intents, which are confirmed together."""
        if not self.is_read_only() and intents:
            self.changing.run(self._write(tuple(intents), listener))

    async def _write(self, intents: Sequence[EventIntent], listener: Listener) -> None:
        if (workspace := self.changing.open_workspace()) is None:
            return

        def remember(ended: Ended[Any, Any]) -> None:
            if any(isinstance(one.error, PaymentNeeded) for one in ended.outcomes):
                licence = "this server asks for a licence to change them"
                self._refusal = (workspace, f"Event definitions are read-only here: {licence}.")
            listener.ended(ended)

        planner = EventPlanner(WorkspaceContext(self._app_state, workspace))
        if await self.changing.write(intents, planner, replace(listener, ended=remember)) is None:
            listener.ended(Ended())
