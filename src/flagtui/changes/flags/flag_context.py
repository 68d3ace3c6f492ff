"""The context of a plan, its reach above all; unknown parts carry the reason."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from flagtui.api.heavy_work import off_loop
from flagtui.changes.flags.flag_words import why_read_only
from flagtui.changes.proposal import Sentence
from flagtui.changes.skipped import Linked
from flagtui.models.account import User
from flagtui.models.code_uses import CodeUses
from flagtui.models.condition_queries import OPTED_IN, TOO_LONG, ConditionQuery, deciding_conditions
from flagtui.models.filters import EVERYONE, Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.json_value import JSON


class NotKnown(msgspec.Struct, frozen=True):
    """An unknown part with its reason: `the server did not respond in 3 s`."""

    why: str
    is_pending: bool = False
    """Whether the response is pending."""


NOT_ASKED: Final = NotKnown("the server was not asked")


class Reach(msgspec.Struct, frozen=True):
    """The number of people or groups that have the flag before and after the change."""

    before: int
    after: int
    total: int
    unit: str = "users"
    moved: tuple[int, int] = (0, 0)
    """How many lose it, and how many gain it."""
    is_bound: bool = False
    """True when conditions can overlap, or users be kept from them: the numbers are the most it can be."""
    is_estimate: bool = False
    """Whether a share of the matching users is drawn, so that the numbers are expected values."""
    opted_in: str = ""
    """Users the server does not count, in words."""


class Context(msgspec.Struct, frozen=True):
    """The context of a flag, read before the question; nothing here may delay a kill switch."""

    now: float = 0.0
    """Unix seconds by the server's clock where it is known."""
    me: User | None = None
    reach: Reach | NotKnown = NOT_ASKED
    dependents: tuple[Linked, ...] | NotKnown = NOT_ASKED
    """Flags that depend on this one."""
    dependencies: tuple[Linked, ...] = ()
    """Known dependencies of this flag, before the change and after it."""
    together: frozenset[int] = frozenset()
    """Ids of the flags that change at the same time."""
    last_touch: Sentence | NotKnown | None = None
    """Who changed it last, when, and what; None: as the record of the flag has it."""
    touched_since: tuple[Sentence, ...] = ()
    """Changes after the version that the user saw, newest first."""
    similar: tuple[str, ...] = ()
    """Confusable keys in the project."""
    names: Names = NO_NAMES
    """Names of the cohorts and groups in its conditions."""
    is_explained: bool = True
    """Whether the plan has consequences and cautions, which only its question shows."""
    code_uses: CodeUses | None = None
    """Uses in code as of the last scan, for a deletion or archiving; None without a scan."""


COUNTED: Final = 8
"""The most conditions that are counted; each costs the server a query."""

MANY: Final = 1_000
"""Different conditions from which their number is not exact."""
BEFORE_CONDITIONS: Final = ("holdout", "feature_enrollment", "super_groups")
"""Settings that decide for some users before any condition does."""
NO_USERS: Final = Reach(0, 0, 0)
"""Of a flag without conditions."""


Count = Callable[[Mapping[str, JSON], int | None], Awaitable[BlastRadius]]
"""Counts people or groups with the properties of one condition: `client.flags.blast_radius`."""


async def reach_of(count: Count, fresh: Flag, values: Mapping[str, JSON]) -> Reach | NotKnown | None:
    """Count users before and after these values; None when the values do not affect the reach."""
    if not {"active", "deleted", "filters"} & values.keys():
        return None
    if not fresh.targeting.is_editable:
        rules = "not counted for rules"
        return NotKnown(rules if fresh.targeting.has_rules else why_read_only(fresh.targeting))
    queries = await off_loop(lambda: _queries(fresh, values), fresh.filters, values)
    if isinstance(queries, NotKnown):
        return queries
    (had, have), distinct, opted_in, is_bound, is_nested = queries
    if not distinct:
        return NotKnown(f"it has no condition; {opted_in} are not counted") if opted_in else NO_USERS
    kinds = {query.group_type for query in distinct.values()}
    if len(kinds) > 1:
        return NotKnown("its conditions count different kinds of groups")
    requests = (count(dict(query.condition.raw), query.group_type) for query in distinct.values())
    counted = dict(zip(distinct, await asyncio.gather(*requests), strict=True))
    total = max((response.total for response in counted.values()), default=0)
    before, after = _sum(had, {}, counted, total), _sum(have, {}, counted, total)
    moved = max(0, before - after), max(0, after - before)
    if is_bound:
        kept, previous = (have, had) if is_nested else ({}, {})
        moved = _sum(had, kept, counted, total), _sum(have, previous, counted, total)
    unit = "users" if kinds <= {None} else "groups"
    is_drawn = any(0 < share < EVERYONE for share in (*had.values(), *have.values()))
    return Reach(before, after, total, unit, moved, is_bound, is_estimate=is_drawn, opted_in=opted_in)


