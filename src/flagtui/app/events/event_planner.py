"""From intents to plans: reads each event definition again and looks up the experiments that use it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound
from flagtui.app.events.event_rows import people_of
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import (
    AlreadySo,
    DefinitionContext,
    EventPlan,
    plan_event,
    plan_recreation,
)
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation, plan_undo
from flagtui.changes.journal_entries import Entry
from flagtui.changes.left_out import LeftOut
from flagtui.changes.undo_list import told_apart
from flagtui.details.event_uses import EventUses
from flagtui.models.event_definition import EventDefinition
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.notices import Notice

OUT_OF_SIGHT: Final = frozenset({"deleted", "hidden", "enforcement_mode"})
"""Fields whose change affects the experiments that measure the event."""
PATIENCE: Final = 2.5
"""Seconds the question waits for what it could do without."""
AT_ONCE: Final = 8
"""Definitions read again at the same time for one question."""

Asked = EventIntent | Entry
"""New values, or an earlier change to be taken back."""


@dataclass(frozen=True)
class EventStep:
    """One plan, and what was asked for."""

    plan: EventPlan
    asked: Asked

    @property
    def undoes(self) -> str:
        """The journal entry it takes back."""
        return self.asked.id if isinstance(self.asked, Entry) else ""


class EventPlanner:
    """Plans what a person asks, on the definitions as they are now."""

    def __init__(self, app_state: AppState, workspace: Workspace, tell: Callable[[Notice], None]) -> None:
        self._app_state = app_state
        self._workspace = workspace
        self._tell = tell
        self._context = DefinitionContext(app_state.session.clock(), people_of(workspace))

    async def plan_all(self, asked: Sequence[Asked]) -> tuple[list[EventStep], list[LeftOut]]:
        """The plans that can be asked about together, and why the others cannot; of one alone it is told."""
        turn, is_alone = asyncio.Semaphore(AT_ONCE), len(asked) == 1

        async def one(wanted: Asked) -> EventStep | LeftOut:
            async with turn:
                return await self._plan(wanted, is_alone=is_alone)

        found = await asyncio.gather(*map(one, asked))
        left_out = [] if is_alone else [item for item in found if isinstance(item, LeftOut)]
        return [item for item in found if isinstance(item, EventStep)], left_out

    async def _plan(self, asked: Asked, *, is_alone: bool) -> EventStep | LeftOut:
        if isinstance(asked, Entry) and is_deletion(asked):
            return EventStep(plan_recreation(asked.key, asked.before, self._context), asked)
        fresh = await self._read(asked, is_alone=is_alone)
        if isinstance(fresh, LeftOut):
            return fresh
        if isinstance(asked, Entry):
            found = plan_undo(asked, fresh, self._context)
            if isinstance(found, EventPlan) and found.clashes:
                entries = await asyncio.to_thread(self._app_state.session.journal.entries)
                found = replace(found, clashes=told_apart(found.clashes, asked, entries))
        else:
            context = self._context
            if is_alone and OUT_OF_SIGHT & asked.changes.keys():
                context = replace(context, used_by=await self._used_by(fresh.name))
            found = plan_event(asked, fresh, context)
        if isinstance(found, AlreadySo):
            if is_alone and isinstance(asked, Entry):
                self._tell(outcomes.explain_already_back(found.name))
            elif is_alone:
                self._tell(Notice(f"{found.name}: nothing to change, it is so already"))
            return LeftOut(fresh.id, found.name, "it is so already")
        return EventStep(found, asked)

    async def _read(self, asked: Asked, *, is_alone: bool) -> EventDefinition | LeftOut:
        """The definition as it is now, or why it cannot be read."""
        events, definitions = self._workspace.events, self._workspace.client.event_definitions
        id = asked.uuid if isinstance(asked, Entry) else asked.id
        moment = events.moment
        try:
            if isinstance(asked, Entry) and is_recreation(asked):
                fresh = await definitions.by_name(asked.key)
            else:
                fresh = await definitions.get(id)
        except ApiError as error:
            if needs_key(error):
                self._app_state.become_troubled(error)
            row = events.get(id)
            if isinstance(error, NotFound):
                events.remove(id)
            name = asked.key if isinstance(asked, Entry) else row.name if row else id
            if is_alone:
                self._tell(outcomes.explain_error(error, name))
            return LeftOut(id, name, error.what.rstrip("."), error.next.rstrip("."))
        events.put(fresh.row(), moment)
        return fresh

    async def _used_by(self, name: str) -> tuple[str, ...]:
        """Experiments that measure the event, as far as that is found out in time for the question."""
        try:
            async with asyncio.timeout(PATIENCE):
                uses, _why = await EventUses(self._workspace.client).find(name)
        except TimeoutError:
            return ()
        return tuple(f"#{use.id} {use.name} {use.status}".rstrip() for use in uses or ())
