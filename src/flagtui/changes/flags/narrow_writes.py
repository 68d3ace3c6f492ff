"""Requests for one narrow part of a flag, which the newest servers have: another share, or everyone."""

from typing import Final

import msgspec

from flagtui.api.flags import Flags
from flagtui.changes.canonical_filters import means_same
from flagtui.changes.flags.flag_plan import Plan
from flagtui.evaluate import wire
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_text

Filters = dict[str, JSON]
SHARE: Final = "rollout_percentage"
"""What a server that takes whole shares only names when it refuses a fraction."""
OPEN: Final = wire.new_condition(100)
"""The first condition, which matches everyone."""


class NarrowWrite(msgspec.Struct, frozen=True):
    """Another share for one condition, or a condition for everyone in first place."""

    condition: int | None = None
    """Its place, counted from 0; None puts one for everyone first."""
    percent: float = 100
    variant: str | None = None
    """For everyone, of a flag with variants."""

    async def send(self, plan: Plan, version: int, flags: Flags) -> Flag:
        """Return the request, for a version."""
        if self.condition is None:
            return await flags.roll_out_to_everyone(plan.id, variant=self.variant, version=version)
        return await flags.set_rollout(plan.id, self.condition, self.percent, version=version)


def narrow_write(plan: Plan) -> NarrowWrite | None:
    """Return the plan as a narrow write; None if it changes more, or if the server would refuse it."""
    if plan.is_new or plan.values.keys() != {"filters"}:
        return None
    before, after = as_dict(plan.before["filters"]), as_dict(plan.values["filters"])
    return _one_share(before, after) or _to_everyone(before, after)


def _one_share(before: Filters, after: Filters) -> NarrowWrite | None:
    groups, new_groups = [*wire.conditions(before)], wire.conditions(after)
    pairs = enumerate(zip(groups, new_groups, strict=False))
    moved = [place for place, (was, will_be) in pairs if wire.share(was) != wire.share(will_be)]
    if len(moved) != 1:
        return None
    place, percent = moved[0], wire.share(new_groups[moved[0]])
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 <= percent <= 100:
        return None
    groups[place] = wire.with_share(as_dict(groups[place]), percent)
    is_all = means_same(wire.with_conditions(before, groups), after, ("filters",))
    return NarrowWrite(place, percent) if is_all else None


def _to_everyone(before: Filters, after: Filters) -> NarrowWrite | None:
    groups, variants = wire.conditions(before), [*map(as_dict, wire.variants(before))]
    full = [as_text(as_dict(item).get("key")) for item in wire.variants(after) if wire.share(item) == 100]
    is_clear = len(full) == 1 if variants else not full
    leads = bool(groups) and means_same(groups[0], OPEN, ("filters", "groups", 0))
    if leads or not is_clear or before.get("feature_enrollment"):
        return None
    variant = full[0] if full else None
    filters = wire.with_conditions(before, [OPEN, *groups])
    if variants:
        shares = [wire.with_share(item, 100 if item.get("key") == variant else 0) for item in variants]
        filters = wire.with_variants(filters, shares)
    return NarrowWrite(variant=variant) if means_same(filters, after, ("filters",)) else None
