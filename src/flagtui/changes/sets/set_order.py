"""The order of the changes of a set, in which the server refuses none because of another one."""

from collections.abc import Iterator, Sequence

from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.after_set import references_in


def sort_plans(plans: Sequence[Proposal]) -> list[Proposal]:
    """Return the plans with dependencies first: flags are created and turned on before their dependents.

    Flags are turned off, deleted and freed of dependencies before their dependencies. Otherwise the order
    stays.
    """
    flags = {_name_of(plan): plan for plan in plans if isinstance(plan, Plan)}
    first: dict[int | str, list[int | str]] = {name: [] for name in flags}
    for name, plan in flags.items():
        for earlier, later in _pairs(name, plan, flags):
            first[later].append(earlier)
    ordered: dict[int | str, Proposal] = {}

    def place(name: int | str, above: frozenset[int | str]) -> None:
        if name in ordered or name in above:
            return
        for earlier in first[name]:
            place(earlier, above | {name})
        ordered[name] = flags[name]

    for each in plans:
        if isinstance(each, Plan):
            place(_name_of(each), frozenset())
        else:
            ordered[each.id] = each
    return list(ordered.values())


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