Shares = dict[str, float]
"""By the identity of a condition; of equal ones the smaller share is within the larger."""


class _Queries(NamedTuple):
    shares: tuple[Shares, Shares]
    """Before and after; empty while the flag is off."""
    distinct: Mapping[str, ConditionQuery]
    """The different conditions by identity."""
    opted_in: str
    is_bound: bool
    """Whether users can match several conditions, or be kept from one by early access or a holdout."""
    is_nested: bool
    """Whether whom a condition matches depends on no other one."""


def _queries(fresh: Flag, values: Mapping[str, JSON]) -> _Queries | NotKnown:
    """Return the conditions before and after these values, unless a server cannot count them in time."""
    targeting = fresh.targeting
    after = Filters.of(values["filters"]) if "filters" in values else targeting
    if any((targeting.raw.get(name) or None) != (after.raw.get(name) or None) for name in BEFORE_CONDITIONS):
        return NotKnown("its holdout or early access changes, which servers do not count")
    old = [*deciding_conditions(targeting)]
    new = old if after is targeting else [*deciding_conditions(after)]
    distinct = _distinct(old if new is old else [*old, *new])
    if isinstance(distinct, NotKnown):
        return distinct
    was_on = fresh.active and not fresh.deleted
    is_on = values.get("active", fresh.active) and not values.get("deleted", fresh.deleted)
    shares: tuple[Shares, Shares] = ({}, {})
    for side, conditions in zip(shares, (old if was_on else [], new if is_on else []), strict=True):
        for query in conditions:
            side[query.identity] = max(side.get(query.identity, 0.0), query.share)
    has_opted_in = targeting.feature_enrollment or after.feature_enrollment
    exits_early = (targeting.early_exit and len(old) > 1) or (after.early_exit and len(new) > 1)
    is_kept_away = targeting.is_decided_before or after.is_decided_before
    reaching = {identity for side in shares for identity, share in side.items() if share > 0}
    is_bound = is_kept_away or len(reaching) > 1 or exits_early
    return _Queries(shares, distinct, OPTED_IN if has_opted_in else "", is_bound, not exits_early)


def _distinct(queries: Sequence[ConditionQuery]) -> dict[str, ConditionQuery] | NotKnown:
    """Return the different conditions by identity, unless a server cannot count them in time."""
    if not all(query.is_countable for query in queries):
        return NotKnown(TOO_LONG)
    distinct: dict[str, ConditionQuery] = {}
    for query in queries:
        distinct[query.identity] = query
        if len(distinct) > MANY:
            break
    if len(distinct) > COUNTED:
        least = "more than " if len(distinct) > MANY else ""
        many = min(len(distinct), MANY)
        return NotKnown(f"{least}{many} different conditions are too many to count in time")
    return distinct


def _sum(shares: Shares, others: Shares, counted: Mapping[str, BlastRadius], total: int) -> int:
    """Return the most users that these shares reach and the others do not.

    A share of everyone is within each condition too: a user is drawn alike for all of them.
    """
    of_all = max((share for identity, share in others.items() if identity.startswith("[[],")), default=0.0)
    reached = sum(
        counted[identity].affected * max(0.0, share - max(others.get(identity, 0.0), of_all)) / EVERYONE
        for identity, share in shares.items()
    )
    return min(total, round(reached))
