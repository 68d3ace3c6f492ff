"""Flags read again and planned, alone or against each other in an order in which none blocks another."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from flagtui.changes.blocked import Blocked
from flagtui.changes.consequence import Caution
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan, plan_flag
from flagtui.changes.flags.surroundings import Answers, Gathering, Surroundings, gather
from flagtui.changes.planner import SOON, settle, skip
from flagtui.changes.proposal import Skipped
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

Found = Plan | NothingToDo | Blocked
HEAVY: Final = 300
"""Conditions, properties and variants, of all flags together, from which changes are planned in a thread."""


@dataclass(frozen=True)
class RequestedChange:
    """One flag and what is to become of it."""

    record: int
    intent: Callable[[Flag], Intent | Blocked]
    """What is meant, once the flag has been read again."""
    finish: Callable[[Plan], Found] | None = None
    """What is known of the plan beyond the intent."""
    switch: Intent | None = None
    """The intent of a change that turns the flag on or off and does nothing else."""

    def plan(self, fresh: Flag, context: Context) -> Found:
        """What is meant, on the flag as it is now."""
        intent = self.intent(fresh)
        found = intent if isinstance(intent, Blocked) else plan_flag(intent, fresh, context)
        return self.finish(found) if self.finish is not None and isinstance(found, Plan) else found


def request_for(intent: Intent) -> RequestedChange:
    """New values for some fields."""
    switch = intent if intent.changes.keys() == {"active"} else None
    return RequestedChange(intent.id, lambda _fresh: intent, switch=switch)


@dataclass(frozen=True)
class Looked:
    """A flag read again, and what is known around it."""

    fresh: Flag
    context: Context
    request: RequestedChange
    gathering: Gathering | None = None
    """What of it the server is still asked for."""

    def plan(self, together: frozenset[int]) -> Found:
        """The plan when these flags change at the same time."""
        return self.request.plan(self.fresh, within_batch(self.context, together))

    async def plan_beside(self, together: frozenset[int]) -> Found:
        """The same, in a thread where it takes long: keys go on being heard meanwhile."""
        if self.fresh.targeting.size < HEAVY:
            return self.plan(together)
        return await asyncio.to_thread(self.plan, together)

    def stop(self) -> None:
        """Asks for nothing any more."""
        if self.gathering is not None:
            self.gathering.stop()


async def look_around(
    ask: Answers, fresh: Flag, request: RequestedChange, known: Surroundings, *, adds_later: bool
) -> Looked:
    """What comes in time; the rest goes on being asked for where the question can tell it later."""
    intent, values = request.intent(fresh), dict[str, JSON]()
    if isinstance(intent, Intent):
        values |= intent.changes
        known = replace(known, seen_version=intent.seen_version)
    if not adds_later:
        return Looked(fresh, await gather(ask, fresh, values, known), request)
    gathering = Gathering(ask, fresh, values, known)
    try:
        context = await gathering.within(SOON)
    except asyncio.CancelledError:
        gathering.stop()
        raise
    return Looked(fresh, context, request, None if gathering.is_complete else gathering)


def late_plan(shown: Plan, looked: Looked, together: frozenset[int]) -> asyncio.Task[Plan] | None:
    """The plan with all that the server tells, once it does; None where nothing is missing."""
    gathering = looked.gathering
    if gathering is None:
        return None

    async def complete() -> Plan:
        try:
            whole = replace(looked, context=await gathering.within(None))
        finally:
            gathering.stop()
        found = await whole.plan_beside(together)
        if isinstance(found, Plan):
            return found
        why = found.reason if isinstance(found, Blocked) else found.words
        return replace(shown, cautions=(Caution(f"the server will refuse it: {why}"), *shown.cautions))

    return asyncio.create_task(complete())


@dataclass(frozen=True)
class PlannedTogether:
    """The plans of many requests, and what was left out."""

    plans: Sequence[Plan]
    skipped: Sequence[Skipped] = ()


async def plan_together(looked: Sequence[Looked]) -> PlannedTogether:
    """Return the plans that can be asked about together, and why the others cannot.

    They are made in a thread where all of them take long: keys go on being heard meanwhile.
    """
    if sum(item.fresh.targeting.size for item in looked) < HEAVY:
        return _plan_together(looked)
    return await asyncio.to_thread(_plan_together, looked)


def _plan_together(looked: Sequence[Looked]) -> PlannedTogether:
    known, skipped = list(looked), list[Skipped]()
    while True:
        # What is left out stays as it is, and may stand in the way of the others.
        ids = frozenset(item.fresh.id for item in known)
        found = [(item, item.plan(ids)) for item in known]
        out = [(item, plan) for item, plan in found if not isinstance(plan, Plan)]
        if not out:
            plans = in_order([plan for _, plan in found if isinstance(plan, Plan)])
            return PlannedTogether(plans, tuple(sorted(skipped, key=attrgetter("is_settled"))))
        for item, plan in out:
            if isinstance(plan, NothingToDo):
                skipped.append(settle(item.fresh.id, item.fresh.key, plan.words))
            else:
                skipped.append(skip(item.fresh.id, item.fresh.key, plan))
        known = [item for item, plan in found if isinstance(plan, Plan)]


def within_batch(context: Context, ids: frozenset[int]) -> Context:
    """The context without what the same batch changes too: a child that goes off as well blocks nothing."""
    dependents = context.dependents
    if isinstance(dependents, tuple):
        dependents = tuple(flag for flag in dependents if flag.id not in ids)
    dependencies = tuple(flag for flag in context.dependencies if flag.id not in ids)
    return replace(context, dependents=dependents, dependencies=dependencies)


def in_order(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Flags going on after those they ask for, flags going off before; otherwise as they came."""
    by_id = {plan.id: plan for plan in plans}
    first: dict[int, list[int]] = {id: [] for id in by_id}
    for plan in plans:
        for asked in plan.fresh.targeting.depends_on:
            if asked in by_id:
                earlier, later = (asked, plan.id) if _goes_on(plan) else (plan.id, asked)
                first[later].append(earlier)
    ordered: dict[int, Plan] = {}

    def place(id: int, above: frozenset[int]) -> None:
        if id in ordered or id in above:
            return
        for earlier in first[id]:
            place(earlier, above | {id})
        ordered[id] = by_id[id]

    for id in by_id:
        place(id, frozenset())
    return tuple(ordered.values())


def _goes_on(plan: Plan) -> bool:
    return plan.values.get("active") is True or plan.values.get("deleted") is False
