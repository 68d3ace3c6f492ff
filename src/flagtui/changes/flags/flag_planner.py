"""Flags from what was asked for to plans: each read again, with the context its rules need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import ApiError
from flagtui.changes.blocked import Blocked, Linked
from flagtui.changes.consequence import Caution, Consequence
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import (
    Looked,
    RequestedChange,
    in_order,
    late_plan,
    look_around,
    plan_together,
)
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.flags.surroundings import Surroundings, rows_of, similar_keys
from flagtui.changes.planner import PlanContext, Planned, Planner, collect, each, settle, skip
from flagtui.changes.proposal import Skipped
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_text
from flagtui.models.rows import FlagRow
from flagtui.store.activity_feed import recent_deletions

if TYPE_CHECKING:
    from flagtui.changes.flags.optimistic_flags import FlagRows
    from flagtui.store.workspace import Workspace

MOST_TOGETHER: Final = 9
"""Flags one request may change because they depend on each other; more have to be named."""


@dataclass(frozen=True)
class NewFlag:
    """A flag that is not there yet."""

    fields: Mapping[str, JSON]
    told: Sequence[Consequence] = ()
    """What the question says besides."""
    source: int = 0
    """The number of the flag it is a copy of."""


def request_along(switch: Intent, obstacle: Linked, key: str) -> RequestedChange:
    """A flag that stands in the way of switching `key`, switched as well, and why."""
    goes_on = switch.changes["active"] is True
    why = f"also turned on: {key} depends on it" if goes_on else f"also turned off: it depends on {key}"
    return RequestedChange(
        obstacle.id,
        lambda fresh: replace(switch, id=obstacle.id, seen_version=fresh.version),
        lambda plan: replace(plan, cautions=(Caution(why), *plan.cautions)),
    )


@dataclass
class FlagPlanner(Planner[RequestedChange, Plan, Flag]):
    """Changes of flags that are there."""

    def __post_init__(self) -> None:
        self._adapter = FlagAdapter(self.context.client.flags)

    def make_rows(self, workspace: Workspace) -> FlagRows:
        from flagtui.changes.flags.optimistic_flags import FlagRows

        return FlagRows(workspace, self.context.clock.time())

    def name(self, request: RequestedChange) -> str:
        return self.context.name("flags", request.record)

    async def plan(self, requests: Sequence[RequestedChange]) -> Planned[RequestedChange, Plan]:
        if len(requests) == 1:
            return await self._plan_alone(requests[0])
        looked = [found for _, found in await each(requests, self._look_at_one_of_many)]
        planned = await plan_together([item for item in looked if isinstance(item, Looked)])
        by_id = {request.record: request for request in requests}
        unread = [item for item in looked if isinstance(item, Skipped)]
        return Planned(
            self._adapter,
            planned.plans,
            [by_id[plan.id] for plan in planned.plans],
            [*unread, *planned.skipped],
        )

    async def _plan_alone(self, request: RequestedChange) -> Planned[RequestedChange, Plan]:
        looked = await self._look(request)
        if isinstance(looked, Skipped):
            return Planned(self._adapter, skipped=[looked])
        fresh = looked.fresh
        alone = frozenset({fresh.id})
        plan = await looked.plan_beside(alone)
        if isinstance(plan, Plan):
            return Planned(self._adapter, [plan], [request], late=late_plan(plan, looked, alone))
        looked.stop()
        if isinstance(plan, NothingToDo):
            sentence = f"{fresh.key} {plan.words}; nothing was sent"
            return Planned(self._adapter, skipped=[settle(fresh.id, fresh.key, plan.words, sentence)])
        if request.switch is not None and plan.together and not self.context.uncounted:
            planned = await self._plan_with_obstacles(request, request.switch)
            if planned.plans:
                return planned
        return Planned(self._adapter, skipped=[skip(fresh.id, fresh.key, plan)])

    async def _plan_with_obstacles(
        self, request: RequestedChange, switch: Intent
    ) -> Planned[RequestedChange, Plan]:
        """The plans when flags that stand in the way, and in theirs, are turned on or off as well.

        Empty when one of them cannot be, or when there are too many for one request. With an agreement given
        beforehand nothing is changed that was not named.
        """
        known: dict[int, Looked] = {}
        requests: dict[int, RequestedChange] = {}
        needed = [request]
        while needed and len(known) + len(needed) <= MOST_TOGETHER:
            looked = [await self._look_at_one_of_many(one) for one in needed]
            known |= {one.fresh.id: one for one in looked if isinstance(one, Looked)}
            requests |= {one.record: one for one in needed}
            if any(isinstance(one, Skipped) for one in looked):
                break
            results = [(one.fresh, await one.plan_beside(frozenset(known))) for one in known.values()]
            needed = [
                request_along(switch, obstacle, fresh.key)
                for fresh, plan in results
                if isinstance(plan, Blocked)
                for obstacle in plan.together
            ]
            if not needed:
                plans = in_order([plan for _, plan in results if isinstance(plan, Plan)])
                if len(plans) < len(results):
                    break
                return Planned(self._adapter, plans, [requests[plan.id] for plan in plans])
        return Planned(self._adapter)

    async def _look_at_one_of_many(self, request: RequestedChange) -> Looked | Skipped:
        return await self._look(request, is_one_of_many=True)

    async def _look(self, request: RequestedChange, *, is_one_of_many: bool = False) -> Looked | Skipped:
        context = self.context
        fresh = self.fresh.pop(request.record, None)
        try:
            fresh = fresh or await context.read_flag(request.record)
        except ApiError as error:
            return skip(request.record, self.name(request), error)
        is_asked = not context.uncounted
        surroundings = Surroundings(
            await self._neighbours(fresh, is_one_of_many=is_one_of_many),
            await context.me() if is_asked else None,
            context.clock.time(),
            is_one_of_many=is_one_of_many or not is_asked,
            names=await self._names(request, fresh) if is_asked and not is_one_of_many else NO_NAMES,
        )
        if not is_asked:
            surroundings = replace(surroundings, uncounted=context.uncounted)
        adds_later = context.adds_later and not is_one_of_many
        return await look_around(context.client.flags, fresh, request, surroundings, adds_later=adds_later)

    async def _neighbours(self, fresh: Flag, *, is_one_of_many: bool) -> Sequence[FlagRow]:
        """The flags of the project; of one flag alone, those it depends on are enough."""
        context = self.context
        if context.known_flags is not None:
            return context.known_flags
        if is_one_of_many:
            return await context.all_flags()
        return [] if context.uncounted else await rows_of(context.read_flag, fresh.targeting.depends_on)

    async def _names(self, request: RequestedChange, fresh: Flag) -> Names:
        intent = request.intent(fresh)
        changes = dict(intent.changes) if isinstance(intent, Intent) else {}
        return await self.context.names(*([dict(fresh.raw), changes] if "filters" in changes else ()))


@dataclass
class NewFlagPlanner(Planner[NewFlag, Plan, Flag]):
    """Flags that are not there yet; `place` names another project, of which the context is then."""

    place: str = ""

    def make_rows(self, workspace: Workspace) -> FlagRows:
        from flagtui.changes.flags.optimistic_flags import FlagRows

        return FlagRows(workspace, self.context.clock.time())

    def name(self, request: NewFlag) -> str:
        return as_text(request.fields.get("key"))

    async def plan(self, requests: Sequence[NewFlag]) -> Planned[NewFlag, Plan]:
        """Held against the keys that are taken there."""
        context = self.context
        taken = await find_taken(context)
        me = await context.me()
        keys = [row.key for row in taken.rows]

        async def plan(new: NewFlag) -> Plan | Skipped:
            key = as_text(new.fields.get("key"))
            names = await context.names(dict(new.fields))
            around = Context(now=context.clock.time(), me=me, similar=similar_keys(key, keys), names=names)
            found = plan_create(new.fields, taken, around, new.told, new.source)
            return skip(new.source, key or "new flag", found) if isinstance(found, Blocked) else found

        adapter = FlagAdapter(context.client.flags)
        return replace(collect(adapter, await each(requests, plan)), place=self.place)


async def find_taken(context: PlanContext) -> Taken:
    """The keys that are in use in the project. Raises ApiError."""
    deleted: dict[str, int] = {}
    # Not every key may read the activity; the warning is lost then, not the flag.
    with suppress(ApiError):
        deleted = {one.key: one.id for one in await recent_deletions(context.client.flags)}
    return Taken(await context.all_flags(has_archived=True), deleted)
