"""Flags from what was asked for to plans: each read again, with the context its rules need."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.app.writing.planner import FlagRows, NotPlanned, Planned, PlannedStep, Planner, Q, each, together
from flagtui.changes.flags.flag_consequences import Caution, Consequence
from flagtui.changes.flags.flag_context import Context, Linked
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagAdapter, FlagOutcome
from flagtui.changes.flags.flags_together import (
    Looked,
    RequestedChange,
    in_order,
    late_plan,
    look_around,
    plan_together,
)
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.flags.surroundings import Surroundings, similar_keys
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.related_entries import RelatedAdapter, Seen
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_text
from flagtui.store.activity_feed import recent_deletions
from flagtui.text.formats import count

MOST_TOGETHER: Final = 9
"""Flags one key may change because they depend on each other; more are for marks."""


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


class InFlags(Planner[Q, Plan, Flag]):
    """In the list of flags."""

    def adapter(self) -> FlagAdapter:
        return FlagAdapter(self.workspace.client.flags)

    def rows(self) -> FlagRows:
        return FlagRows(self.workspace)

    def made(self, outcome: FlagOutcome) -> int | None:
        is_new = outcome.plan.is_new or outcome.plan.values.get("deleted") is False
        return outcome.record.id if is_new and outcome.record is not None else None


class FlagPlanner(InFlags[RequestedChange]):
    """Changes of flags that are there."""

    def name_of(self, asked: Sequence[RequestedChange]) -> str:
        row = self.workspace.flags.get(asked[0].record)
        return row.key if row is not None and len(asked) == 1 else count(len(asked), "flag")

    async def plan(self, asked: Sequence[RequestedChange]) -> Planned[RequestedChange, Plan]:
        """On the flags as they are now."""
        if len(asked) == 1:
            return await self._planned_alone(asked[0])
        looked = [found for _, found in await each(asked, partial(self._look, is_one_of_many=True))]
        unread = [item for item in looked if isinstance(item, NotPlanned)]
        planned = await plan_together([item for item in looked if isinstance(item, Looked)])
        by_id = {request.record: request for request in asked}
        left_out = [*(item.left_out for item in unread), *planned.left_out, *planned.settled]
        steps = [PlannedStep(by_id[plan.id], plan) for plan in planned.plans]
        return Planned(steps, left_out, refused=next((item.planned.refused for item in unread), None))

    async def _plan_with_obstacles(
        self, request: RequestedChange, switch: Intent
    ) -> Sequence[PlannedStep[RequestedChange, Plan]]:
        """The plans when flags that stand in the way, and in theirs, are turned on or off as well.

        Empty when one of them cannot be, or when there are too many for one key.
        """
        known: dict[int, Looked] = {}
        requests: dict[int, RequestedChange] = {}
        needed = [request]
        while needed and len(known) + len(needed) <= MOST_TOGETHER:
            looked = [await self._look(one, is_one_of_many=True) for one in needed]
            known |= {one.fresh.id: one for one in looked if isinstance(one, Looked)}
            requests |= {one.record: one for one in needed}
            if any(isinstance(one, NotPlanned) for one in looked):
                return ()
            found = [(one.fresh, await one.plan_beside(frozenset(known))) for one in known.values()]
            needed = [
                request_along(switch, obstacle, fresh.key)
                for fresh, plan in found
                if isinstance(plan, Blocked)
                for obstacle in plan.together
            ]
            if not needed:
                plans = [plan for _, plan in found if isinstance(plan, Plan)]
                steps = [PlannedStep(requests[plan.id], plan) for plan in in_order(plans)]
                return steps if len(plans) == len(found) else ()
        return ()

    async def _planned_alone(self, request: RequestedChange) -> Planned[RequestedChange, Plan]:
        looked = await self._look(request, is_one_of_many=False)
        if isinstance(looked, NotPlanned):
            return looked.planned
        alone = frozenset({looked.fresh.id})
        found = await looked.plan_beside(alone)
        if isinstance(found, Plan):
            return Planned([PlannedStep(request, found)], late=late_plan(found, looked, alone))
        looked.stop()
        fresh = looked.fresh
        if isinstance(found, NothingToDo):
            told = f"{fresh.key} {found.words}; nothing was sent"
            return NotPlanned(fresh.id, fresh.key, found.words, told).planned
        if request.switch is not None and found.together:
            steps = await self._plan_with_obstacles(request, request.switch)
            if steps:
                return Planned(steps)
        return NotPlanned(fresh.id, fresh.key, found).planned

    async def _look(self, request: RequestedChange, *, is_one_of_many: bool) -> Looked | NotPlanned:
        workspace = self.workspace
        flags, asked = workspace.client.flags, workspace.flags.moment
        try:
            fresh = await flags.get(request.record)
        except ApiError as error:
            row = workspace.flags.get(request.record)
            key = row.key if row else f"flag {request.record}"
            return NotPlanned(request.record, key, error)
        if not fresh.deleted:
            workspace.flags.put(fresh.row(), asked)
        surroundings = Surroundings(
            workspace.flags.rows,
            workspace.me,
            self.app_state.session.clock(),
            is_one_of_many=is_one_of_many,
            names=self.app_state.names,
        )
        return await look_around(flags, fresh, request, surroundings, adds_later=not is_one_of_many)


class NewFlagPlanner(InFlags[NewFlag]):
    """Flags that are not there yet."""

    def name_of(self, asked: Sequence[NewFlag]) -> str:
        key = as_text(asked[0].fields.get("key"))
        return key if len(asked) == 1 else count(len(asked), "flag")

    async def plan(self, asked: Sequence[NewFlag]) -> Planned[NewFlag, Plan]:
        """Held against the keys that are taken there."""
        deleted: dict[str, int] = {}
        # Not every key may read the activity; the warning is lost then, not the flag.
        with suppress(ApiError):
            deleted = {one.key: one.id for one in await recent_deletions(self.workspace.client.flags)}
        taken = Taken(self.workspace.flags.rows, deleted)
        return together([(one, self._plan(one, taken)) for one in asked])

    def record_of(self, plan: Plan) -> int:
        """The flag that it is a copy of."""
        return -plan.id

    def _plan(self, one: NewFlag, taken: Taken) -> Plan | NotPlanned:
        key = as_text(one.fields.get("key"))
        similar = similar_keys(key, [row.key for row in taken.rows])
        now, names = self.app_state.session.clock(), self.app_state.names
        context = Context(now=now, me=self.workspace.me, similar=similar, names=names)
        plan = plan_create(one.fields, taken, context, one.told, one.source)
        return NotPlanned(one.source, key or "new flag", plan) if isinstance(plan, Blocked) else plan


Make = Callable[[], Awaitable[RelatedPlan | Blocked | None]]
"""Reads the flag, and gives what would be made of it; None where that was told."""


@dataclass
class RelatedPlanner(Planner[str, RelatedPlan, Seen]):
    """One of them. `asked` is the name of the flag for what cannot be made; it shows in another list."""

    make: Make = field(kw_only=True)

    def name_of(self, asked: Sequence[str]) -> str:
        return asked[0]

    async def plan(self, asked: Sequence[str]) -> Planned[str, RelatedPlan]:
        """On the flag as it is now."""
        made = await self.make()
        if made is None:
            return Planned()
        if isinstance(made, Blocked):
            return NotPlanned(0, asked[0], made).planned
        return Planned([PlannedStep(asked[0], replace(made, read_at=self.app_state.session.clock()))])

    def adapter(self) -> RelatedAdapter:
        return RelatedAdapter(self.workspace.client)
