"""From intents to plans: each event definition read again, with the experiments that use it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.optimistic_rows import EventRows
from flagtui.app.writing.planner import Planned, PlannedStep
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import (
    AlreadySo,
    DefinitionContext,
    EventPlan,
    plan_event,
)
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter, DefinitionOutcome
from flagtui.changes.flags.flag_consequences import Consequence
from flagtui.changes.flags.flags_together import SOON
from flagtui.changes.journal_entries import Signature
from flagtui.changes.left_out import LeftOut
from flagtui.details.event_uses import EventUses
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.formats import count
from flagtui.text.notices import Notice

OUT_OF_SIGHT: Final = frozenset({"deleted", "hidden", "enforcement_mode"})
"""Fields whose change affects the experiments that measure the event."""
AT_ONCE: Final = 8
"""Definitions read again at the same time for one question."""


class EventPlanner:
    """Plans what is asked for, on the definitions as they are now."""

    kind: Literal["events"] = "events"
    place = ""

    def __init__(self, app_state: AppState, workspace: Workspace) -> None:
        self._app_state = app_state
        self.workspace = workspace
        self._context = DefinitionContext(app_state.session.clock(), workspace.people)

    @property
    def signature(self) -> Signature:
        return self._app_state.signature(self.workspace)

    def adapter(self) -> DefinitionAdapter:
        return DefinitionAdapter(self.workspace.client.event_definitions)

    def rows(self) -> EventRows:
        return EventRows(self.workspace, self._app_state.session.clock())

    def record_of(self, plan: EventPlan) -> str:
        return plan.id

    def made(self, _outcome: DefinitionOutcome) -> None:
        """Only an undo makes one again."""

    def name_of(self, asked: Sequence[EventIntent]) -> str:
        row = self.workspace.events.get(asked[0].id)
        return row.name if row is not None and len(asked) == 1 else count(len(asked), "event")

    async def plan(self, asked: Sequence[EventIntent]) -> Planned[EventIntent, EventPlan]:
        """The plans that can be asked about together, and why the others cannot."""
        if len(asked) == 1:
            return await self._planned_alone(asked[0])
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(intent: EventIntent) -> EventPlan | AlreadySo | UnreadDefinition:
            async with turn:
                return await self._plan(intent)

        found = list(zip(asked, await asyncio.gather(*map(one, asked)), strict=True))
        steps = [PlannedStep(intent, plan) for intent, plan in found if isinstance(plan, EventPlan)]
        if len({step.plan.verb.name for step in steps}) > 1:
            verb = event_verb("tidy up")
            steps = [replace(step, plan=replace(step.plan, verb=verb)) for step in steps]
        left_out = [_left_out(intent, what) for intent, what in found if not isinstance(what, EventPlan)]
        refused = next((what.error for _, what in found if isinstance(what, UnreadDefinition)), None)
        return Planned(steps, left_out, refused=refused)

    async def _planned_alone(self, intent: EventIntent) -> Planned[EventIntent, EventPlan]:
        found = await self._plan(intent)
        if not isinstance(found, EventPlan):
            return _why_not(found)
        if not OUT_OF_SIGHT & intent.changes.keys():
            return Planned([PlannedStep(intent, found)])
        late = asyncio.create_task(self._with_uses(found))
        await asyncio.wait((late,), timeout=SOON)
        if late.done():
            return Planned([PlannedStep(intent, late.result())])
        asking = Consequence("Used by", "not known yet: still asking", "warning")
        shown = replace(found, consequences=(*found.consequences, asking))
        return Planned([PlannedStep(intent, shown)], late=late)

    async def _plan(self, intent: EventIntent) -> EventPlan | AlreadySo | UnreadDefinition:
        events, moment = self.workspace.events, self.workspace.events.moment
        try:
            fresh = await self.workspace.client.event_definitions.get(intent.id)
        except ApiError as error:
            row = events.get(intent.id)
            if isinstance(error, NotFound):
                events.remove(intent.id)
            return UnreadDefinition(row.name if row else intent.id, error)
        events.put(fresh.row(), moment)
        return plan_event(intent, fresh, self._context)

    async def _with_uses(self, plan: EventPlan) -> EventPlan:
        """The same plan, telling which experiments measure the event."""
        uses, why = await EventUses(self.workspace.client).find(plan.fresh.name)
        used_by = tuple(f"#{use.id} {use.name} {use.status}".rstrip() for use in uses or ())
        found = plan_event(plan.intent, plan.fresh, replace(self._context, used_by=used_by))
        assert isinstance(found, EventPlan)
        if not why:
            return found
        known = "not known" if uses is None else "not known of all"
        unread = Consequence("Used by", f"{known}: {why.rstrip('.')}", "warning")
        return replace(found, consequences=(*found.consequences, unread))


@dataclass(frozen=True)
class UnreadDefinition:
    """A definition that cannot be read."""

    name: str
    error: ApiError


def _why_not(found: EventPlan | AlreadySo | UnreadDefinition) -> Planned[EventIntent, EventPlan]:
    if isinstance(found, UnreadDefinition):
        return Planned(notice=outcomes.explain_error(found.error, found.name), refused=found.error)
    name = found.name if isinstance(found, AlreadySo) else found.key
    return Planned(notice=Notice(f"{name}: nothing to change, it is so already"), is_so_already=True)


def _left_out(intent: EventIntent, found: EventPlan | AlreadySo | UnreadDefinition) -> LeftOut:
    if isinstance(found, UnreadDefinition):
        error = found.error
        return LeftOut(intent.id, found.name, error.what.rstrip("."), error.next.rstrip("."))
    return LeftOut(intent.id, found.name if isinstance(found, AlreadySo) else found.key, "it is so already")
