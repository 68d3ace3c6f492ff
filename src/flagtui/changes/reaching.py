"""How many people or groups have the flag before a change and after it, as far as the server counts them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from flagtui.changes.context import NotKnown, Reach
from flagtui.models.filters import Condition, Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BlastRadius
from flagtui.models.json_value import JSON

COUNTED: Final = 8
"""Conditions that are counted at most; each costs the server a query."""


class Counter(Protocol):
    """Whoever counts how many have the properties of one condition."""

    async def blast_radius(
        self, condition: Mapping[str, JSON], group_type_index: int | None = None
    ) -> BlastRadius: ...


async def reach_of(ask: Counter, fresh: Flag, values: Mapping[str, JSON]) -> Reach | NotKnown | None:
    """Who has it now and with these new values; None when they decide nothing about that."""
    if not {"active", "deleted", "filters"} & values.keys():
        return None
    if not fresh.targeting.is_editable:
        return NotKnown("its targeting is of a newer kind")
    old = fresh.targeting.conditions
    new = Filters.of(values["filters"]).conditions if "filters" in values else old
    distinct = {_identity(condition): condition for condition in (*old, *new)}
    if len(distinct) > COUNTED:
        return NotKnown(f"{len(distinct)} different conditions are too many to count in time")
    kinds = {condition.group_type_index for condition in distinct.values()}
    if len(kinds) > 1:
        return NotKnown("its conditions count different kinds of groups")
    counted = dict(
        zip(distinct, await asyncio.gather(*(_count(ask, one) for one in distinct.values())), strict=True)
    )
    total = max((found.total for found in counted.values()), default=0)
    before = _sum(old, counted, total) if fresh.active and not fresh.deleted else 0
    is_on = values.get("active", fresh.active) and not values.get("deleted", fresh.deleted)
    after = _sum(new, counted, total) if is_on else 0
    unit = "users" if kinds <= {None} else "groups"
    return Reach(before, after, total, unit, is_bound=max(len(old), len(new)) > 1)


async def _count(ask: Counter, condition: Condition) -> BlastRadius:
    return await ask.blast_radius(dict(condition.raw), condition.group_type_index)


def _sum(conditions: Sequence[Condition], counted: Mapping[str, BlastRadius], total: int) -> int:
    """The most it can be: people who match several conditions are counted for each."""
    found = sum(counted[_identity(one)].affected * one.rollout / 100 for one in conditions)
    return min(total, round(found))


def _identity(condition: Condition) -> str:
    """What the server counts: the properties and the kind of group, not the share."""
    properties = condition.raw.get("properties") or []
    return json.dumps([properties, condition.group_type_index], sort_keys=True, default=str)
