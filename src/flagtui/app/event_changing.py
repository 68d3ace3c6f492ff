"""The straight path for event definitions: read again, plan, guard, ask, save, say."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Final

from flagtui.api.errors import ApiError, NotFound, PaymentNeeded
from flagtui.app import event_explain, explain
from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.event_inspecting import EventInspector
from flagtui.app.event_rows import believe, painted_values, people_of
from flagtui.app.notices import Notice
from flagtui.app.screens.confirm import ConfirmScreen, Surface
from flagtui.changes.entries import Entry
from flagtui.changes.event_definitions.intent import EventIntent, event_verb
from flagtui.changes.event_definitions.outcome import Ended
from flagtui.changes.event_definitions.plan import (
    AlreadySo,
    Around,
    EventPlan,
    plan_event,
    plan_recreation,
)
from flagtui.changes.event_definitions.recovery import recover
from flagtui.changes.event_definitions.saving import Desk as SavingDesk
from flagtui.changes.event_definitions.saving import save_all
from flagtui.changes.event_definitions.undo import (
    is_deletion,
    is_recreation,
    last_batch,
    plan_undo,
)
from flagtui.changes.guard import Approved, Question, Refused, guard
from flagtui.changes.journal import JournalUnwritable
from flagtui.store.workspace import Workspace

OUT_OF_SIGHT: Final = frozenset({"deleted", "hidden", "enforcement_mode"})
"""Fields that matter to whoever measures the event."""
PATIENCE: Final = 2.5
"""Seconds the question waits for what it could do without."""
AT_ONCE: Final = 8
"""Definitions read again at the same time for one question."""


def _nothing(*_heard: object) -> None:
    """For whoever does not want to hear."""


@dataclass(frozen=True)
class Listener:
    """Who wants to hear how it goes on."""

    approved: Callable[[], None] = _nothing
    ended: Callable[[Sequence[Ended]], None] = _nothing
    """What was sent, with how each ended; a batch that stopped early names fewer than were approved."""


@dataclass(frozen=True)
class Step:
    """One plan, and the journal entry it takes back."""

    plan: EventPlan
    undoes: str = ""


class EventChanging:
    """Begins changes of event definitions; they run as tasks of the App."""

    def __init__(self, desk: Desk, changing: Changing) -> None:
        self._desk = desk
        self.changing = changing
        self._refusal: tuple[Workspace, str] | None = None

    @property
    def why_read_only(self) -> str:
        """Why this server takes no change of event definitions; empty when it does, or nobody knows yet."""
        if self._refusal is None or self._refusal[0] is not self._desk.workspace:
            return ""
        return self._refusal[1]

    def start(self, intents: Sequence[EventIntent], listener: Listener = Listener()) -> None:
        """Begin the path for these wishes, which are confirmed together."""
        if self.why_read_only:
            self.changing.tell(Notice(self.why_read_only, "warning", "read-only"))
        elif intents:
            self.changing.run(self._follow(intents, listener))

    def undo(self) -> None:
        """Take back the newest change of events here, or all that were confirmed together with it."""
        self.changing.run(self._undo())

    def look_back(self) -> None:
        """Find out what became of changes that an earlier run left open."""
        self.changing.app.run_worker(self._look_back(), group="changing")

    async def _follow(self, intents: Sequence[EventIntent], listener: Listener) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            self.changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        around, turn = self._around(workspace), asyncio.Semaphore(AT_ONCE)

        async def one(intent: EventIntent) -> Step | None:
            async with turn:
                return await self._plan(intent, workspace, around, is_alone=len(intents) == 1)

        steps = [step for step in await asyncio.gather(*map(one, intents)) if step is not None]
        await self._confirm(steps, workspace, listener)

    async def _plan(
        self, intent: EventIntent, workspace: Workspace, around: Around, *, is_alone: bool
    ) -> Step | None:
        try:
            fresh = await workspace.client.event_definitions.get(intent.id)
        except ApiError as error:
            row = workspace.events.get(intent.id)
            if isinstance(error, NotFound):
                workspace.events.remove(intent.id)
            self.changing.tell(explain.explain_error(error, row.name if row else intent.id))
            return None
        workspace.events.put(fresh.row())
        if is_alone and OUT_OF_SIGHT & intent.changes.keys():
            around = replace(around, used_by=await self._used_by(fresh.name, workspace))
        found = plan_event(intent, fresh, around)
        if isinstance(found, AlreadySo):
            if is_alone:
                self.changing.tell(Notice(f"{found.name}: nothing to change, it is so already"))
            return None
        return Step(found)

    async def _used_by(self, name: str, workspace: Workspace) -> tuple[str, ...]:
        """Experiments that measure the event, as far as that is found out in time for the question."""
        try:
            async with asyncio.timeout(PATIENCE):
                uses, _why = await EventInspector(workspace.client).uses(name)
        except TimeoutError:
            return ()
        return tuple(f"#{use.id} {use.name} {use.status}".rstrip() for use in uses or ())

    async def _confirm(self, steps: Sequence[Step], workspace: Workspace, listener: Listener) -> None:
        if not steps:
            listener.ended(())
            return
        plans = [step.plan for step in steps]
        if len({plan.verb.name for plan in plans}) > 1:
            plans = [replace(plan, verb=event_verb("tidy up")) for plan in plans]
        question = guard(plans, self._desk.session.rules)
        if isinstance(question, Refused):
            self.changing.tell(explain.explain_refusal(question))
            return
        approved = await self._ask(question)
        if approved is None:
            return
        listener.approved()
        undoes = {step.plan.key: step.undoes for step in steps}
        ended = await self.changing.see_through(self._save(approved, workspace, undoes))
        listener.ended(ended)

    async def _ask(self, question: Question[EventPlan]) -> Approved[EventPlan] | None:
        surface = Surface(self._desk.session.colour, self._desk.session.monotonic)
        return await self.changing.ask(ConfirmScreen(question, surface))

    async def _save(
        self, approved: Approved[EventPlan], workspace: Workspace, undoes: dict[str, str]
    ) -> Sequence[Ended]:
        session, ended = self._desk.session, []
        desk = SavingDesk(
            workspace.client.event_definitions,
            session.journal,
            self._desk.signature(workspace),
            session.timing,
        )
        people = people_of(workspace)
        painted: dict[str, ExitStack] = {}
        with ExitStack() as every:
            for plan in approved.plans:
                painted[plan.key] = every.enter_context(ExitStack())
                painted[plan.key].enter_context(
                    workspace.events.showing(plan.id, painted_values(plan.values, people))
                )
            async for one in save_all(approved, desk, undoes):
                believe(one, workspace, session.clock(), people)
                painted[one.plan.key].close()
                ended.append(one)
        self._remember_refusal(ended, workspace)
        self.changing.tell(event_explain.explain_ended(ended, approved.plans))
        return ended

    def _remember_refusal(self, ended: Sequence[Ended], workspace: Workspace) -> None:
        for one in ended:
            if isinstance(one.error, PaymentNeeded):
                reason = (
                    "Event definitions are read-only here: this server asks for a licence to change them."
                )
                self._refusal = (workspace, reason)
                self._desk.tell()

    async def _undo(self) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        journal = self._desk.session.journal
        found = last_batch(await asyncio.to_thread(journal.entries), self._desk.signature(workspace))
        if not found:
            self.changing.tell(Notice("There is no change of event definitions to undo in this project."))
            return
        around = self._around(workspace)
        steps = [step for entry in found if (step := await self._undone(entry, workspace, around))]
        await self._confirm(steps, workspace, Listener())

    async def _undone(self, entry: Entry, workspace: Workspace, around: Around) -> Step | None:
        if is_deletion(entry):
            return Step(plan_recreation(entry.key, entry.before, around), entry.id)
        definitions = workspace.client.event_definitions
        try:
            fresh = await (
                definitions.by_name(entry.key) if is_recreation(entry) else definitions.get(entry.uuid)
            )
        except ApiError as error:
            self.changing.tell(explain.explain_error(error, entry.key))
            return None
        plan = plan_undo(entry, fresh, around)
        if isinstance(plan, AlreadySo):
            self.changing.tell(Notice(f"{plan.name}: already as it was"))
            return None
        return Step(plan, entry.id)

    async def _look_back(self) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        here = self._desk.signature(workspace)
        try:
            found = await recover(self._desk.session.journal, workspace.client.event_definitions, here)
        except JournalUnwritable as fault:
            self.changing.tell(Notice(f"The journal cannot be written: {fault}", "error"))
            return
        for one in found:
            self.changing.tell(Notice(f"Left open last time. {one.words}.", "warning", seconds=12))

    def _around(self, workspace: Workspace) -> Around:
        return Around(self._desk.session.clock(), people_of(workspace))
