"""Undo of steps of experiments: the newest one, or any in the journal."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from flagtui.api.errors import ApiError
from flagtui.app.experiments.experiment_steps import ExperimentSteps, gather
from flagtui.app.state.app_state import AppState
from flagtui.app.state.other_projects import workspace_in
from flagtui.changes.experiments.step_undo import (
    last_step,
    plan_step_back,
    step_back,
    why_no_step_back,
)
from flagtui.changes.experiments.steps import ExperimentIntent
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.journal_entries import Entry
from flagtui.changes.undo import parts_left
from flagtui.changes.undo_list import as_left, told_apart
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_id
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice
from flagtui.text.outcomes import explain_already_back, explain_blocked, explain_error


class ExperimentUndo:
    """Plans the undo; the question and the request are those of every step."""

    def __init__(self, app_state: AppState, experimenting: ExperimentSteps) -> None:
        self._app_state = app_state
        self._experimenting = experimenting
        self._changing = experimenting.changing

    def undo(self) -> None:
        """Take back the newest step of this person here."""
        self._changing.run(self._undo())

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier step of this person here, whatever came after it."""
        self._changing.run(self._take_back(entry))

    async def _undo(self) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        entry = last_step(entries, self._app_state.signature(workspace))
        if entry is None:
            self._changing.tell(Notice("There is no step to undo."))
        else:
            await self._take_back(entry)

    async def _take_back(self, entry: Entry) -> None:
        """One part after the other; what follows is not asked about when one was not done."""
        if refusal := why_no_step_back(entry):
            self._changing.tell(explain_blocked(refusal, entry.key))
            return
        workspace = self._app_state.workspace
        if workspace is None:
            return
        entries = await asyncio.to_thread(self._app_state.session.journal.entries)
        entry = as_left(entry, entries)
        try:
            parts = await parts_left(entry, workspace.client)
        except ApiError as error:
            self._changing.tell(explain_error(error, entry.key))
            return
        for part in parts:
            undoes = entry.id if part is parts[-1] else ""
            if part.kind == "flag":
                is_back = await self._changing.undo_part(part, undoes, entries)
            else:
                is_back = await self._step_back(part, undoes, entries)
            if not is_back:
                return

    async def _step_back(self, entry: Entry, undoes: str, entries: Sequence[Entry]) -> bool:
        """Whether the experiment is as it was now."""
        intent, workspace = step_back(entry), self._workspace(entry)
        if intent is None or workspace is None:
            return False
        fresh = await self._read(intent, entry, workspace)
        if fresh is None:
            return False
        context = replace(await gather(intent, fresh, workspace), now=self._app_state.session.clock())
        plan = plan_step_back(entry, intent, fresh, context)
        if plan is None:
            self._changing.tell(explain_already_back(entry.key))
            return True
        if isinstance(plan, Blocked):
            self._changing.tell(explain_blocked(plan, entry.key))
            return False
        plan = replace(plan, clashes=told_apart(plan.clashes, entry, entries))
        project = as_id(entry.after.get("project"))
        place = f"project #{project}" if project is not None else ""
        ended = await self._experimenting.confirm(plan, workspace, undoes, place)
        if ended is not None and await self._experimenting.is_asked_again(ended):
            return await self._step_back(entry, undoes, entries)
        return ended is not None and ended.ending == "saved"

    async def _read(self, intent: ExperimentIntent, entry: Entry, workspace: Workspace) -> Experiment | None:
        if intent.step.name == "restore":
            # Deleted ones cannot be read, only brought back by their number.
            return Experiment.of({"id": intent.id, "name": entry.key, "deleted": True})
        return await self._experimenting.read(intent.id, entry.key, workspace)

    def _workspace(self, entry: Entry) -> Workspace | None:
        """That of the project a copy went to."""
        here, project = self._app_state.workspace, as_id(entry.after.get("project"))
        if here is None or project is None:
            return here
        return workspace_in(project, here, self._app_state.session.clock)
