"""From plans of any kind to a report: ask, re-read, journal, send once, resolve a lost response.

After the question, on a screen or in lines: read again if the record may be stale, journal, one request,
look-ups if the response was lost, journal. The adapter holds the rules of a kind of record. No change is sent
twice; only a request that the server refused with 429 is repeated, after its pause and another read of a
record that may be stale by then.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol
from uuid import uuid4

from msgspec.structs import replace

from flagtui.api import errors
from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import off_loop
from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.guard import Approved, GuardRefused, Question, guard, spend
from flagtui.changes.journal import Journal, JournalUnwritable
from flagtui.changes.journal_entries import Ending, UndoTarget
from flagtui.changes.planner import Planned, read_each
from flagtui.changes.proposal import FRESH_FOR, Outcome, P, PlanId, R, Report
from flagtui.changes.unanswered import as_unknown, cause_words, look_up, watch
from flagtui.config.guard_rules import GuardRules

LONGEST_WAIT: Final = 10.0
"""Seconds to wait for one change when the server requests a pause."""
LONGEST_WAIT_OF_MANY: Final = 120.0
"""The same for each of many changes; beyond it, the rest is not sent."""
WAITS: Final = 5
"""How often one of many waits for the server before the rest is not sent."""
STOPPED: Final = "stopped while it was in flight"
NOT_SENT: Final = "not sent: the journal could not be written for the whole batch"
STOPPING: Final = (errors.NotSignedIn, errors.MissingScope, errors.PaymentNeeded, errors.RateLimited)
"""Errors that every further request would meet too."""
OF_ONE_KIND: Final = (errors.MissingScope, errors.PaymentNeeded)
"""Those that a request for another kind of record need not meet."""


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
    watched = [outcome for outcome in outcomes if context.is_watched(outcome)]
    with interface.watch(Report(tuple(outcomes), unsent), watched):
        settled = await asyncio.gather(*(watch(outcome, adapter, context) for outcome in watched))
        for outcome in settled:
            await interface.on_settled(outcome)
    by_plan = {id(outcome.plan): outcome for outcome in (*outcomes, *settled)}
    return Report(tuple(by_plan.values()), unsent)


async def send_groups(
    approved: Approved[P],
    adapter: Adapter[P, R],
    context: WriteContext,
    undoes: Mapping[PlanId, UndoTarget] | None = None,
) -> AsyncIterator[Sequence[Outcome[P, R]]]:
    """Send the plans and yield the outcomes of each request; stop early when the rest would fail too.

    `undoes` has the journal entry that each plan undoes. Raises ValueError for a spent approval.
    """
    spend(approved)
    if adapter.is_all_or_nothing:
        now = context.clock.time()
        old = [plan for plan in approved.plans if now - plan.read_at > FRESH_FOR]
        compared = await read_each(old, lambda plan: _conflict(plan, adapter, context))
        if conflicts := [conflict for _, conflict in compared if conflict is not None]:
            yield conflicts
            return
    refused = set[type[P]]()
    for plans in adapter.groups(approved.plans):
        if not refused.isdisjoint(map(type, plans)):
            continue
        outcomes = await write(approved, plans, adapter, context, undoes or {})
        yield outcomes
        for outcome in filter(stops_all, outcomes):
            if not isinstance(outcome.error, OF_ONE_KIND):
                return
            refused.add(type(outcome.plan))


async def write(
    approved: Approved[P],
    plans: Sequence[P],
    adapter: Adapter[P, R],
    context: WriteContext,
    undoes: Mapping[PlanId, UndoTarget],
) -> Sequence[Outcome[P, R]]:
    """Send one group of plans of a spent approval and return their outcomes in order.

    Raises ValueError for a plan that was not approved.
    """
    if any(not any(plan is agreed for agreed in approved.plans) for plan in plans):
        raise ValueError("this plan was not approved")
    conflicts = [await _conflict(plan, adapter, context) for plan in plans]
    left = [plan for plan, conflict in zip(plans, conflicts, strict=True) if conflict is None]
    sent = iter(await _journal_and_send(approved, left, adapter, context, undoes))
    return [conflict or next(sent) for conflict in conflicts]


def stops_all(outcome: Outcome[P, R]) -> bool:
    """Return whether to stop: the next plan would fail too, or this outcome is unknown."""
    is_stopping = outcome.is_without_journal or isinstance(outcome.error, STOPPING)
    return not outcome.is_saved and (outcome.ending in ("failed", "unknown") or is_stopping)


async def _conflict(plan: P, adapter: Adapter[P, R], context: WriteContext) -> Outcome[P, R] | None:
    """Read an old record again, or one that the server does not compare, and return its conflict."""
    is_fresh = context.clock.time() - plan.read_at <= FRESH_FOR
    if not plan.read_at or (adapter.is_compared(plan) and is_fresh):
        return None
    try:
        now = await adapter.read(plan)
    except ApiError as error:
        if not error.sent:
            return _outcome_of_error(plan, error)
        reason = "it could not be read again, so nothing was sent"
        return Outcome(plan, "failed", None, reason, error.next, error)
    if now is None:
        return None
    return await off_loop(lambda: adapter.conflict(plan, now), getattr(now, "raw", None))


async def _journal_and_send(
    approved: Approved[P],
    plans: Sequence[P],
    adapter: Adapter[P, R],
    context: WriteContext,
    undoes: Mapping[PlanId, UndoTarget],
) -> Sequence[Outcome[P, R]]:
    ids: list[str] = []
    for plan in plans:
        back = undoes.get((plan.id, plan.key))
        entry = replace(
            adapter.journal_entry(plan),
            id=uuid4().hex,
            at=context.clock.time(),
            signature=context.signature,
            reason=approved.reason,
            batch=approved.batch,
            undoes=back.id if back is not None and back.is_whole else "",
            part_of=back.id if back is not None and not back.is_whole else "",
            pid=os.getpid(),
        )
        try:
            await asyncio.to_thread(context.journal.begin, entry)
        except JournalUnwritable as fault:
            if not approved.without_journal:
                for begun in filter(None, ids):
                    _close_begun(context.journal, begun, "refused", NOT_SENT)
                why = f"the journal cannot be written: {fault}"
                next = "free some space, or confirm to continue without it"
                return [Outcome(plan, "refused", None, why, next, is_without_journal=True) for plan in plans]
            ids.append("")
        else:
            ids.append(entry.id)
    try:
        every = await _send(plans, adapter, context, is_alone=len(approved.plans) == 1) if plans else ()
    except asyncio.CancelledError:
        for begun in filter(None, ids):
            _close_begun(context.journal, begun, "unknown", STOPPED)
        raise
    return [
        await context.close_entry(begun, outcome, adapter) for begun, outcome in zip(ids, every, strict=True)
    ]


async def _send(
    plans: Sequence[P], adapter: Adapter[P, R], context: WriteContext, *, is_alone: bool
) -> Sequence[Outcome[P, R]]:
    try:
        every = await _send_within_limits(plans, adapter, context, is_alone=is_alone)
    except ApiError as error:
        if not error.sent:
            return [_outcome_of_error(plan, error) for plan in plans]
        for plan in plans:
            context.tell(f"{plan.key}: {cause_words(error)}; checking whether it was applied")
        every = [as_unknown(plan, error) for plan in plans]
    open_ones = [place for place, outcome in enumerate(every) if outcome.ending == "unknown"]
    if open_ones:
        context.on_lost(len(open_ones))
    looked = await asyncio.gather(*(look_up(every[place], adapter, context) for place in open_ones))
    resolved = dict(zip(open_ones, looked, strict=True))
    return [resolved.get(place, outcome) for place, outcome in enumerate(every)]


async def _send_within_limits(
    plans: Sequence[P], adapter: Adapter[P, R], context: WriteContext, *, is_alone: bool
) -> Sequence[Outcome[P, R]]:
    longest, pauses = (LONGEST_WAIT, 1) if is_alone else (LONGEST_WAIT_OF_MANY, WAITS)
    left = longest if context.wait is None else context.wait
    while True:
        try:
            return [await adapter.send(plans[0])] if len(plans) == 1 else await adapter.send_group(plans)
        except errors.RateLimited as error:
            wait = max(error.retry_after or 1.0, 1.0)
            if not pauses or wait > left:
                raise
        pauses, left = pauses - 1, left - wait
        context.tell(f"the server asks for a pause of {wait:.0f} s")
        await context.clock.sleep(wait)
        if len(plans) == 1 and (conflict := await _conflict(plans[0], adapter, context)) is not None:
            return [conflict]


def _outcome_of_error(plan: P, error: ApiError) -> Outcome[P, R]:
    """Return the outcome of an error: the change was not applied."""
    match error:
        case errors.ApprovalNeeded(pending=pending):
            reason, next = "the change now waits for approval in the browser", ""
            if pending:
                # The other request may be for other values.
                reason = "an earlier request waits for approval in the browser, and no new one was made"
                next = "have that request approved or rejected, then try again"
            return Outcome(plan, "awaiting approval", None, reason, next, error)
        case errors.Unreachable():
            return Outcome(plan, "failed", None, error.what, error.next, error)
    return Outcome(plan, "refused", None, error.what, error.next, error)


def _close_begun(journal: Journal, begun: str, ending: Ending, note: str) -> None:
    try:
        journal.finish(begun, ending, None, note)
    except JournalUnwritable:
        # The entry stays open, which means the same.
        return
