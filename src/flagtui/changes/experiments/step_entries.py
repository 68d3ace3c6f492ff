"""Steps of experiments in the journal: found out, and taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.experiments.journal_values import MAKING
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_recovery import look
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import parts_of, plan_step_back, step_back, why_no_step_back
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.flags.flag_lookup import rows_of
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.own_changes import told_apart
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import as_id

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.unanswered import LookedUp, Truth


class StepEntries(EntryKind):
    """What is peculiar to them."""

    noun = "experiment"

    def why_not(self, entry: Entry) -> Blocked | None:
        return why_no_step_back(entry)

    def undo_words(self, entry: Entry) -> str:
        step = BY_VERB.get(entry.verb)
        return step.verb.undo if step is not None else "put the old values back"

    def creation(self, entry: Entry) -> Entry | None:
        step = BY_VERB.get(entry.verb)
        return entry if step is not None and step.name in MAKING else None

    def parts(self, entry: Entry) -> tuple[Entry, ...]:
        return parts_of(entry)

    async def is_back(self, part: Entry, client: Client) -> bool:
        intent, fresh = step_back(part), await client.experiments.get(part.record)
        return intent is not None and plan_step_back(part, intent, fresh, StepContext()) is None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        intent, project, client = step_back(part), as_id(part.after.get("project")), context.client
        if intent is None:
            return Blocked("cannot be undone", f"no step takes back: {part.verb}")
        place = ""
        if project is not None:
            place, client = f"project #{project}", client.for_project(project)
        if intent.step.name == "restore":
            # Deleted ones cannot be read, only brought back by their number.
            fresh = Experiment.of({"id": intent.id, "name": part.key, "deleted": True})
        else:
            fresh = await client.experiments.get(intent.id)
        dependents = await _dependents(client, fresh) if intent.step.name == "pause" else ()
        known = StepContext(now=context.clock.time(), dependents=dependents)
        plan = plan_step_back(part, intent, fresh, known)
        if not isinstance(plan, ExperimentPlan):
            return plan
        plan = replace(plan, clashes=told_apart(plan.clashes, part, context.entries))
        return PreparedUndo(part, plan, StepAdapter(client.experiments), context.signature, place, project)

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        return await look(entry, client, not_there)


async def _dependents(client: Client, fresh: Experiment) -> tuple[str, ...]:
    """Keys of flags that are on and ask for the flag of this experiment."""
    if fresh.feature_flag is None:
        return ()
    found = await client.flags.dependents(fresh.feature_flag.id)
    return tuple(row.key for row in await rows_of(client.flags, [one.id for one in found]) if row.active)
