"""The order of the changes of a set, in which the server refuses none because of another one."""

from collections.abc import Iterator, Sequence

from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.proposal import Proposal
from flagtui.changes.send_order import send_order
from flagtui.changes.sets.after_set import references_in


def sort_plans(plans: Sequence[Proposal]) -> list[Proposal]:
    """Return the plans with dependencies first: flags are created and turned on before their dependents.

    Flags are turned off, deleted and freed of dependencies before their dependencies. Otherwise the order
    stays.
    """
    flags = {_name_of(plan): plan for plan in plans if isinstance(plan, Plan)}
    # Records of other kinds can have the number of a flag.
    places = {_name_of(plan): place for place, plan in enumerate(plans) if isinstance(plan, Plan)}
    first: dict[int, list[int]] = {place: [] for place in range(len(plans))}
    for name, plan in flags.items():
        for earlier, later in _pairs(name, plan, flags):
            first[places[later]].append(places[earlier])
    return [plans[place] for place in send_order(first, first)]


def _pairs(
    name: int | str, plan: Plan, flags: dict[int | str, Plan]
) -> Iterator[tuple[int | str, int | str]]:
    """Yield the pairs of names that this plan orders, the earlier one first."""
    before = {*references_in({"filters": plan.fresh.filters})}
    after = {*references_in(plan.values)} if "filters" in plan.values else before
    for other in (before | after) & flags.keys():
        if other == name:
            continue
        if other not in after or _goes_down(flags[other]):
            yield name, other
        else:
            yield other, name


def _name_of(plan: Plan) -> int | str:
    return f"{NEW_FLAG}{plan.key}" if plan.is_new else plan.id


def _goes_down(plan: Plan) -> bool:
    is_off = plan.values.get("active") is False or plan.values.get("deleted") is True
    return is_off and not plan.is_new
