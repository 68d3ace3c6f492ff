"""The pipeline of a change of event definitions: read again, plan, guard, ask, save, report."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from flagtui.api.errors import PaymentNeeded
from flagtui.app.events.event_planner import Asked, EventPlanner, EventStep
from flagtui.app.events.event_rows import believe, people_of, shown_values
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.listener import Saved
from flagtui.app.writing.result_lines import event_results
from flagtui.app.writing.unresolved import Unresolved
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.event_definitions.definition_plan import (
    EventPlan,
)
from flagtui.changes.event_definitions.definition_save import DefinitionSaveContext, save_all
from flagtui.changes.event_definitions.definition_undo import (
    last_batch,
)
from flagtui.changes.guard import Approved
from flagtui.changes.journal_entries import Entry
from flagtui.store.workspace import Workspace
from flagtui.text import event_outcomes
from flagtui.text.notices import Notice


def _nothing(*_heard: object) -> None:
    """Default callback: does nothing."""


@dataclass(frozen=True)
class EventListener:
    """Who wants to hear how it goes on."""

    saved: Saved = _nothing
    """What is as it was meant to be."""
    ended: Callable[[Sequence[DefinitionEnded]], None] = _nothing
    """What was sent, with how each ended; a batch that stopped early names fewer than were approved."""


class EventChanges:
    """Begins changes of event definitions; they run as tasks of the App."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self.changing = changing
        self._refusal: tuple[Workspace, str] | None = None
        self._unresolved = Unresolved(app_state)

    @property
    def why_read_only(self) -> str:
        """Why this server refuses changes of event definitions; empty until it has refused one."""
        if self._refusal is None or self._refusal[0] is not self._app_state.workspace:
            return ""
        return self._refusal[1]

    def start(self, intents: Sequence[EventIntent], listener: EventListener = EventListener()) -> None:
        """Starts the pipeline for these intents, which are confirmed together."""
        if self.why_read_only:
            self.changing.tell(Notice(self.why_read_only, "warning", "read-only"))
        elif intents:
            self.changing.run(self._follow(tuple(intents), listener))

    def undo(self) -> None:
        """Take back the newest change of events here, or all that were confirmed together with it."""
        self.changing.run(self._undo())

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier change of this person here, whatever came after it."""
        self.changing.run(self._follow([entry]))

    async def _follow(self, asked: Sequence[Asked], listener: EventListener = EventListener()) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            self.changing.tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        planner = EventPlanner(self._app_state, workspace, self.changing.tell)
        steps, left_out = await planner.plan_all(asked)
        if not steps and await self._sign_in_again():
            await self._follow(asked, listener)
            return
        agreeing = Approval[EventPlan](self._app_state, self.changing, "events", left_out)
        ended = await self._ask_and_save(steps, workspace, listener, agreeing)
        if ended is None:
            return
        done = {one.plan.key for one in ended if one.ending in ("saved", "unknown", "awaiting approval")}
        again = [step.asked for step in steps if step.plan.key not in done]
        if refused := next((one.error for one in ended if needs_key(one.error)), None):
            self._app_state.become_troubled(refused)
            if await self._sign_in_again():
                await self._follow(again, listener)
        elif await agreeing.tell([*event_results(ended, [step.plan for step in steps])]):
            await self._follow(again, listener)

    async def _sign_in_again(self) -> bool:
        """With another key the same question is asked anew; only the person's answer sends anything."""
        trouble = self._app_state.trouble
        return needs_key(trouble) and await self.changing.signing_in.ask(trouble)

    async def _ask_and_save(
        self,
        steps: Sequence[EventStep],
        workspace: Workspace,
        listener: EventListener,
        agreeing: Approval[EventPlan],
    ) -> Sequence[DefinitionEnded] | None:
        """None when nobody said yes; without a plan nobody is asked, and nothing has ended."""
        if not steps:
            listener.ended(())
            return ()
        plans = [step.plan for step in steps]
        if len({plan.verb.name for plan in plans}) > 1:
            plans = [replace(plan, verb=event_verb("tidy up")) for plan in plans]
        approved = await agreeing.agree(plans)
        if approved is None:
            return None
        undoes = {step.plan.key: step.undoes for step in steps}
        ended = await self.changing.see_through(self._save(approved, workspace, undoes))
        self._app_state.tell()
        if made := next((one.id for one in ended if one.is_saved and one.plan.is_new), ""):
            self.changing.show_made("events", made, workspace)
        listener.saved([one.id for one in ended if one.is_saved])
        listener.ended(ended)
        return ended

    async def _save(
        self, approved: Approved[EventPlan], workspace: Workspace, undoes: dict[str, str]
    ) -> Sequence[DefinitionEnded]:
        session, ended = self._app_state.session, []
        context = DefinitionSaveContext(
            workspace.client.event_definitions,
            session.journal,
            self._app_state.signature(workspace),
            session.timing,
        )
        people = people_of(workspace)
        shown: dict[str, ExitStack] = {}
        with ExitStack() as every:
            for plan in approved.plans:
                shown[plan.key] = every.enter_context(ExitStack())
                shown[plan.key].enter_context(
                    workspace.events.showing(plan.id, shown_values(plan.values, people))
                )
            async for one in save_all(approved, context, undoes):
                believe(one, workspace, session.clock(), people)
                if one.ending == "unknown":
                    events, loading = workspace.events, workspace.events_loading
                    await self._unresolved.keep(one.plan.id, events, loading, workspace)
                shown[one.plan.key].close()
                ended.append(one)
        self._remember_refusal(ended, workspace)
        self.changing.tell(event_outcomes.explain_ended(ended, approved.plans))
        return ended

    def _remember_refusal(self, ended: Sequence[DefinitionEnded], workspace: Workspace) -> None:
        for one in ended:
            if isinstance(one.error, PaymentNeeded):
                reason = (
                    "Event definitions are read-only here: this server asks for a licence to change them."
                )
                self._refusal = (workspace, reason)

    async def _undo(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        journal = self._app_state.session.journal
        found = last_batch(await asyncio.to_thread(journal.entries), self._app_state.signature(workspace))
        if not found:
            self.changing.tell(Notice("There is no change of event definitions to undo in this project."))
            return
        await self._follow(found)
