"""What a plan has to know besides the flag itself, its reach above all; what was not learned says why."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from flagtui.changes.blocked import Linked
from flagtui.models.account import User
from flagtui.models.filters import OPTED_IN, ConditionQuery, Filters, deciding_conditions
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import BlastRadius
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Could not be learned, and why, in words: `the server did not answer in 3 s`."""

    why: str
    is_pending: bool = False
    """The server is still asked."""

    @property
    def words(self) -> str:
        return f"{'not known yet' if self.is_pending else 'not known'}: {self.why}"


@dataclass(frozen=True, slots=True)
class Reach:
    """How many people or groups have the flag before and after the change."""

    before: int
    after: int
    total: int
    unit: str = "users"
    is_bound: bool = False
    """True when conditions overlap, so that the numbers are the most it can be."""
    is_estimate: bool = False
    """True when a share of those who fit is drawn: then the numbers are what is to be expected."""
    besides: str = ""
    """Who else has it without being counted by the server, in words."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One earlier change: who, when (Unix seconds), what, in words."""

    who: str
    at: float | None = None
    what: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything around the flag, gathered before the question; nothing here may hold up a kill switch."""

    now: float = 0.0
    """Unix seconds by the server's clock where it is known."""
    me: User | None = None
    reach: Reach | NotKnown = field(default_factory=lambda: NotKnown("the server was not asked"))
    dependents: tuple[Linked, ...] | NotKnown = field(
        default_factory=lambda: NotKnown("the server was not asked")
    )
    """Flags whose conditions ask for this one."""
    dependencies: tuple[Linked, ...] = ()
    """Flags this one asks for, as far as they are known."""
    experiments: tuple[Linked, ...] | None = None
    """None: what the flag itself says."""
    last_touch: Touch | NotKnown | None = None
    """None: what the flag itself says about its last change."""
    touched_since: tuple[Touch, ...] = ()
    """Changes made after the version the person was looking at, newest first."""
    similar: tuple[str, ...] = ()
    """Keys in the project that are easily taken for this one."""
    age: float = 0.0
    """Seconds since the flag was read."""
    names: Names = NO_NAMES
    """What the cohorts and groups of its conditions are called."""


COUNTED: Final = 8
"""Conditions that are counted at most; each costs the server a query."""

MANY: Final = 1_000
"""Different conditions after which their number is not told exactly."""
NOBODY: Final = Reach(0, 0, 0)
"""Of a flag without conditions."""


Count = Callable[[Mapping[str, JSON], int | None], Awaitable[BlastRadius]]
"""Counts people or groups with the properties of one condition: `client.flags.blast_radius`."""


async def reach_of(count: Count, fresh: Flag, values: Mapping[str, JSON]) -> Reach | NotKnown | None:
    """Who has it now and with these new values; None when they decide nothing about that."""
    if not {"active", "deleted", "filters"} & values.keys():
        return None
    if not fresh.targeting.is_editable:
        return NotKnown("its targeting is of a newer kind")
    wanted = Filters.of(values["filters"]) if "filters" in values else fresh.targeting
    old = [*deciding_conditions(fresh.targeting)]
    new = old if wanted is fresh.targeting else [*deciding_conditions(wanted)]
    distinct = _distinct(old, new)
    besides = OPTED_IN if fresh.targeting.feature_enrollment or wanted.feature_enrollment else ""
    if not distinct:
        return NotKnown(f"it has no condition; {besides} are not counted") if besides else NOBODY
    if len(distinct) > COUNTED:
        least = "more than " if len(distinct) > MANY else ""
        many = min(len(distinct), MANY)
        return NotKnown(f"{least}{many} different conditions are too many to count in time")
    kinds = {asked.group_type for asked in distinct.values()}
    if len(kinds) > 1:
        return NotKnown("its conditions count different kinds of groups")
    asked = (count(dict(one.condition.raw), one.group_type) for one in distinct.values())
    counted = dict(zip(distinct, await asyncio.gather(*asked), strict=True))
    total = max((found.total for found in counted.values()), default=0)
    is_on = values.get("active", fresh.active) and not values.get("deleted", fresh.deleted)
    had, have = old if fresh.active and not fresh.deleted else [], new if is_on else []
    before, after = _sum(had, counted, total), _sum(have, counted, total)
    unit = "users" if kinds <= {None} else "groups"
    is_bound, is_drawn = max(len(had), len(have)) > 1, any(0 < one.share < 100 for one in (*had, *have))
    return Reach(before, after, total, unit, is_bound, is_estimate=is_drawn, besides=besides)


def _distinct(old: Sequence[ConditionQuery], new: Sequence[ConditionQuery]) -> dict[str, ConditionQuery]:
    """What is asked about, each once; no more than is needed to know that it is too much."""
    distinct: dict[str, ConditionQuery] = {}
    for asked in chain(old, new if new is not old else ()):
        distinct[asked.identity] = asked
        if len(distinct) > MANY:
            break
    return distinct


def _sum(conditions: Sequence[ConditionQuery], counted: Mapping[str, BlastRadius], total: int) -> int:
    """The most it can be: people who match several conditions are counted for each."""
    found = sum(counted[one.identity].affected * one.share / 100 for one in conditions)
    return min(total, round(found))
