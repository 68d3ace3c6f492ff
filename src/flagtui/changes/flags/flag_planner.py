"""Plan changes of flags, and new flags, on the current records with their context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import off_loop
from flagtui.changes.flags.current_flag import (
    TOO_LATE,
    UNCOUNTED,
    FlagReading,
    Neighbours,
    PlanResult,
    add_context,
    as_linked,
    dependencies_of,
)
from flagtui.changes.flags.flag_context import Context, NotKnown
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, live_key
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import (
    plan_together,
    skip_unplanned,
    sort_by_dependency,
)
from flagtui.changes.flags.new_flags import Taken, plan_create, taken_key
from flagtui.changes.flags.unlisted_flags import rows_in_lists, rows_of
from flagtui.changes.planner import PATIENCE, PlanContext, Planned, Planner, collect, read_each
from flagtui.changes.proposal import Caution, Consequence
from flagtui.changes.skipped import Blocked, Linked, Skipped, skip
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.rows import FlagRow
from flagtui.store.activity_feed import recent_deletions

MOST_TOGETHER: Final = 9
"""Flags one request may change because they depend on each other; more have to be named."""


class FlagChange(msgspec.Struct, frozen=True):
    """A change that depends on the current flag, such as an undo."""

    id: int
    """The flag's number."""
    intent: Callable[[Flag], Intent | Blocked]
    """Makes the intent from the current flag."""
    finish: Callable[[Plan], PlanResult] | None = None
    """Completes or refuses the plan."""


FlagRequest = Intent | FlagChange
"""What is planned on a flag: values that are known, or made from the current flag."""


class NewFlag(msgspec.Struct, frozen=True):
    """A flag to create."""

    fields: Mapping[str, JSON]
    consequences: Sequence[Consequence] = ()
    """Further lines of the question."""
    source: int = 0
    """The number of the flag it is a copy of."""


def change_of_obstacle(switch: Intent, obstacle: Linked, key: str) -> FlagChange:
    """Switch a flag that blocks switching `key` too; the plan states why."""
    is_turned_on = switch.changes["active"] is True
    why = f"also turned on: {key} depends on it" if is_turned_on else f"also turned off: it depends on {key}"
    return FlagChange(
        obstacle.id,
        lambda fresh: replace(switch, id=obstacle.id, seen_version=fresh.version),
        lambda plan: replace(plan, cautions=(Caution(why), *plan.cautions)),
    )


