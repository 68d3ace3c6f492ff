"""Foresee refusals of flags that depend on new flags of the same set, by their names in it."""

from collections.abc import Collection, Iterator, Sequence

from flagtui.changes.blocked import Blocked
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.after_set import references_in


def refused_references(plans: Sequence[Proposal], created: Collection[str]) -> Iterator[tuple[Plan, Blocked]]:
    """Yield the plans that depend on a new flag that the set does not create, or creates turned off.

    `created` has the names of new flags that exist already. Servers refuse both with the first request.
    """
    flags = [plan for plan in plans if isinstance(plan, Plan)]
    new = {f"{NEW_FLAG}{plan.key}": plan for plan in flags if plan.is_new}
    for plan in flags:
        names = (name for name in references_in(plan.values) if isinstance(name, str))
        for name in names:
            if (
                name.startswith(NEW_FLAG)
                and name not in created
                and (blocked := _refusal(name, new.get(name)))
            ):
                yield plan, blocked
                break


def _refusal(name: str, plan: Plan | None) -> Blocked | None:
    key = name.removeprefix(NEW_FLAG)
    if plan is None:
        reason = f"it depends on {key}, which the set does not create"
        return Blocked("dependencies", reason, "stage that flag too, or edit the conditions")
    if plan.values.get("active") is False:
        reason = f"it depends on {key}, which the set creates turned off"
        return Blocked("dependencies", reason, "stage that flag turned on, or edit the conditions")
    return None
