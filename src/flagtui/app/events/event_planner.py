"""From intents to plans: each event definition read again, with the experiments that use it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.writing.optimistic_rows import EventRows
from flagtui.app.writing.planner import NotPlanned, Planned, PlannedStep, Planner, each, together
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan, plan_event
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flags_together import SOON
from flagtui.details.event_uses import EventUses
from flagtui.models.event_definition import EventDefinition
from flagtui.store.workspace import Kind
from flagtui.text.formats import count

OUT_OF_SIGHT: Final = frozenset({"deleted", "hidden", "enforcement_mode"})
"""Fields whose change affects the experiments that measure the event."""


@dataclass
class EventPlanner(Planner[EventIntent, EventPlan, EventDefinition]):
    """Plans what is asked for, on the definitions as they are now."""

    kind: Kind = "events"

    def __post_init__(self) -> None:
        self._context = DefinitionContext(self.app_state.session.clock(), self.workspace.people)

    def adapter(self) -> DefinitionAdapter:
        return DefinitionAdapter(self.workspace.client.event_definitions)

    def rows(self) -> EventRows:
        return EventRows(self.workspace, self.app_state.session.clock())

    def name_of(self, asked: Sequence[EventIntent]) -> str:
        row = self.workspace.events.get(asked[0].id)
        return row.name if row is not None and len(asked) == 1 else count(len(asked), "event")

    async def plan(self, asked: Sequence[EventIntent]) -> Planned[EventIntent, EventPlan]:
        """The plans that can be asked about together, and why the others cannot."""
        planned = together(await each(asked, self._plan))
        if len(planned.steps) == 1 and OUT_OF_SIGHT & asked[0].changes.keys() and len(asked) == 1:
            return await self._with_uses_in_time(planned.steps[0])
        if len({step.plan.verb.name for step in planned.steps}) > 1:
            verb = event_verb("tidy up")
            steps = [replace(step, plan=replace(step.plan, verb=verb)) for step in planned.steps]
            return replace(planned, steps=steps)
        return planned

    async def _with_uses_in_time(
        self, step: PlannedStep[EventIntent, EventPlan]
    ) -> Planned[EventIntent, EventPlan]:
        late = asyncio.create_task(self._with_uses(step.plan))
        await asyncio.wait((late,), timeout=SOON)
        if late.done():
            return Planned([replace(step, plan=late.result())])
        asking = Consequence("Used by", "not known yet: still asking", "warning")
        shown = replace(step.plan, consequences=(*step.plan.consequences, asking))
        return Planned([replace(step, plan=shown)], late=late)

    async def _plan(self, intent: EventIntent) -> EventPlan | NotPlanned:
        events, moment = self.workspace.events, self.workspace.events.moment
        try:
            fresh = await self.workspace.client.event_definitions.get(intent.id)
        except ApiError as error:
            row = events.get(intent.id)
            if isinstance(error, NotFound):
                events.remove(intent.id)
            return NotPlanned(intent.id, row.name if row else intent.id, error)
        events.put(fresh.row(), moment)
        told = f"{fresh.name}: nothing to change, it is so already"
        plan = plan_event(intent, fresh, self._context)
        return plan or NotPlanned(intent.id, fresh.name, "it is so already", told)

    async def _with_uses(self, plan: EventPlan) -> EventPlan:
        """The same plan, telling which experiments measure the event."""
        uses, why = await EventUses(self.workspace.client).find(plan.fresh.name)
        used_by = tuple(f"#{use.id} {use.name} {use.status}".rstrip() for use in uses or ())
        found = plan_event(plan.intent, plan.fresh, replace(self._context, used_by=used_by))
        assert found is not None
        if not why:
            return found
        known = "not known" if uses is None else "not known of all"
        unread = Consequence("Used by", f"{known}: {why.rstrip('.')}", "warning")
        return replace(found, consequences=(*found.consequences, unread))
