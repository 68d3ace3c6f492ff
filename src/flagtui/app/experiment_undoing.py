"""The stories of taking back steps of experiments: the newest one, or any the journal knows."""

import asyncio
from dataclasses import replace

from flagtui.app.desk import Desk
from flagtui.app.experimenting import Experimenting, gather
from flagtui.app.explain import explain_blocked
from flagtui.app.notices import Notice
from flagtui.changes.blocking import Blocked
from flagtui.changes.entries import Entry
from flagtui.changes.experiments.undo import last_step, plan_step_back, step_back, why_no_step_back
from flagtui.models.experiment import Experiment


class ExperimentUndoing:
    """Plans the way back; asking and sending go the way of all steps."""

    def __init__(self, desk: Desk, experimenting: Experimenting) -> None:
        self._desk = desk
        self._experimenting = experimenting
        self._changing = experimenting.changing

    def undo(self) -> None:
        """Take back the newest step of this person here."""
        self._changing.run(self._undo())

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier step of this person here, whatever came after it."""
        self._changing.run(self._take_back(entry))

    async def _undo(self) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        entries = await asyncio.to_thread(self._desk.session.journal.entries)
        entry = last_step(entries, self._desk.signature(workspace))
        if entry is None:
            self._changing.tell(Notice("There is no step to undo."))
        else:
            await self._take_back(entry)

    async def _take_back(self, entry: Entry) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        intent = step_back(entry)
        if intent is None:
            if refusal := why_no_step_back(entry):
                self._changing.tell(explain_blocked(refusal, entry.key))
            return
        if intent.step.name == "restore":
            # Deleted ones cannot be read, only brought back by their number.
            fresh: Experiment | None = Experiment.of({"id": intent.id, "name": entry.key, "deleted": True})
        else:
            fresh = await self._experimenting.read(intent.id, entry.key, workspace)
        if fresh is None:
            return
        around = replace(await gather(intent, fresh, workspace), now=self._desk.session.clock())
        plan = plan_step_back(entry, intent, fresh, around)
        if plan is None:
            self._changing.tell(Notice(f"{entry.key}: already as it was"))
        elif isinstance(plan, Blocked):
            self._changing.tell(explain_blocked(plan, entry.key))
        else:
            ended = await self._experimenting.confirm(plan, workspace, entry.id)
            if ended is not None and await self._experimenting.is_asked_again(ended):
                await self._take_back(entry)
