"""Flags that change together: planned against each other, in an order in which none blocks another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import NothingToDo, Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.left_out import LeftOut
from flagtui.models.flag import Flag

Found = Plan | NothingToDo | Blocked


@dataclass(frozen=True)
class Looked:
    """A flag read again, and what is known around it."""

    fresh: Flag
    context: Context
    make: Callable[[Flag, Context], Found]

    def plan(self, together: frozenset[int]) -> Found:
        """The plan when these flags change at the same time."""
        return self.make(self.fresh, within_batch(self.context, together))


@dataclass(frozen=True)
class PlannedTogether:
    """The plans of many requests, and what was left out."""

    plans: Sequence[Plan]
    left_out: Sequence[LeftOut] = ()
    settled: Sequence[LeftOut] = ()
    """Those of them that are as wanted already."""


def plan_together(looked: Sequence[Looked]) -> PlannedTogether:
    """The plans that can be asked about together, and why the others cannot."""
    known, left_out, settled = list(looked), list[LeftOut](), list[LeftOut]()
    while True:
        # What is left out stays as it is, and may stand in the way of the others.
        ids = frozenset(item.fresh.id for item in known)
        found = [(item, item.plan(ids)) for item in known]
        out = [(item, plan) for item, plan in found if not isinstance(plan, Plan)]
        if not out:
            plans = in_order([plan for _, plan in found if isinstance(plan, Plan)])
            return PlannedTogether(plans, tuple(left_out), tuple(settled))
        for item, plan in out:
            if isinstance(plan, NothingToDo):
                settled.append(LeftOut(item.fresh.id, item.fresh.key, plan.words))
            else:
                left_out.append(LeftOut(item.fresh.id, item.fresh.key, plan.reason, plan.next))
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
