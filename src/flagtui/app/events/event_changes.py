"""Changes of event definitions: begun here, written by the pipeline of all changes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flagtui.api.errors import PaymentNeeded
from flagtui.app.events.event_planner import EventPlanner
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.screens import NOBODY, Listener
from flagtui.changes.event_definitions.definition_intent import EventIntent
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

    def start(self, intents: Sequence[EventIntent], listener: Listener = NOBODY) -> None:
        """Starts the pipeline for these intents, which are confirmed together."""
        if self.why_read_only:
            self.changing.tell(Notice(self.why_read_only, "warning", "read-only"))
        elif intents:
            self.changing.run(self._write(tuple(intents), listener))

    async def _write(self, intents: Sequence[EventIntent], listener: Listener) -> None:
        if (workspace := self.changing.open_workspace()) is None:
            return

        def remember(ended: Ended[Any, Any]) -> None:
            if any(isinstance(one.error, PaymentNeeded) for one in ended.outcomes):
                licence = "this server asks for a licence to change them"
                self._refusal = (workspace, f"Event definitions are read-only here: {licence}.")
            listener.ended(ended)

        planner = EventPlanner(self._app_state, workspace)
        if await self.changing.write(intents, planner, replace(listener, ended=remember)) is None:
            listener.ended(Ended())
