"""Changes of event definitions begin here; a server that refuses them is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flagtui.api.errors import PaymentNeeded
from flagtui.app.shell.change_tasks import OnReport, ignore
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_planner import EventPlanner
from flagtui.changes.proposal import Report
from flagtui.store.workspace import Workspace
from flagtui.text.styled import Notice


class EventChanges:
    """Starts changes of event definitions; they run as tasks of the App."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        self._app_state = app_state
        self.runner = runner
        self._refusal: tuple[Workspace, str] | None = None

    @property
    def why_read_only(self) -> str:
        """The reason why this server refuses changes of event definitions; empty until it has refused one."""
        if self._refusal is None or self._refusal[0] is not self._app_state.workspace:
            return ""
        return self._refusal[1]

    def is_read_only(self) -> bool:
        """Return whether this server refuses the change; show a toast if it does."""
        if why := self.why_read_only:
            self.runner.show_toast(Notice(why, "warning", "read-only"))
        return bool(why)

    def start(self, intents: Sequence[EventIntent], on_report: OnReport = ignore) -> None:
        """Start the pipeline for these intents, which are confirmed together."""
        if not self.is_read_only() and intents:
            self.runner.run(self.save(tuple(intents), on_report))

    async def save(self, intents: Sequence[EventIntent], on_report: OnReport) -> None:
        """Ask about these intents and save them; the report is empty if not confirmed. Only within `run`."""
        if (workspace := self.runner.open_workspace()) is None:
            return

        def remember(report: Report[Any, Any]) -> None:
            if any(isinstance(outcome.error, PaymentNeeded) for outcome in report.outcomes):
                licence = "this server asks for a licence to change them"
                self._refusal = (workspace, f"Event definitions are read-only here: {licence}.")
            on_report(report)

        planner = EventPlanner(WorkspaceContext(self._app_state, workspace))
        if await self.runner.write(intents, planner, remember) is None:
            on_report(Report())
