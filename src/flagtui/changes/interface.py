"""From plans to a report: one question, its answer, the requests; on a screen or in lines."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from msgspec.structs import replace

from flagtui.changes.adapter import WriteContext
from flagtui.changes.guard import Approved, GuardRefused, Question, guard
from flagtui.changes.pipeline import Report, send_groups
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, P, R
from flagtui.changes.unanswered import is_watched, watch
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

    def watch(self, report: Report[P, R], watched: Sequence[Outcome[P, R]]) -> AbstractContextManager[None]:
        """Show the outcomes so far, and that those in `watched` are looked up until the block ends."""

    async def on_settled(self, outcome: Outcome[P, R]) -> None:
        """Show the outcome of a plan whose response was lost."""


async def run(
    planned: Planned[Any, P],
    interface: Interface[P, R],
    rules: GuardRules,
    context: WriteContext,
) -> Report[P, R] | None:
    """Ask about the plans and carry them out; None when they were refused or not confirmed.

    Plans that were not sent because the journal cannot be written are asked about again, to go without it.
    """
    question = guard(planned, rules)
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
    again = await run(replace(planned, plans=left, without_journal=why), interface, rules, context)
    if again is None:
        return report
    return Report((*done, *again.outcomes), again.unsent)


async def _carry_out(
    approved: Approved[P], planned: Planned[Any, P], interface: Interface[P, R], context: WriteContext
) -> Report[P, R]:
    adapter, outcomes = planned.adapter, list[Outcome[P, R]]()
    assert adapter is not None
    with interface.show(approved.plans):
        async for group in send_groups(approved, adapter, context, planned.undoes):
            outcomes += group
            if not all([await interface.on_outcome(outcome) for outcome in group]):
                break
    ended = {id(outcome.plan) for outcome in outcomes}
    unsent = tuple(plan for plan in approved.plans if id(plan) not in ended)
    watched = [outcome for outcome in outcomes if is_watched(outcome, context)]
    with interface.watch(Report(tuple(outcomes), unsent), watched):
        settled = await asyncio.gather(*(watch(outcome, adapter, context) for outcome in watched))
        for outcome in settled:
            await interface.on_settled(outcome)
    by_plan = {id(outcome.plan): outcome for outcome in (*outcomes, *settled)}
    return Report(tuple(by_plan.values()), unsent)
