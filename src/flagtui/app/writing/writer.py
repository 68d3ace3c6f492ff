"""A change from what was asked for to what is true of it, the same for every kind of record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flagtui.api.errors import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.listener import NOBODY, Listener
from flagtui.app.writing.planner import Planned, PlannedStep, Planner, Q
from flagtui.app.writing.result_lines import results_of
from flagtui.app.writing.unresolved import Unresolved
from flagtui.changes.adapter import WriteContext
from flagtui.changes.batch import Batch, Ended
from flagtui.changes.guard import Approved, Around
from flagtui.changes.outcome import Outcome, P, R
from flagtui.text import outcomes
from flagtui.text.notices import Notice

if TYPE_CHECKING:
    from flagtui.app.writing.interface import Interface
    from flagtui.app.writing.optimistic_rows import OptimisticRows
    from flagtui.changes.journal_entries import TakenBack


class Writer:
    """Plans, asks, saves and reports. `Interface` runs it as a task that no screen cancels."""

    def __init__(self, app_state: AppState, interface: Interface) -> None:
        self._app_state = app_state
        self._interface = interface
        self._unresolved = Unresolved(app_state)

    async def follow(
        self,
        asked: Sequence[Q],
        planner: Planner[Q, P, R],
        listener: Listener = NOBODY,
        without_journal: str = "",
    ) -> Ended[P, R] | None:
        """None when nothing was agreed to; what is so already has ended with nothing to do.

        `without_journal` says why the journal cannot be written, which the question offers to go without.
        """
        with self._interface.reading(planner.name_of(asked)):
            planned = await planner.plan(asked)
        around = Around((*listener.left_out, *planned.left_out), listener.purpose, without_journal)
        approval = Approval(self._app_state, self._interface, planner.kind, around, planner.place)
        if not planned.steps:
            return await self._without_plan(asked, planned, planner, listener, approval)
        approved = await approval.agree([step.plan for step in planned.steps], planned.late)
        if approved is None:
            return None
        agreed = zip(planned.steps, approved.plans, strict=True)
        steps = [replace(step, plan=plan) for step, plan in agreed]
        undoes = {step.plan.key: step.undoes for step in steps if step.undoes is not None}
        saving = self._save(approved, planner, undoes, listener)
        ended = await self._interface.see_through(saving)
        self._app_state.tell()
        self._show_made(ended, planner)
        listener.saved([planner.record_of(one.plan) for one in ended.outcomes if one.is_saved])
        listener.ended(ended)
        return await self._ask_again(ended, steps, planner, listener, approval) or ended

    async def _without_plan(
        self,
        asked: Sequence[Q],
        planned: Planned[Q, P],
        planner: Planner[Q, P, R],
        listener: Listener,
        approval: Approval[P],
    ) -> Ended[P, R] | None:
        """With another key the same question is asked anew; only the person's answer sends anything."""
        if await self._interface.signing_in.helps(planned.refused):
            return await self.follow(asked, planner, listener)
        if planned.notice is not None:
            self._interface.tell(planned.notice)
        elif approval.around.left_out:
            await approval.tell(())
        return Ended() if planned.is_so_already else None

    async def _ask_again(
        self,
        ended: Ended[P, R],
        steps: Sequence[PlannedStep[Q, P]],
        planner: Planner[Q, P, R],
        listener: Listener,
        approval: Approval[P],
    ) -> Ended[P, R] | None:
        """What surely was not changed: with another key, without the journal, or because it was chosen."""
        kept = {id(outcome.plan) for outcome in ended.outcomes if not outcome.is_unchanged}
        again = [step.asked for step in steps if id(step.plan) not in kept]
        alone = replace(listener, left_out=())
        errors = (outcome.error for outcome in ended.outcomes)
        if await self._interface.signing_in.helps(next((one for one in errors if needs_key(one)), None)):
            return await self.follow(again, planner, alone)
        if why := next((one.reason for one in ended.outcomes if one.is_without_journal), ""):
            return await self.follow(again, planner, alone, why)
        results = [*results_of(ended.outcomes, ended.unsent, planner.record_of)]
        if _is_overtaken(ended) or await approval.tell(results):
            return await self.follow(again, planner, alone)
        return None

    def _show_made(self, ended: Ended[P, R], planner: Planner[Any, P, R]) -> None:
        saved = (outcome for outcome in ended.outcomes if outcome.is_saved)
        made = next((one for one in map(planner.made, saved) if one is not None), None)
        if made is not None:
            self._interface.show_made(planner.kind, made, planner.workspace)

    async def _save(
        self,
        approved: Approved[P],
        planner: Planner[Any, P, R],
        undoes: Mapping[str, TakenBack],
        listener: Listener,
    ) -> Ended[P, R]:
        session, rows = self._app_state.session, planner.rows()
        context = WriteContext(session.journal, planner.signature, session.timing, self._warn)
        batch = Batch(approved, planner.adapter(), context, undoes)
        with ExitStack() as every:
            shown = {id(plan): every.enter_context(ExitStack()) for plan in approved.plans}
            for plan in approved.plans:
                shown[id(plan)].enter_context(rows.showing(plan))
            async for outcome in batch.run():
                await rows.believe(outcome)
                shown[id(outcome.plan)].close()
        is_here = self._is_here(planner)
        with ExitStack() as unresolved:
            for outcome in batch.outcomes:
                if outcome.ending == "unknown" and rows.listed is not None:
                    mark = self._unresolved.about(outcome.plan.id, rows.listed[0], planner.workspace)
                    unresolved.enter_context(mark)
            if not any(outcome.is_without_journal for outcome in batch.outcomes):
                told = outcomes.explain_outcomes(
                    batch.outcomes, len(batch.unsent), purpose=listener.purpose, is_here=is_here
                )
                self._interface.tell(told)
            async for outcome in batch.settle():
                await rows.believe(outcome)
                await self._keep_in_sight(outcome, rows, planner)
                self._interface.tell(outcomes.explain_settled(outcome, is_here=is_here))
        return Ended(tuple(batch.outcomes), batch.unsent)

    async def _keep_in_sight(
        self, outcome: Outcome[P, R], rows: OptimisticRows[P, R], planner: Planner[Any, P, R]
    ) -> None:
        """What could not be read stays unresolved in the list until it is read again."""
        if outcome.ending == "unknown" and not outcome.was_read and rows.listed is not None:
            collection, loading = rows.listed
            await self._unresolved.keep(outcome.plan.id, collection, loading, planner.workspace)

    def _is_here(self, planner: Planner[Any, P, R]) -> bool:
        """Whether `u` would take it back next."""
        workspace = self._app_state.workspace
        return workspace is not None and planner.signature == self._app_state.signature(workspace)

    def _warn(self, words: str) -> None:
        self._interface.tell(Notice(words, "warning"))


def _is_overtaken(ended: Ended[Any, Any]) -> bool:
    """The one change that was asked for met another person's: it is asked about anew, with all sides."""
    return not ended.unsent and [outcome.ending for outcome in ended.outcomes] == ["conflicted"]
