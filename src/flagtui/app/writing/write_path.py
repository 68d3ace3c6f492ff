"""From intents to a report in the app, the same for every kind of record; undo, redo and recovery too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from flagtui.api.errors import ApiError, needs_key
from flagtui.app.shell.change_tasks import CHAIN, ChangeTasks, OnReport, ignore
from flagtui.app.shell.toasts import drop_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.staging_mode import Staging
from flagtui.app.writing.app_interface import AppInterface
from flagtui.app.writing.results_screen import results_of
from flagtui.app.writing.stage_steps import StageSteps
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_planner import FlagPlanner, NewFlag, NewFlagPlanner
from flagtui.changes.journal_entries import Entry
from flagtui.changes.optimistic_rows import OptimisticRows
from flagtui.changes.pipeline import run
from flagtui.changes.planner import Planned, Planner, Q
from flagtui.changes.proposal import P, Purpose, R, Report
from flagtui.changes.recovery import read_for_undo
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.revert_planner import Reverts, questions_of_reverts
from flagtui.changes.sets.change_set import ChangeSetError
from flagtui.changes.skipped import Skipped
from flagtui.changes.undo import find_skipped, next_redo, next_undo, purpose_of, questions_of, why_not
from flagtui.changes.undo_planner import UndoPlanner
from flagtui.models.activity_rows import ChangeRow
from flagtui.safe_text import safe_text
from flagtui.store.kinds import KINDS, load
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import UNSAVED, explain_blocked, explain_error, explain_skipped
from flagtui.text.set_words import UNDO_AT_ONCE, explain_set_fault
from flagtui.text.styled import Notice


class WritePath:
    """Plans, asks, saves and reports, only within `ChangeTasks.run`; loaded after the first rows."""

    def __init__(self, app_state: AppState, runner: ChangeTasks, staging: Callable[[], Staging]) -> None:
        """`staging` loads the staged set."""
        self._app_state = app_state
        self._runner = runner
        self.stage_steps = StageSteps(app_state, runner, staging)

    async def change(
        self, changes: Sequence[Intent], on_report: OnReport, skipped: Sequence[Skipped] = ()
    ) -> None:
        """Set new values of flags, confirmed together."""
        if (workspace := self._runner.open_workspace()) is not None:
            planner = FlagPlanner(WorkspaceContext(self._app_state, workspace))
            await self.write(changes, planner, on_report, skipped)

    async def revert(self, rows: Sequence[ChangeRow], on_reverted: Callable[[Sequence[str]], None]) -> None:
        """Revert changes in the activity, newest first; those of one record one after the other.

        The question states how many questions there are. `on_reverted` gets the ids of the changes that one
        of them reverted, the first time with those that the log rules out.
        """
        if (workspace := self._runner.open_workspace()) is None:
            return
        questions, skipped = questions_of_reverts(rows)
        if not questions and len(rows) == 1:
            self._runner.show_toast(explain_skipped(skipped[0]))
            return
        reverted = len(rows) - len(skipped)
        revertible = {row.id for each in questions for row in each.rows}
        ruled_out = [row.id for row in rows if row.id not in revertible]
        context, here = WorkspaceContext(self._app_state, workspace), self._app_state.signature(workspace)
        batch = uuid4().hex
        for place, reverts in enumerate(questions or [Reverts("flags")], 1):
            purpose = None
            if len(questions) > 1 and not self._app_state.is_staging:
                part = f"{place:,} of {len(questions):,}"
                purpose = Purpose("Revert", count(reverted, "change"), part=part, batch=batch)
            planner = reverts.planner(context, here)

            def pass_on(report: Report[Any, Any], reverts: Reverts = reverts) -> None:
                if done := reverts.list_reverted(report.saved_ids):
                    on_reverted([*ruled_out, *done])

            report = await self.write(reverts.requests, planner, pass_on, skipped, purpose)
            skipped = []
            if report is None or not report.is_saved:
                return

    async def create(
        self,
        new_flags: Sequence[NewFlag],
        on_report: OnReport,
        skipped: Sequence[Skipped],
        workspace: Workspace,
        place: str,
    ) -> None:
        """Create flags; `place` names another project."""
        context = WorkspaceContext(self._app_state, workspace)
        await self.write(new_flags, NewFlagPlanner(context, place=place), on_report, skipped)

    async def undo_newest(self, *, is_redo: bool) -> None:
        """Undo this user's newest change here, or redo the last undone one."""
        if (workspace := self._runner.open_workspace()) is None:
            return
        if self._app_state.is_staging:
            await self.stage_steps.undo_step(is_redo=is_redo)
            return
        here = self._app_state.signature(workspace)
        journal, show = self._app_state.session.journal, self._runner.show_recovery
        entries = await read_for_undo(journal, workspace.client, here, report=show)
        if self._runner.is_saving and entries and not entries[0].ending:
            # The one before would be undone.
            self._runner.show_toast(UNSAVED)
            return
        newest = next_redo(entries, here) if is_redo else next_undo(entries, here, self._runner.no_ops)
        if newest:
            await self.undo_entries(newest, is_newest=True, is_redo=is_redo)
            return
        nothing = "You have no change left to undo in this project."
        if is_redo:
            nothing = "There is nothing to redo: nothing was undone since your last change."
        if not entries and (fault := self._app_state.session.journal.fault()):
            nothing = f"The journal cannot be read, so nothing can be undone: {safe_text(fault, 300)}."
        self._runner.show_toast(Notice(nothing))

    async def undo_entries(
        self,
        changes: Sequence[Entry],
        skipped: Sequence[Skipped] = (),
        *,
        is_newest: bool = False,
        is_redo: bool = False,
    ) -> None:
        """Undo these changes question by question, up to the first that is not saved.

        For `is_newest`, the question warns when the change is hours old: the user may mean another one.
        """
        if (workspace := self._runner.open_workspace()) is None:
            return
        if self._app_state.is_staging:
            self._runner.show_toast(UNDO_AT_ONCE)
            return
        context, here = WorkspaceContext(self._app_state, workspace), self._app_state.signature(workspace)
        meant, journal = {change.id: change for change in changes}, self._app_state.session.journal
        is_meant, show = (lambda entry: entry.id in meant), self._runner.show_recovery
        entries = await read_for_undo(journal, workspace.client, here, is_meant, show)
        meant |= {entry.id: entry for entry in entries if entry.id in meant}
        changes = [*meant.values()]
        refusal = why_not(changes[0], here)
        if refusal is not None:
            notice = explain_blocked(refusal, f"{changes[0].key}, {changes[0].verb}")
            keys = f"{key_sign('app.journal')}, {key_sign('journal.revert')}"
            self._runner.show_toast(replace(notice, text=f"{notice.text}\n{keys} undoes any other change."))
            return
        now = self._app_state.session.clock.time() if is_newest else None
        purpose = purpose_of(changes, is_redo=is_redo, now=now)
        try:
            questions = await questions_of(changes, entries, workspace.client, purpose)
        except ApiError as error:
            if await self._runner.signing_in.helps(error):
                await self.undo_entries(changes, skipped, is_newest=is_newest, is_redo=is_redo)
            else:
                self._runner.show_toast(explain_error(error, changes[0].key))
            return
        left_out: set[str] = set()
        for every, part_purpose in questions:
            if not (parts := [part for part in every if part.undoes.id not in left_out]):
                continue
            kind = parts[0].entry.kind
            planner = UndoPlanner(context, entries=entries, signature=here, entry_kind=kind, is_redo=is_redo)
            report = await self.write(parts, planner, skipped=skipped, purpose=part_purpose)
            skipped = ()
            if report is None or not report.is_saved:
                return
            if not report.outcomes:
                self._runner.no_ops |= {part.undoes.id for part in parts}
            left_out |= find_skipped(parts, [outcome.plan.id for outcome in report.outcomes])

    async def write(
        self,
        intents: Sequence[Q],
        planner: Planner[Q, P, R],
        on_report: OnReport = ignore,
        skipped: Sequence[Skipped] = (),
        purpose: Purpose | None = None,
        note: str = "",
    ) -> Report[P, R] | None:
        """Plan, ask about and carry out these intents; None when not confirmed, empty for a no-op.

        The question has the `note` unless it shows all sides of a conflict.
        """
        CHAIN.set(None)
        context = planner.context
        assert isinstance(context, WorkspaceContext)
        if (planned := await self._plan(intents, planner, context)) is None:
            return None
        workspace = context.workspace
        signature = planned.signature or self._app_state.signature(workspace)
        if context.opened is not None:
            signature = signature.made_from(self._app_state.signature(context.opened))
        if planned.project is not None:
            workspace = workspace.in_project(planned.project)
        note = "" if any(plan.conflicts for plan in planned.plans) else note
        planned = replace(planned, skipped=(*skipped, *planned.skipped), purpose=purpose, note=note)
        make_rows = load(KINDS[planner.kind].rows_at) if planner.is_listed else OptimisticRows
        rows = make_rows(workspace, context.clock.time)
        interface = AppInterface(self._app_state, self._runner, rows, planned, signature)
        if planned.adapter is None or not planned.plans:
            if await self._runner.signing_in.helps(planned.refused):
                # With another key the same question is asked again; only a confirmation sends anything.
                return await self.write(intents, planner, on_report, skipped, purpose)
            is_single = len(intents) == 1 and not skipped
            return await self._explain_skipped(planned.skipped, interface, is_single=is_single)
        rules = self._app_state.rules.on_this_machine if planner.is_local else self._app_state.rules
        if self._app_state.is_staging and purpose is None and not planner.is_local:
            report = await self.stage_steps.stage(planned, interface, rules)
        else:
            report = await run(planned, interface, rules, interface.write_context)
        if report is None:
            return None
        drop_toast(self._runner.app, UNSAVED)
        if is_related := any(isinstance(outcome.plan, RelatedPlan) for outcome in report.outcomes):
            workspace.schedule.invalidate()
        if is_related or not rows.is_listed:
            # No list notifies of it.
            self._app_state.notify_watchers()
        created: Iterator[Any] = (outcome.record for outcome in report.saved if outcome.plan.makes_record)
        if (record := next(filter(None, created), None)) is not None:
            self._runner.show_created(planner.kind, record.id, workspace)
        on_report(report)
        if again := await self._find_intents_to_ask_again(report, planned, interface):
            reasons = [outcome.reason for outcome in report.outcomes if outcome.ending == "conflicted"]
            note = f"Not saved: {reasons[0]}. Read it and confirm again." if len(reasons) == 1 else ""
            return await self.write(again, planner, on_report, (), purpose, note) or report
        return report

    async def _plan(
        self, intents: Sequence[Q], planner: Planner[Q, P, R], context: WorkspaceContext
    ) -> Planned[Q, P] | None:
        """Plan these intents; show why there is no question about them any more, and return None then."""
        what = planner.name(intents[0]) if len(intents) == 1 else count(len(intents), planner.noun)
        try:
            with self._runner.reading(what):
                planned = await planner.plan(intents)
        except ChangeSetError as error:
            # The record has changed since its earlier change was staged.
            self._runner.show_toast(explain_set_fault(error))
            return None
        outdated = context.why_outdated
        records = {plan.id for plan in planned.plans} | {record.id for record in planned.skipped}
        if self._runner.is_saving and len(records) > 1:
            # Those in flight were read as they are before their change: a question about them would be wrong.
            is_in_flight = not context.workspace.collection(planner.kind).pending.isdisjoint(records)
            outdated = outdated or (UNSAVED if is_in_flight else None)
        if outdated is None:
            return planned
        if planned.late is not None:
            planned.late.cancel()
        self._runner.show_toast(outdated)
        return None

    async def _explain_skipped(
        self, skipped: Sequence[Skipped], interface: AppInterface[P, R], *, is_single: bool
    ) -> Report[P, R] | None:
        """Show why there is no question: in a toast where one record is all that was requested.

        The report is empty where all were no-ops.
        """
        if is_single and skipped:
            self._runner.show_toast(explain_skipped(skipped[0]))
        else:
            await interface.show_results(())
        return Report() if all(each.is_no_op for each in skipped) else None

    async def _find_intents_to_ask_again(
        self, report: Report[P, R], planned: Planned[Q, P], interface: AppInterface[P, R]
    ) -> Sequence[Q]:
        """Return the intents of unchanged records: after a new key, a conflict, or when the user retries."""
        if report.is_saved and not planned.skipped:
            return ()
        # Plans of an undo that were not chosen are no part of the report.
        tried = [item.plan for item in report.outcomes if item.is_unchanged] + [*report.unsent]
        left = {(plan.id, plan.key) for plan in tried}
        pairs = zip(planned.plans, planned.requests, strict=True)
        unchanged = [intent for plan, intent in pairs if (plan.id, plan.key) in left]
        errors = (outcome.error for outcome in report.outcomes)
        if await self._runner.signing_in.helps(next(filter(needs_key, errors), None)):
            return unchanged
        results = results_of(report, planned.purpose)
        # A single change that conflicts is asked about again, with all sides.
        is_conflict = not report.unsent and [item.ending for item in report.outcomes] == ["conflicted"]
        return unchanged if is_conflict or await interface.show_results(results) else ()
