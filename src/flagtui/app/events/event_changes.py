"""Changes of event definitions: planned on what the server says now, begun here, written as all changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from flagtui.api.errors import ApiError, NotFound, PaymentNeeded
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.planner import EventRows, NotPlanned, Planned, PlannedStep, Planner, each, together
from flagtui.app.writing.screens import NOBODY, Listener
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan, plan_event
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flags_together import SOON
from flagtui.changes.pipeline import Ended
from flagtui.details.event_inspector import EventUses
from flagtui.models.event_definition import EventDefinition
from flagtui.store.kinds import Kind
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.styled import Notice

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


class EventChanges:
    """Begins changes of event definitions; they run as tasks of the App."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self.changing = changing
        self._refusal: tuple[Workspace, str] | None = None

    @property
    def why_read_only(self) -> str:
        """Why this server refuses changes of event definitions; empty until it has refused one."""
        if self._refusal is None or self._refusal[0] is not self._app_state.workspace:
            return ""
        return self._refusal[1]

    def is_read_only(self) -> bool:
        """Whether this server refuses such changes, which is said then."""
        if why := self.why_read_only:
            self.changing.tell(Notice(why, "warning", "read-only"))
        return bool(why)

    def start(self, intents: Sequence[EventIntent], listener: Listener = NOBODY) -> None:
        """Starts the pipeline for these intents, which are confirmed together."""
        if not self.is_read_only() and intents:
            self.changing.run(self._write(tuple(intents), listener))

    async def _write(self, intents: Sequence[EventIntent], listener: Listener) -> None:
        if (workspace := self.changing.open_workspace()) is None:
            return

        def remember(ended: Ended[Any, Any]) -> None:
            if any(isinstance(one.error, PaymentNeeded) for one in ended.outcomes):
                licence = "this server asks for a licence to change them"
                self._refusal = (workspace, f"Event definitions are read-only here: {licence}.")
            listener.ended(ended)

        planner = EventPlanner(self._app_state, workspace)
        if await self.changing.write(intents, planner, replace(listener, ended=remember)) is None:
            listener.ended(Ended())
