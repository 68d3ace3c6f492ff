"""The pipeline of a change: read again, plan, guard, ask, save, report."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.api.errors import ApiError
from flagtui.app.shell.sign_in import needs_key
from flagtui.app.state.app_state import AppState
from flagtui.app.state.other_projects import workspace_in
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.flag_planner import Planner
from flagtui.app.writing.listener import NOBODY, Listener
from flagtui.app.writing.optimistic_save import FlagsEnded, Saver
from flagtui.app.writing.requested_changes import (
    NewFlag,
    RequestedChange,
    request_for,
    request_revert,
    request_undo,
)
from flagtui.app.writing.result_lines import flag_results
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NothingToDo, Plan
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_undo import last_batch
from flagtui.changes.flags.new_flags import Taken, plan_create
from flagtui.changes.flags.surroundings import similar_keys
from flagtui.changes.journal_entries import Entry
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Failed, Outcome, Refused, Saved
from flagtui.changes.related.project_copies import as_creation, project_of
from flagtui.changes.undo_list import as_left, undoable
from flagtui.models.activity import Activity
from flagtui.models.json_value import as_text
from flagtui.store.deletions import recent_deletions
from flagtui.store.workspace import Workspace
from flagtui.text import outcomes
from flagtui.text.notices import Notice

if TYPE_CHECKING:
    from flagtui.app.writing.interface import Interface


class FlagPipeline:
    """Changes of flags from intent to outcome. `Interface` runs them as tasks that no screen cancels."""

    def __init__(self, app_state: AppState, interface: "Interface") -> None:
        self._app_state = app_state
        self._interface = interface
        self._tell = interface.tell
        self._planner = Planner(app_state, self._tell)
        self._saver = Saver(app_state, self._tell)

    async def change(self, intents: Sequence[Intent], listener: Listener) -> None:
        """What is meant, confirmed together."""
        await self._follow([request_for(intent) for intent in intents], listener)

    async def revert(self, record: int, entry: Activity, listener: Listener) -> None:
        """Anybody's change of a flag, unless the same thing was changed since."""
        await self._follow([request_revert(record, entry)], listener)

    async def create(self, wanted: Sequence[NewFlag], workspace: Workspace, listener: Listener) -> None:
        """New flags in the project of this workspace, confirmed together."""
        try:
            deleted = {one.key: one.id for one in await recent_deletions(workspace.client.flags)}
        except ApiError:
            # Not every key may read the activity; the warning is lost then, not the flag.
            deleted = {}
        taken = Taken(workspace.flags.rows, deleted)
        found = [self._plan_new(one, place, taken, workspace) for place, one in enumerate(wanted)]
        if len(wanted) + len(listener.left_out) == 1 and isinstance(found[0], Blocked):
            key = as_text(wanted[0].fields.get("key"))
            self._tell(outcomes.explain_blocked(found[0], key or "new flag"))
            return
        listener = replace(listener, left_out=[*listener.left_out, *_not_new(wanted, found)])
        sources = {-place: one.source for place, one in enumerate(wanted)}
        plans = [one for one in found if isinstance(one, Plan)]
        ended = await self._ask_and_save(plans, {}, workspace, listener)
        if ended is None:
            return
        listener.saved([sources[id] for id in ended.saved_ids])
        if refused := key_refused(ended.outcomes):
            if await self._interface.signing_in.ask(refused):
                again = [one for place, one in enumerate(wanted) if -place in ended.retryable]
                await self.create(again, workspace, listener)
            return
        results = [replace(result, id=sources[int(result.id)]) for result in flag_results(ended)]
        if await self._agreeing(listener).tell(results):
            again = [one for place, one in enumerate(wanted) if -place in ended.retryable]
            await self.create(again, workspace, replace(listener, left_out=()))

    def _plan_new(self, one: NewFlag, place: int, taken: Taken, workspace: Workspace) -> Plan | Blocked:
        similar = similar_keys(as_text(one.fields.get("key")), (row.key for row in taken.rows))
        now, names = self._app_state.session.clock(), self._app_state.names
        context = Context(now=now, me=workspace.me, similar=similar, names=names)
        return plan_create(one.fields, taken, context, one.told, place)

    async def undo_entry(self, entry: Entry) -> None:
        """One earlier change of this person here, whatever came after it."""
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        entry = as_left(entry, entries)
        project = project_of(entry)
        workspace = self._workspace(project)
        if workspace is None:
            return
        listener = NOBODY
        if project is not None:
            entry, name = as_creation(entry), as_text(entry.after.get("project_name"))
            listener = Listener(place=name or f"project #{project}", project=project)
        await self._follow([request_undo(entry, self._app_state.signature(workspace), entries)], listener)

    async def undo_part(self, entry: Entry, undoes: str, entries: Sequence[Entry]) -> bool:
        """Take back what a step of its experiment did to a flag. Only within `run`.

        True when the flag is as it was; `undoes` names the whole step when nothing of it is left then,
        `entries` are the journal's.
        """
        workspace = self._app_state.workspace
        if workspace is None:
            return False
        request = request_undo(entry, self._app_state.signature(workspace), entries)
        planned = await self._planner.plan_one(request, workspace)
        found = planned[1] if planned is not None else None
        if found is None:
            refused = self._app_state.trouble
        elif isinstance(found, Plan):
            ended = await self._ask_and_save([found], {request.record: undoes}, workspace, NOBODY)
            if ended is None or ended.is_saved:
                return ended is not None
            refused = key_refused(ended.outcomes)
        else:
            if isinstance(found, Blocked):
                self._tell(outcomes.explain_blocked(found, entry.key))
            return isinstance(found, NothingToDo)
        if needs_key(refused) and await self._interface.signing_in.ask(refused):
            return await self.undo_part(entry, undoes, entries)
        return False

    def _workspace(self, project: int | None) -> Workspace | None:
        """That of the open project, or of another one."""
        here = self._app_state.workspace
        return (
            here
            if here is None or project is None
            else workspace_in(project, here, self._app_state.session.clock)
        )

    async def undo(self) -> None:
        """The newest change of this person here, or all that were confirmed together with it."""
        workspace = self._app_state.workspace
        if workspace is None:
            return
        here = self._app_state.signature(workspace)
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        found = last_batch(entries, here)
        copies = [entry for entry in undoable(entries, here) if project_of(entry) is not None]
        if copies and (not found or copies[0].at > found[0].at):
            await self.undo_entry(copies[0])
            return
        if not found:
            self._tell(Notice("There is nothing of yours to undo in this project."))
            return
        await self._follow([request_undo(as_left(entry, entries), here, entries) for entry in found])

    async def _follow(self, requests: Sequence[RequestedChange], listener: Listener = NOBODY) -> None:
        workspace = self._workspace(listener.project)
        if workspace is None:
            self._tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        if len(requests) + len(listener.left_out) > 1:
            planned = await self._planner.plan_all(requests, workspace)
            plans, left_out = planned.plans, [*listener.left_out, *planned.left_out]
        else:
            plans, left_out = await self._plan_alone(requests[0], workspace), []
        listener = replace(listener, left_out=left_out)
        if not plans:
            if not await self._sign_in_and_ask_again(requests, replace(listener, left_out=())):
                await self._agreeing(listener).tell(())
            return
        undoes = {request.record: request.undoes for request in requests}
        ended = await self._ask_and_save(plans, undoes, workspace, listener)
        if ended is None:
            return
        listener.saved(ended.saved_ids)
        again = [request for request in requests if request.record in ended.retryable]
        if refused := key_refused(ended.outcomes):
            self._app_state.become_troubled(refused)
            await self._sign_in_and_ask_again(again, replace(listener, left_out=()))
        elif _is_overtaken(ended) or await self._agreeing(listener).tell([*flag_results(ended)]):
            await self._follow(again, replace(listener, left_out=()))

    async def _plan_alone(self, request: RequestedChange, workspace: Workspace) -> Sequence[Plan]:
        """The plan of one request; empty when there is none, and the person was told why."""
        match await self._planner.plan_one(request, workspace):
            case _, Plan() as plan:
                return [plan]
            case key, Blocked() as blocked:
                if request.is_switch and blocked.together:
                    plans = await self._planner.plan_with_obstacles(request, workspace)
                    if plans:
                        return plans
                self._tell(outcomes.explain_blocked(blocked, key))
            case key, NothingToDo() as nothing:
                already = outcomes.explain_already_back(key) if request.undoes else None
                self._tell(already or outcomes.explain_nothing(nothing))
        return []

    async def _sign_in_and_ask_again(self, requests: Sequence[RequestedChange], listener: Listener) -> bool:
        """With another key the same question is asked anew; only the person's answer sends anything."""
        trouble = self._app_state.trouble
        if not (needs_key(trouble) and await self._interface.signing_in.ask(trouble)):
            return False
        await self._follow(requests, listener)
        return True

    def _agreeing(self, listener: Listener) -> Approval[Plan]:
        return Approval(self._app_state, self._interface, "flags", listener.left_out, listener.place)

    async def _ask_and_save(
        self, plans: Sequence[Plan], undoes: Mapping[int, str], workspace: Workspace, listener: Listener
    ) -> FlagsEnded | None:
        """None when nobody said yes; without a plan nobody is asked, and nothing has ended."""
        if not plans:
            return FlagsEnded(())
        approved = await self._agreeing(listener).agree(plans)
        if approved is None:
            return None
        ended = await self._interface.see_through(self._saver.save(approved, workspace, undoes))
        if (made := _made(ended)) is not None:
            self._interface.show_made("flags", made, workspace)
        listener.ended(ended)
        return ended


def _not_new(wanted: Sequence[NewFlag], found: Sequence[Plan | Blocked]) -> list[LeftOut]:
    """Those of the new flags that cannot be made, by the flags they are copies of."""
    return [
        LeftOut(one.source, as_text(one.fields.get("key")), blocked.reason, blocked.next)
        for one, blocked in zip(wanted, found, strict=True)
        if isinstance(blocked, Blocked)
    ]


def _made(ended: FlagsEnded) -> int | None:
    """The first flag that is there now and was not before."""
    saved = (outcome for outcome in ended.outcomes if isinstance(outcome, Saved))
    found = (one for one in saved if one.plan.is_new or one.plan.values.get("deleted") is False)
    return next((one.record.id for one in found), None)


def _is_overtaken(ended: FlagsEnded) -> bool:
    """The one change that was asked for met another person's: it is asked about anew, with all sides."""
    return not ended.unsent and [outcome.ending for outcome in ended.outcomes] == ["conflicted"]


def key_refused(outcomes: Iterable[Outcome]) -> ApiError | None:
    """Why the key was not accepted for one of these changes; None when that was not what kept it."""
    errors = (outcome.error for outcome in outcomes if isinstance(outcome, Refused | Failed))
    return next((error for error in errors if needs_key(error)), None)