@dataclass
class FlagPlanner(Planner[FlagRequest, Plan, Flag]):
    """Plans changes of existing flags."""

    is_part: bool = False
    """Whether they are part of a larger set, so that even one is planned without requests for context."""

    def __post_init__(self) -> None:
        self._adapter = FlagAdapter(self.context.client.flags)
        self._rows: Sequence[FlagRow] = ()
        self._near = Neighbours()

    def name(self, request: FlagRequest) -> str:
        return self.context.name("flags", request.id)

    async def plan(self, requests: Sequence[FlagRequest]) -> Planned[FlagRequest, Plan]:
        if len(requests) == 1 and not self.is_part:
            return await self._plan_alone(requests[0])
        results = [result for _, result in await read_each(requests, self.read_one_of_many)]
        plans, skipped = await plan_together([item for item in results if isinstance(item, FlagReading)])
        by_id = {request.id: request for request in requests}
        unread = [item for item in results if isinstance(item, Skipped)]
        if len(plans) == 1 and not self.is_part:
            # The question is about a single flag then: count its reach and read its newest change.
            self.fresh |= {item.fresh.id: item.fresh for item in results if isinstance(item, FlagReading)}
            alone = await self._plan_alone(by_id[plans[0].id])
            return replace(alone, skipped=[*unread, *skipped, *alone.skipped])
        return Planned(self._adapter, plans, [by_id[plan.id] for plan in plans], [*unread, *skipped])

    async def _plan_alone(self, request: FlagRequest) -> Planned[FlagRequest, Plan]:
        reading = await self.read(request)
        if isinstance(reading, Skipped):
            return Planned(self._adapter, skipped=[reading])
        fresh = reading.fresh
        alone = frozenset({fresh.id})
        plan = await reading.plan_off_loop(alone)
        if isinstance(plan, Plan):
            return Planned(self._adapter, [plan], [request], late=reading.plan_later(plan, alone))
        skipped = skip_unplanned(fresh, plan)
        can_add = not isinstance(plan, NoOp) and plan.together and self.context.may_add_flags
        try:
            if can_add and isinstance(request, Intent) and request.changes.keys() == {"active"}:
                planned = await self._plan_with_obstacles(request, reading)
                if planned.plans:
                    return planned
        finally:
            reading.stop()
        return Planned(self._adapter, skipped=[skipped])

    async def _plan_with_obstacles(self, switch: Intent, reading: FlagReading) -> Planned[FlagRequest, Plan]:
        """Plan the switch together with the flags that block it, and those that block these.

        The requested flag keeps its context in the question: its reach, and who changed it last.
        Return no plans when one of them cannot be switched, or when they are more than `MOST_TOGETHER`.
        With `--yes`, flags that were not named never change, nor in its dry run: the caller does not ask.
        """
        readings = {reading.fresh.id: await reading.within(PATIENCE, TOO_LATE)}
        requests: dict[int, FlagRequest] = {switch.id: switch}
        reach = NotKnown(f"only that of {reading.fresh.key} is counted")
        while True:
            ids = frozenset(readings)
            planned = [(item.fresh, await item.plan_off_loop(ids)) for item in readings.values()]
            pending = [
                change_of_obstacle(switch, obstacle, fresh.key)
                for fresh, plan in planned
                if isinstance(plan, Blocked)
                for obstacle in plan.together
            ]
            if not pending:
                plans = sort_by_dependency([plan for _, plan in planned if isinstance(plan, Plan)])
                if len(plans) < len(planned):
                    break
                return Planned(self._adapter, plans, [requests[plan.id] for plan in plans])
            if len(readings) + len(pending) > MOST_TOGETHER:
                break
            results = [await self.read_one_of_many(change) for change in pending]
            if any(isinstance(item, Skipped) for item in results):
                break
            readings |= {
                item.fresh.id: replace(item, context=replace(item.context, reach=reach))
                for item in results
                if isinstance(item, FlagReading)
            }
            requests |= {change.id: change for change in pending}
        return Planned(self._adapter)

    async def read_one_of_many(self, request: FlagRequest) -> FlagReading | Skipped:
        """Read a flag with the part of its context that needs no further requests."""
        return await self.read(request, is_one_of_many=True)

    async def read(self, request: FlagRequest, *, is_one_of_many: bool = False) -> FlagReading | Skipped:
        """Read a flag with its context; of one of many, with the part that needs no requests."""
        context = self.context
        fresh = self.fresh.pop(request.id, None)
        try:
            fresh = fresh or await context.read_flag(request.id)
        except ApiError as error:
            return skip(request.id, self.name(request), error)
        intent = request if isinstance(request, Intent) else request.intent(fresh)
        has_queries = not context.uncounted
        if isinstance(intent, Blocked):
            return skip(fresh.id, fresh.key, intent)
        changes = intent.changes
        if (key := as_text(changes.get("key"))) not in ("", fresh.key) and await self._is_taken(key):
            return skip(fresh.id, fresh.key, taken_key(key))
        rows = await self._read_neighbours(fresh, changes, is_one_of_many=is_one_of_many)
        me = await context.me() if has_queries else None
        needs_names = has_queries and not is_one_of_many and "filters" in changes
        is_removal = changes.get("deleted") is True or changes.get("archived") is True
        base = Context(
            now=context.clock.time(),
            me=me,
            reach=NotKnown(context.uncounted or UNCOUNTED),
            dependents=(),
            is_explained=context.is_explained,
            names=await context.names(fresh.raw, changes) if needs_names else NO_NAMES,
            code_uses=context.code_uses(live_key(fresh)) if has_queries and is_removal else None,
        )
        ask = context.client.flags if has_queries and not is_one_of_many else None
        adds_later = context.adds_later and not is_one_of_many
        reading = FlagReading(fresh, intent, base, None if isinstance(request, Intent) else request.finish)
        if not rows and ask is None:
            return reading
        return await add_context(reading, rows, ask, adds_later=adds_later)

    async def _is_taken(self, key: str) -> bool:
        """Return whether another flag has the new key; False where it cannot be read."""
        with suppress(ApiError):
            return await self.context.client.flags.find(key) is not None
        return False

    async def _read_neighbours(
        self, fresh: Flag, changes: Mapping[str, JSON], *, is_one_of_many: bool
    ) -> Sequence[FlagRow]:
        """Return the flags of the project; for a single flag, its dependencies are enough."""
        context = self.context
        rows = context.known_flags
        if rows is None:
            rows = await context.all_flags() if is_one_of_many else ()
        if rows is not self._rows:
            self._rows, self._near = rows, Neighbours(rows)
        near = self._near
        # Their state decides whether the server takes these changes, so that it is read with `--yes` too.
        is_decisive = changes.get("active") is True or "filters" in changes
        if not is_decisive and (context.uncounted or rows):
            return near
        needed = await off_loop(lambda: dependencies_of(fresh, changes), fresh.filters, changes)
        if not (unread := sorted(needed - near.by_id.keys())):
            return near
        if context.is_current:
            return [*near, *await rows_in_lists(context.client.flags, context.read_flag, unread)]
        return [*near, *await rows_of(context.read_flag, unread)]


@dataclass
class NewFlagPlanner(Planner[NewFlag, Plan, Flag]):
    """Plans new flags; `place` names the project of the context when it is another one."""

    place: str = ""

    def name(self, request: NewFlag) -> str:
        return as_text(request.fields.get("key"))

    async def plan(self, requests: Sequence[NewFlag]) -> Planned[NewFlag, Plan]:
        """Plan the new flags; those whose key is in use are skipped. Raises ApiError."""
        context = self.context
        taken = replace(await find_taken(context), is_elsewhere=bool(self.place))
        me = await context.me()
        near = Neighbours.of(taken.rows)

        async def plan(new: NewFlag) -> Plan | Skipped:
            key = as_text(new.fields.get("key"))
            names = await context.names(dict(new.fields))
            now = context.clock.time()

            def create() -> Plan | Blocked:
                needed = Filters.of(as_dict(new.fields.get("filters"))).depends_on
                linked_rows = as_linked(row for row in taken.rows if row.id in needed)
                own = Context(
                    now=now, me=me, similar=near.similar_to(key), names=names, dependencies=linked_rows
                )
                return plan_create(new.fields, taken, own, new.consequences, new.source)

            result = await off_loop(create, new.fields)
            return skip(new.source, key or "new flag", result) if isinstance(result, Blocked) else result

        adapter = FlagAdapter(context.client.flags)
        return replace(collect(adapter, await read_each(requests, plan)), place=self.place)


async def find_taken(context: PlanContext) -> Taken:
    """Read the keys that are in use in the project. Raises ApiError."""
    deleted: dict[str, int] = {}
    # A key without access to the activity loses the warning, not the flag.
    with suppress(ApiError):
        deletions = await recent_deletions(context.client.flags.activity)
        deleted = {deletion.key: deletion.id for deletion in deletions}
    return Taken(await context.all_flags(has_archived=True), deleted)
