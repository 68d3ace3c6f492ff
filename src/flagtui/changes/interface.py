"""From plans to a report: one question, its answer, the requests; on a screen or in lines."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol

from flagtui.changes.adapter import WriteContext
from flagtui.changes.guard import PLAIN, Approved, GuardRefused, Question, QuestionContext, guard
from flagtui.changes.pipeline import Batch, Report
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, P, R
from flagtui.config.guard_rules import GuardRules


class Interface(Protocol[P, R]):
    """The interface of a front end: how it asks about a change and shows the outcome."""

    def refuse(self, refused: GuardRefused) -> None:
        """Show why there is no question."""

    async def confirm(self, question: Question[P]) -> Approved[P] | None:
        """Return the approval; None when the change was not confirmed, which is shown."""

    async def run_to_end(self, saving: Coroutine[Any, Any, Report[P, R]]) -> Report[P, R]:
        """Await `saving`, whatever is closed or pressed meanwhile."""

    def show(self, plans: Sequence[P]) -> AbstractContextManager[None]:
        """Show the plans as pending until the block ends."""

    async def on_outcome(self, outcome: Outcome[P, R]) -> bool:
        """Show the outcome of one plan; return False to leave the rest unsent."""

    def watch(self, batch: Batch[P, R]) -> AbstractContextManager[None]:
        """Show all outcomes so far, and that unknown ones are looked up until the block ends."""

    async def on_settled(self, outcome: Outcome[P, R]) -> None:
        """Show the outcome of a plan whose response was lost."""


async def run(
    planned: Planned[Any, P],
    interface: Interface[P, R],
    rules: GuardRules,
    context: WriteContext,
    asked_with: QuestionContext = PLAIN,
) -> Report[P, R] | None:
    """Ask about the plans and carry them out; None when they were refused or not confirmed.

    Plans that were not sent because the journal cannot be written are asked about again, to go without it.
    """
    question = guard(planned.plans, rules, asked_with)
    if isinstance(question, GuardRefused):
        interface.refuse(question)
        return None
    approved = await interface.confirm(question)
    if approved is None:
        return None
    report = await interface.run_to_end(_carry_out(approved, planned, interface, context))
    why = next((outcome.reason for outcome in report.outcomes if outcome.is_without_journal), "")
    if not why:
        return report
    done = tuple(outcome for outcome in report.outcomes if not outcome.is_without_journal)
    left = [plan for plan in approved.plans if not any(plan is outcome.plan for outcome in done)]
    asked_again = replace(asked_with, without_journal=why)
    again = await run(replace(planned, plans=left), interface, rules, context, asked_again)
    if again is None:
        return report
    return Report((*done, *again.outcomes), again.unsent, is_stopped=again.is_stopped)


async def _carry_out(
    approved: Approved[P], planned: Planned[Any, P], interface: Interface[P, R], context: WriteContext
) -> Report[P, R]:
    assert planned.adapter is not None
    batch = Batch(approved, planned.adapter, context, planned.undoes)
    is_stopped = False
    with interface.show(approved.plans):
        async for outcome in batch.run():
            if not await interface.on_outcome(outcome):
                is_stopped = True
                break
    with interface.watch(batch):
        async for outcome in batch.settle():
            await interface.on_settled(outcome)
    return Report(tuple(batch.outcomes), batch.unsent, is_stopped=is_stopped)
