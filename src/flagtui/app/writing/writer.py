"""A change from what was asked for to what is true of it, the same for every kind of record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from flagtui.api.errors import ApiError, needs_key
from flagtui.app.shell.sign_in import SignIn
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.results_screen import results_of
from flagtui.app.writing.screen_interface import ScreenInterface
from flagtui.app.writing.screens import NOBODY, Listener, Screens
from flagtui.app.writing.workspace_context import WorkspaceContext
from flagtui.changes.adapter import WriteContext
from flagtui.changes.flags.flag_entries import revert_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_planner import FlagPlanner, NewFlag, NewFlagPlanner
from flagtui.changes.flags.flags_together import request_for
from flagtui.changes.guard import Around, Purpose
from flagtui.changes.interface import WriteRequest, ask_and_write
from flagtui.changes.journal import JournalUnwritable
from flagtui.changes.journal_entries import Entry
from flagtui.changes.pipeline import Ended
from flagtui.changes.planner import Planned, Planner, Q
from flagtui.changes.proposal import P, R, chosen_id
from flagtui.changes.recovery import recover_all
from flagtui.changes.undo import SURPRISING, next_redo, next_undo, questions_of, undo_words, why_not
from flagtui.changes.undo_planner import UndoPlanner
from flagtui.models.activity import Activity
from flagtui.store.workspace import Workspace
from flagtui.text.formats import ago, count
from flagtui.text.outcomes import explain_blocked, explain_error, explain_skipped, left_open
from flagtui.text.styled import Notice


class Writer:
    """Plans, asks, saves and reports. What it begins runs only within `Changes.run`.

    Loaded by the first change, or once the rows are here.
    """

    def __init__(self, app_state: AppState, changes: Screens) -> None:
        self._app_state = app_state
        self._changes = changes
        self.signing_in = SignIn(changes.app, app_state)

    async def change(self, asked: Sequence[Intent | Activity], listener: Listener) -> None:
        """New values of flags, or changes that the activity tells taken back, confirmed together."""
        if (workspace := self._changes.open_workspace()) is not None:
            requests = [request_for(one) if isinstance(one, Intent) else revert_of(one) for one in asked]
            await self.follow(requests, FlagPlanner(WorkspaceContext(self._app_state, workspace)), listener)

    async def create(
        self, wanted: Sequence[NewFlag], listener: Listener, workspace: Workspace, place: str
    ) -> None:
        """New flags; `place` names another project."""
        context = WorkspaceContext(self._app_state, workspace)
        await self.follow(wanted, NewFlagPlanner(context, place=place), listener)

    async def undo_newest(self, *, is_redo: bool) -> None:
        """The newest change of this person here, or what was undone last."""
        if (workspace := self._changes.open_workspace()) is None:
            return
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        here = self._app_state.signature(workspace)
        found = next_redo(entries, here) if is_redo else next_undo(entries, here, self._changes.passed)
        if found:
            await self.undo_entries(found, is_newest=True, is_redo=is_redo)
            return
        nothing = "Nothing of yours is left to undo in this project."
        if is_redo:
            nothing = "There is nothing to redo: nothing was undone since your last change."
        self._changes.tell(Notice(nothing))

    async def undo_entries(
        self, found: Sequence[Entry], *, is_newest: bool = False, is_redo: bool = False
    ) -> None:
        """Take back these changes; what follows is not asked about when one was not done.

        Of `is_newest` a pause of hours is said, since another change may be in the person's mind.
        """
        if (workspace := self._changes.open_workspace()) is None:
            return
        refusal = why_not(found[0], self._app_state.signature(workspace))
        if refusal is not None:
            told = explain_blocked(refusal, f"{found[0].key}, {found[0].verb}")
            self._changes.tell(
                Notice(f"{told.text}\nJ, z takes back any other change.", told.tone, told.title)
            )
            return
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        now = self._app_state.session.clock()
        is_long_ago = is_newest and now - found[0].at > SURPRISING
        purpose = Purpose(
            "Redo" if is_redo else "Undo",
            undo_words(found, is_redo=is_redo),
            ago(found[0].at, now) if is_long_ago else "",
        )
        try:
            questions = await questions_of(found, entries, workspace.client, purpose)
        except ApiError as error:
            if await self.signing_in.helps(error):
                await self.undo_entries(found, is_newest=is_newest, is_redo=is_redo)
            else:
                self._changes.tell(explain_error(error, found[0].key))
            return
        here = self._app_state.signature(workspace)
        for parts, asked in questions:
            context = WorkspaceContext(self._app_state, workspace)
            kind = parts[0].entry.kind
            planner = UndoPlanner(context, entries=entries, signature=here, entry_kind=kind)
            ended = await self.follow(parts, planner, Listener(purpose=asked))
            if ended is None or not ended.is_saved:
                return
            if not ended.outcomes:
                self._changes.passed |= {part.undoes.id for part in parts}

    async def recover_unresolved(self) -> None:
        """What became of changes of any kind that an earlier run left open in this project."""
        workspace, tell = self._app_state.workspace, self._changes.tell
        if workspace is None:
            return
        journal, here = self._app_state.session.journal, self._app_state.signature(workspace)
        try:
            found = await recover_all(journal, workspace.client, here)
        except JournalUnwritable as fault:
            tell(Notice(f"The journal cannot be written: {fault}", "error"))
            return
        for one in found:
            tell(left_open(one.words, is_known=one.is_known))

    async def follow(
        self, requests: Sequence[Q], planner: Planner[Q, P, R], listener: Listener = NOBODY
    ) -> Ended[P, R] | None:
        """None when nothing was agreed to; what is so already has ended with nothing to do."""
        name = planner.name(requests[0])
        with self._changes.reading(name if len(requests) == 1 else count(len(requests), planner.noun)):
            planned = await planner.plan(requests)
        around = Around((*listener.left_out, *planned.skipped), listener.purpose)
        interface = ScreenInterface(self._app_state, self._changes, planner, planned, around)
        if planned.adapter is None or not planned.plans:
            return await self._without_plan(requests, planned, planner, listener, interface)
        session = self._app_state.session
        request = WriteRequest(
            planned.plans,
            planned.adapter,
            self._app_state.rules_in(planned.place),
            WriteContext(
                session.journal,
                interface.signature,
                session.timing,
                lambda words: self._changes.tell(Notice(words, "warning")),
            ),
            around,
            planned.undoes,
        )
        if (ended := await ask_and_write(request, interface)) is None:
            return None
        self._app_state.tell()
        saved = [outcome for outcome in ended.outcomes if outcome.is_saved]
        made = (one.record.id for one in saved if one.plan.makes_record and one.record is not None)
        if (record := next(made, None)) is not None:
            self._changes.show_made(planner.kind, record, interface.workspace)
        listener.saved([chosen_id(one.plan) for one in saved])
        listener.ended(ended)
        return await self._ask_again(ended, planned, planner, listener, interface) or ended

    async def _without_plan(
        self,
        requests: Sequence[Q],
        planned: Planned[Q, P],
        planner: Planner[Q, P, R],
        listener: Listener,
        interface: ScreenInterface[P, R],
    ) -> Ended[P, R] | None:
        """With another key the same question is asked anew; only the person's answer sends anything."""
        if await self.signing_in.helps(planned.refused):
            return await self.follow(requests, planner, listener)
        if len(requests) == 1 and planned.skipped:
            self._changes.tell(explain_skipped(planned.skipped[0]))
            return Ended() if planned.skipped[0].is_settled else None
        if listener.left_out or planned.skipped:
            await interface.tell_results(())
        return None

    async def _ask_again(
        self,
        ended: Ended[P, R],
        planned: Planned[Q, P],
        planner: Planner[Q, P, R],
        listener: Listener,
        interface: ScreenInterface[P, R],
    ) -> Ended[P, R] | None:
        """What surely was not changed: with another key, or because it was chosen."""
        kept = {(one.plan.id, one.plan.key) for one in ended.outcomes if not one.is_unchanged}
        pairs = zip(planned.plans, planned.requests, strict=True)
        again = [request for plan, request in pairs if (plan.id, plan.key) not in kept]
        alone = replace(listener, left_out=())
        errors = (outcome.error for outcome in ended.outcomes)
        if await self.signing_in.helps(next((one for one in errors if needs_key(one)), None)):
            return await self.follow(again, planner, alone)
        results = results_of(ended.outcomes, ended.unsent, chosen_id)
        # The one change that was asked for met another person's: it is asked about anew, with all sides.
        is_overtaken = not ended.unsent and [one.ending for one in ended.outcomes] == ["conflicted"]
        if is_overtaken or await interface.tell_results(results):
            return await self.follow(again, planner, alone)
        return None
