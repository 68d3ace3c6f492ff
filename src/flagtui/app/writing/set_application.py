"""Apply the staged set from the app: the usual question, one group in the journal, one undo."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.shell.change_tasks import ChangeTasks
from flagtui.app.shell.toasts import drop_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.set_steps import being_applied
from flagtui.app.state.staging_mode import Staging
from flagtui.app.writing.app_interface import AppInterface
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.app.writing.write_path import WritePath
from flagtui.changes.adapter import WriteContext
from flagtui.changes.journal import JournalUnwritable
from flagtui.changes.pipeline import run
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, Proposal, Purpose
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange
from flagtui.changes.sets.set_plans import SetPlan, plan_set
from flagtui.changes.sets.set_progress import Identity, choices_after_refusal, progress_of
from flagtui.changes.sets.set_rows import SetRows
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_error
from flagtui.text.set_words import (
    NOTHING_STAGED,
    explain_blocked_set,
    explain_done,
    explain_pending,
    explain_set_fault,
    order_note,
    outdated_note,
)
from flagtui.text.styled import Notice

AFTER_REFUSAL: Final[Sequence[Choice[str]]] = (
    Choice("stop", "stop here", "nothing more is sent; the rest stays staged"),
    Choice("undo", "undo what was applied", "asks before it sends anything"),
    Choice("continue", "continue with the rest", "that change stays staged"),
)


class SetApplication:
    """Plans the staged set as a whole, asks once, sends it; only within `ChangeTasks.run`."""

    def __init__(self, app_state: AppState, runner: ChangeTasks, path: WritePath, staging: Staging) -> None:
        self._app_state = app_state
        self._runner = runner
        self._path = path
        self._staging = staging
        self._file = staging.file

    async def apply(self) -> None:
        """Apply the staged set. Applied changes leave the set, the others stay in it."""
        workspace = self._runner.open_workspace()
        if workspace is None:
            return
        # Another program may have changed it since the last look.
        self._staging.look()
        change_set = self._staging.change_set
        if change_set is None:
            self._runner.show_toast(Notice(self._app_state.staged_fault or NOTHING_STAGED))
            return
        try:
            self._staging.refuse_while_applying()
            with self._staging.hold_set():
                await self._apply(change_set, workspace)
        except ChangeSetError as error:
            self._runner.show_toast(explain_set_fault(error, "not applied"))

    async def _apply(self, change_set: ChangeSet, workspace: Workspace) -> None:
        plan = await self._plan(change_set, workspace)
        if plan is None:
            return
        if plan.planned is None:
            self._runner.show_toast(explain_pending(plan.pending, plan.lost))
        elif plan.blocked:
            self._runner.show_toast(explain_blocked_set(plan.blocked[0]))
        elif plan.outdated:
            await self._ask_about_current(change_set, plan.outdated, workspace)
        elif not plan.planned.plans:
            await self._drop_done(plan.done)
        else:
            await self._send(change_set, plan, workspace, order_note(len(plan.planned.plans)))
        if not plan.pending:
            await self._staging.drop_applied(_applied_before(plan, change_set), self._file)

    async def _ask_about_current(
        self, change_set: ChangeSet, outdated: Sequence[OutdatedChange], workspace: Workspace
    ) -> None:
        """Plan on the current records instead; the question shows every value that both sides changed."""
        plan = await self._plan(change_set, workspace, is_overwriting=True)
        if plan is None or plan.planned is None:
            return
        if plan.blocked:
            self._runner.show_toast(explain_blocked_set(plan.blocked[0]))
        elif not plan.planned.plans:
            await self._drop_done(plan.done)
        else:
            await self._send(change_set, plan, workspace, outdated_note(outdated))

    async def _drop_done(self, done: Sequence[StagedChange]) -> None:
        """Unstage changes whose records have their values already."""
        await self._staging.drop_applied((change.identity for change in done), self._file)
        self._runner.show_toast(explain_done(done, len(self._staging.changes)))

    async def _plan(
        self, change_set: ChangeSet, workspace: Workspace, *, is_overwriting: bool = False
    ) -> SetPlan | None:
        """Plan the rest of the set; show why it cannot be planned."""
        session, signature = self._app_state.session, self._app_state.signature(workspace)
        context = WorkspaceContext(self._app_state, workspace, is_applying=True)
        writing = WriteContext(
            session.journal,
            signature,
            session.clock,
            lambda words: self._runner.show_toast(Notice(words, "warning")),
        )
        try:
            with self._runner.reading(count(len(change_set.changes), "change")):
                plan = await plan_set(change_set, context, writing, is_overwriting=is_overwriting)
        except ApiError as error:
            self._runner.show_toast(explain_error(error, "the staged changes cannot be planned"))
        except JournalUnwritable as fault:
            self._runner.show_toast(Notice(f"The journal cannot be written: {fault}", "error"))
        else:
            if context.why_outdated is None:
                return plan
            self._runner.show_toast(context.why_outdated)
        return None

    async def _send(self, change_set: ChangeSet, plan: SetPlan, workspace: Workspace, note: str) -> None:
        planned = plan.planned
        assert planned is not None
        words = count(len(planned.plans), "change")
        purpose = Purpose("Apply", f"{words}, {change_set.reason}" if change_set.reason else words)
        planned = replace(planned, purpose=purpose, batch=change_set.id, note=note)
        interface = SetInterface(self._app_state, self._runner, workspace, planned, self._staging)
        interface.undoable = len(plan.progress.saved)
        with self._staging.applying():
            report = await run(planned, interface, self._app_state.rules, interface.write_context)
            if report is None:
                return
            saved = {interface.identity_of(outcome) for outcome in report.saved}
            # Changes that an earlier run applied leave the set, too, and no-ops; the rest stays staged.
            done = {change.identity for change in plan.done} if saved else set[Identity]()
            await self._staging.drop_applied(saved | done | _applied_before(plan, change_set), self._file)
        drop_toast(self._runner.app, explain_set_fault(being_applied()))
        if report.saved:
            # What was applied is undone with u, which undoes staged steps while keys stage.
            self._staging.end()
        self._app_state.notify_watchers()
        if interface.choice == "undo":
            entries = await asyncio.to_thread(self._app_state.session.journal.entries)
            await self._path.undo_entries(progress_of(change_set, entries).saved)


def _applied_before(plan: SetPlan, change_set: ChangeSet) -> set[Identity]:
    """Return the changes of the set that an earlier run applied."""
    return {change.identity for change in plan.progress.applied_of(change_set)}


class SetInterface(AppInterface[Proposal, Any]):
    """Asks after the first refusal whether to stop, to undo what was applied, or to continue."""

    choice: str = ""
    """The chosen action; empty without a refusal."""
    undoable = 0
    """Applied changes of the set that are in the journal."""
    _journaled = 0
    """Changes of this run that are in the journal with their outcome."""

    def __init__(
        self,
        app_state: AppState,
        runner: ChangeTasks,
        workspace: Workspace,
        planned: Planned[StagedChange, Proposal],
        staging: Staging,
    ) -> None:
        super().__init__(
            app_state,
            runner,
            SetRows(workspace, app_state.session.clock.time),
            planned,
            app_state.signature(workspace),
        )
        self._staging = staging
        pairs = zip(planned.plans, planned.requests, strict=True)
        self._identities = {id(plan): change.identity for plan, change in pairs}

    def identity_of(self, outcome: Outcome[Proposal, Any]) -> Identity:
        """Return the record of an outcome as the set names it."""
        return self._identities[id(outcome.plan)]

    async def on_outcome(self, outcome: Outcome[Proposal, Any]) -> bool:
        if outcome.is_saved:
            self._staging.mark_applied(self.identity_of(outcome))
        await super().on_outcome(outcome)
        self._journaled += not outcome.is_without_journal
        self.undoable += bool(outcome.undo_words)
        if outcome.is_saved or outcome.ending == "unknown" or outcome.is_without_journal:
            return True
        if not self.choice:
            choices = self._choices()
            title = f"{outcome.plan.key}: {outcome.ending}"
            picker = PickerScreen(title, choices, outcome.reason)
            chosen = await self._runner.ask(picker) if len(choices) > 1 else None
            self.choice = chosen or "stop"
        return self.choice == "continue"

    def _choices(self) -> Sequence[Choice[str]]:
        """Return the possible actions."""
        left = len(self._planned.plans) - self._journaled
        possible = choices_after_refusal(self.undoable, left)
        return [choice for choice in AFTER_REFUSAL if choice.value in possible]
