"""Flags read and planned, alone or together in an order in which none blocks another."""

from collections.abc import Sequence
from operator import attrgetter

from flagtui.api.heavy_work import off_loop
from flagtui.changes.flags.current_flag import FlagReading
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.send_order import send_order
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.models.flag import Flag

PlannedTogether = tuple[Sequence[Plan], Sequence[Skipped]]
"""Plans, and the skipped flags with their reasons."""


def skip_unplanned(fresh: Flag, result: NoOp | Blocked) -> Skipped:
    """Skip a flag whose change is a no-op or refused."""
    if isinstance(result, NoOp):
        alone = f"{fresh.key} {result.words}; nothing was sent"
        return skip_no_op(fresh.id, fresh.key, result.words, alone)
    return skip(fresh.id, fresh.key, result)


def would_change(intent: Intent, fresh: Flag) -> bool:
    """Return whether the change is no no-op, and nothing in the flag itself refuses it."""
    return isinstance(plan_flag(intent, fresh, Context()), Plan)


async def plan_together(readings: Sequence[FlagReading]) -> PlannedTogether:
    """Return the plans that can be asked about together, and the skipped flags.

    Heavy flags are planned in a thread, so that keys are handled meanwhile.
    """
    filters = (reading.fresh.filters for reading in readings)
    return await off_loop(lambda: _plan_together(readings), *filters)


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
