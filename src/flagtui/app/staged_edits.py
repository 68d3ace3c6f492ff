"""Edit a staged change in the editor of its kind; the saved edit replaces it in the set."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from flagtui.app.events.event_changes import EventChanges
from flagtui.app.events.event_keys import edit_event_as_json
from flagtui.app.flags.flag_edits import FlagEdits
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.shell.change_tasks import OnReport, ignore
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_planner import NewFlag, NewFlagPlanner
from flagtui.changes.own_changes import OwnChanges
from flagtui.changes.proposal import Report
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.changes.sets.outdated import OutdatedChanges
from flagtui.changes.sets.set_planner import SetPlanner
from flagtui.store.kinds import BY_ENTRY
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_skipped
from flagtui.text.set_words import explain_dropped, explain_set_fault
from flagtui.text.styled import Notice


class StagedChangeEditor:
    """Opens the form of a flag, an event definition as JSON, or the page of an experiment."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        self._app_state = app_state
        self._runner = runner

    def edit(self, change: StagedChange) -> None:
        """Edit the change; keys stage from now on."""
        if not self._app_state.is_staging:
            self._runner.switch_staging()
        if not self._app_state.is_staging:
            return
        if change.is_new:
            self._edit_new(change)
        elif self._runner.staging.is_outdated(change):
            self._runner.run(self._edit_outdated(change))
        else:
            self._edit_current(change)

    async def _edit_outdated(self, change: StagedChange) -> None:
        """Stage the change again on the current record, after a question about conflicts; then edit it."""
        workspace, change_set = self._runner.open_workspace(), self._runner.staging.change_set
        if workspace is None or change_set is None:
            return
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        own = OwnChanges.of(entries, self._app_state.signature(workspace))
        planner = SetPlanner(
            WorkspaceContext(self._app_state, workspace, is_applying=True),
            changes=change_set.changes,
            since=OutdatedChanges(change_set, own),
            is_overwriting=True,
        )
        report = await self._runner.write([change], planner)
        if report is None:
            return
        staged = self._runner.staging.change_set
        current = None if staged is None else staged.change_of(*change.identity)
        if report.staged and current is not None:
            self._edit_current(current)
        elif not report.staged:
            # The record has these values already.
            await self._runner.staging.drop([change.identity])
            self._runner.show_toast(explain_dropped(change.key))

    def _edit_current(self, change: StagedChange) -> None:
        workspace, kind = self._app_state.workspace, BY_ENTRY[change.kind].plural
        row: Any = None if workspace is None else workspace.collection(kind).get(change.record)
        if row is None:
            drop, staged = key_sign("staged.drop"), key_sign("app.staged")
            words = f"{change.key} is not in the list any more; {drop} in {staged} unstages it"
            self._runner.show_toast(Notice(words, "warning"))
        elif kind == "experiments":
            # Its form is one of many screens that its page opens.
            self._runner.open_record(kind, change.record, change.key)
        elif kind == "flags":
            self._runner.run(FlagEdits(self._app_state, self._runner, ignore).form([row]))
        else:
            edit_event_as_json(row, self._app_state, EventChanges(self._app_state, self._runner), ignore)

    def _edit_new(self, change: StagedChange) -> None:
        """Open the form of a flag that the set creates."""
        copy, replace = WorkingCopy.new(change.values), partial(self._replace, change)
        self._runner.run(FormScreen(self._app_state, self._runner, copy, create=replace).open())

    async def _replace(self, change: StagedChange, flags: Sequence[NewFlag], on_report: OnReport) -> None:
        workspace = self._runner.open_workspace()
        if workspace is None:
            return
        planner = NewFlagPlanner(WorkspaceContext(self._app_state, workspace))
        with self._runner.reading(change.key):
            planned = await planner.plan(flags)
        if planned.skipped:
            self._runner.show_toast(explain_skipped(planned.skipped[0]))
            return
        try:
            await self._runner.staging.add(planned.plans, [change])
        except ChangeSetError as error:
            self._runner.show_toast(explain_set_fault(error))
        else:
            on_report(Report(staged=tuple(planned.plans)))
