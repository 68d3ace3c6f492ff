"""Flags read and planned, alone or together in an order in which none blocks another."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from flagtui.changes.flags.context_queries import ContextQueries
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.planner import off_loop
from flagtui.changes.proposal import Caution
from flagtui.changes.send_order import send_order
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.models.flag import Flag

PlanResult = Plan | NoOp | Blocked
PlannedTogether = tuple[Sequence[Plan], Sequence[Skipped]]
"""Plans, and the skipped flags with their reasons."""


@dataclass(frozen=True)
class FlagChange:
    """A requested change of one flag."""

    record: int
    """The flag's number."""
    intent: Callable[[Flag], Intent | Blocked]
    """Makes the intent from the current flag."""
    finish: Callable[[Plan], PlanResult] | None = None
    """Completes or refuses the plan."""
    switch: Intent | None = None
    """The intent of a change that turns the flag on or off and does nothing else."""


def skip_unplanned(fresh: Flag, result: NoOp | Blocked) -> Skipped:
    """Skip a flag whose change is a no-op or refused."""
    if isinstance(result, NoOp):
        return skip_no_op(fresh.id, fresh.key, result.words)
    return skip(fresh.id, fresh.key, result)


def would_change(intent: Intent, fresh: Flag) -> bool:
    """Return whether the change is no no-op, and nothing in the flag itself refuses it."""
    return isinstance(plan_flag(intent, fresh, Context()), Plan)


def change_for(intent: Intent) -> FlagChange:
    """Return the change that sets the values of this intent."""
    switch = intent if intent.changes.keys() == {"active"} else None
    return FlagChange(intent.id, lambda _fresh: intent, switch=switch)


@dataclass(frozen=True)
class FlagReading:
    """The current flag with its context, and the intent to plan on it."""

    fresh: Flag
    intent: Intent
    context: Context
    finish: Callable[[Plan], PlanResult] | None = None
    queries: ContextQueries | None = None
    """Queries of the context without a response so far."""

    def plan(self, together: frozenset[int]) -> PlanResult:
        """Plan the change; the flags with the ids in `together` change at the same time."""
        result = plan_flag(self.intent, self.fresh, within_batch(self.context, together))
        return self.finish(result) if self.finish is not None and isinstance(result, Plan) else result

    async def plan_off_loop(self, together: frozenset[int]) -> PlanResult:
        """Plan the change as `plan` does, a heavy one in a thread, so that keys are handled meanwhile."""
        return await off_loop(self.fresh.targeting.size, lambda: self.plan(together))

    def stop(self) -> None:
        """Cancel the pending queries."""
        if self.queries is not None:
            self.queries.stop()


def late_plan(shown: Plan, reading: FlagReading, together: frozenset[int]) -> asyncio.Task[Plan] | None:
    """Start the plan with the complete context; None when the plan shown is complete already."""
    queries = reading.queries
    if queries is None:
        return None

    async def complete() -> Plan:
        try:
            whole = replace(reading, context=await queries.within(None))
        finally:
            queries.stop()
        result = await whole.plan_off_loop(together)
        if isinstance(result, Plan):
            return result
        why = result.reason if isinstance(result, Blocked) else result.words
        return replace(shown, cautions=(Caution(f"the server will refuse it: {why}"), *shown.cautions))

    return asyncio.create_task(complete())


async def plan_together(readings: Sequence[FlagReading]) -> PlannedTogether:
    """Return the plans that can be asked about together, and the skipped flags.

    Heavy flags are planned in a thread, so that keys are handled meanwhile.
    """
    size = sum(reading.fresh.targeting.size for reading in readings)
    return await off_loop(size, lambda: _plan_together(readings))


def _plan_together(readings: Sequence[FlagReading]) -> PlannedTogether:
    left, skipped = list(readings), list[Skipped]()
    while True:
        # A skipped flag keeps its values, and may block the others.
        ids = frozenset(reading.fresh.id for reading in left)
        results = [(reading, reading.plan(ids)) for reading in left]
        declined = [(reading.fresh, result) for reading, result in results if not isinstance(result, Plan)]
        if not declined:
            plans = sort_by_dependency([plan for _, plan in results if isinstance(plan, Plan)])
            return plans, tuple(sorted(skipped, key=attrgetter("is_no_op")))
        skipped += [skip_unplanned(flag, result) for flag, result in declined]
        left = [reading for reading, result in results if isinstance(result, Plan)]


def within_batch(context: Context, ids: frozenset[int]) -> Context:
    """Return the context of a flag of a batch; dependents in the same batch do not block it."""
    if not ids:
        return context
    dependents = context.dependents
    if isinstance(dependents, tuple):
        dependents = tuple(flag for flag in dependents if flag.id not in ids)
    return replace(context, dependents=dependents, together=ids)


def sort_by_dependency(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Order plans so that no server refuses one: on after its dependencies, off before them.

    Otherwise the order stays.
    """
    by_id = {plan.id: plan for plan in plans}
    first: dict[int, list[int]] = {id: [] for id in by_id}
    for plan in plans:
        for dependency in plan.fresh.targeting.depends_on:
            if dependency in by_id:
                earlier, later = (dependency, plan.id) if _turns_on(plan) else (plan.id, dependency)
                first[later].append(earlier)
    return tuple(by_id[id] for id in send_order(first, first))


def _turns_on(plan: Plan) -> bool:
    return plan.values.get("active") is True or plan.values.get("deleted") is False
