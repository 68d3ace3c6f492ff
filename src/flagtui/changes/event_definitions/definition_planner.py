"""Plan changes of event definitions, with the experiments that use the event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError, NotFound
from flagtui.api.heavy_work import off_loop
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import (
    DefinitionContext,
    EventPlan,
    foresee_refusal,
    plan_creation,
    plan_event,
)
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.event_definitions.event_uses import EventUses
from flagtui.changes.planner import PATIENCE, SOON, Planned, Planner, collect, read_each
from flagtui.changes.proposal import Consequence
from flagtui.changes.skipped import Blocked, Skipped, skip, skip_no_op
from flagtui.models.event_definition import EventDefinition

OUT_OF_SIGHT: Final = frozenset({"deleted", "hidden", "enforcement_mode"})
"""Fields whose change affects the experiments that measure the event."""


@dataclass
class EventPlanner(Planner[EventIntent, EventPlan, EventDefinition]):
    """Plans changes of current event definitions."""

    kind = "events"
    noun = "event"

    def __post_init__(self) -> None:
        self._context = DefinitionContext(self.context.clock.time(), self.context.known_people())

    def name(self, request: EventIntent) -> str:
        return request.name or self.context.name("events", request.id)

    async def plan(self, requests: Sequence[EventIntent]) -> Planned[EventIntent, EventPlan]:
        adapter = DefinitionAdapter(self.context.client.event_definitions)
        planned = collect(adapter, await read_each(requests, self._plan))
        if len(requests) == 1 and planned.plans and OUT_OF_SIGHT & requests[0].changes.keys():
            return await self._with_uses(planned)
        if len({plan.verb.name for plan in planned.plans}) > 1:
            verb = event_verb("tidy up")
            return replace(planned, plans=[replace(plan, verb=verb) for plan in planned.plans])
        return planned

    async def _plan_new(self, intent: EventIntent) -> EventPlan | Skipped:
        with suppress(NotFound):
            fresh = await self.context.client.event_definitions.by_name(intent.name)
            in_use = Blocked("name", "there is an event of this name already", "change that one")
            return skip(fresh.id, intent.name, in_use)
        plan = plan_creation(intent, self._context)
        return skip("", intent.name, plan) if isinstance(plan, Blocked) else plan

    async def _plan(self, intent: EventIntent) -> EventPlan | Skipped:
        if intent.verb == "create":
            return await self._plan_new(intent)
        fresh = self.fresh.pop(intent.id, None)
        if fresh is None:
            try:
                fresh = await self.context.read_event(intent.id)
            except ApiError as error:
                name = self.name(intent)
                if isinstance(error, NotFound):
                    self.context.forget("events", intent.id)
                return skip(intent.id, name, error)
        if refusal := foresee_refusal(intent, fresh):
            return skip(intent.id, fresh.name, refusal)
        alone = f"{fresh.name}: nothing to change: it has these values already"
        plan = await off_loop(lambda: plan_event(intent, fresh, self._context), fresh.raw, intent.changes)
        return plan or skip_no_op(intent.id, fresh.name, "it has these values already", alone)

    async def _with_uses(self, planned: Planned[EventIntent, EventPlan]) -> Planned[EventIntent, EventPlan]:
        """Add the experiments that measure the event to the plan, as far as they are known in time."""
        (plan,) = planned.plans
        late = asyncio.create_task(self._add_uses(plan))
        adds_later = self.context.adds_later
        await asyncio.wait((late,), timeout=SOON if adds_later else PATIENCE)
        if late.done():
            return replace(planned, plans=[late.result()])
        why = "still asking" if adds_later else f"the server did not respond within {PATIENCE:g} s"
        unknown = Consequence("Used by", f"not known yet: {why}", "warning")
        shown = replace(plan, consequences=(*plan.consequences, unknown))
        if adds_later:
            return replace(planned, plans=[shown], late=late)
        late.cancel()
        return replace(planned, plans=[shown])

    async def _add_uses(self, plan: EventPlan) -> EventPlan:
        uses, why = await EventUses(self.context.client).find(plan.fresh.name)
        used_by = tuple(f"#{use.id} {use.name} {use.words}".rstrip() for use in uses or ())
        context = replace(self._context, used_by=used_by)
        complete = await off_loop(
            lambda: plan_event(plan.intent, plan.fresh, context), plan.fresh.raw, plan.values
        )
        assert complete is not None
        if not why:
            return complete
        state = "not known" if uses is None else "not known of all"
        unread = Consequence("Used by", f"{state}: {why.rstrip('.')}", "warning")
        return replace(complete, consequences=(*complete.consequences, unread))
