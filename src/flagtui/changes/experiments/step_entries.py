"""Steps of experiments in the journal: found out, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import NotFound
from flagtui.changes.difference import same
from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.journal_values import MAKING
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter, find_made
from flagtui.changes.experiments.step_undo import parts_of, plan_step_back, step_back, why_no_step_back
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.surroundings import rows_of
from flagtui.changes.journal import Numbered
from flagtui.changes.journal_entries import with_payloads
from flagtui.changes.own_changes import told_apart
from flagtui.changes.unanswered import LookedUp, Truth
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_id, as_text

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.journal_entries import Entry

Alike = Callable[[JSON, JSON], bool]
_DERIVED: Final = ("status", "archived", "deleted", "feature_flag.active")
"""What is told of a step and is no field that people write."""


class StepEntries(EntryKind):
    """What is peculiar to them."""

    noun = "experiment"

    def why_not(self, entry: Entry) -> Blocked | None:
        return why_no_step_back(entry)

    def undo_words(self, entry: Entry) -> str:
        step = BY_VERB.get(entry.verb)
        return step.verb.undo if step is not None else "put back the old values"

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
        step = BY_VERB.get(entry.verb)
        if step is not None and step.name in MAKING:
            return await _look_for_new(entry, client, not_there)
        if not entry.record:
            return LookedUp(entry, "not known")
        here = Numbered(entry.record)
        try:
            record = await client.experiments.get(entry.record)
        except NotFound:
            return LookedUp(entry, _gone(entry, not_there), here)
        if step is not None and step.name == "cohort":
            return LookedUp(entry, "applied" if record.exposure_cohort else not_there, here)
        return LookedUp(entry, _truth(entry, record, not_there), here)


async def _dependents(client: Client, fresh: Experiment) -> tuple[str, ...]:
    """Keys of flags that are on and ask for the flag of this experiment."""
    if fresh.feature_flag is None:
        return ()
    found = await client.flags.dependents(fresh.feature_flag.id)
    return tuple(row.key for row in await rows_of(client.flags, [one.id for one in found]) if row.active)


async def _look_for_new(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    project = as_id(entry.after.get("project"))
    experiments = (client if project is None else client.for_project(project)).experiments
    key, name = entry.after.get("feature_flag_key"), as_text(entry.after.get("name"))
    original_id = entry.before.get("id") if project is None else None
    id = await find_made(experiments, key, name, entry.key, original_id)
    return LookedUp(entry, not_there) if id is None else LookedUp(entry, "applied", Numbered(id))


def _gone(entry: Entry, not_there: Truth) -> Truth:
    """Deleted ones cannot be read."""
    if entry.after.get("deleted") is False:
        return not_there
    return "applied" if entry.after.get("deleted") is True else "not known"


def _truth(entry: Entry, record: Experiment, not_there: Truth) -> Truth:
    names = [name for name in entry.after if name in _DERIVED or name == "filters" or name in record.raw]
    if not names:
        return "not known"
    if all(_is_now(entry, record, name, entry.after[name]) for name in names):
        return "applied"
    known = [name for name in names if name in entry.before]
    if known and all(_is_now(entry, record, name, entry.before[name]) for name in known):
        return not_there
    # Servers fill in what was left out of a setting or a metric.
    if all(_is_now(entry, record, name, entry.after[name], _holds) for name in names):
        return "applied"
    # Experiments have no versions: what is neither as before nor as wanted was changed since.
    return "changed since"


def _is_now(entry: Entry, record: Experiment, name: str, value: JSON, alike: Alike = same) -> bool:
    match name:
        case "status":
            return same(record.state, value)
        case "archived":
            return same(record.archived, value)
        case "deleted":
            return same(record.deleted, value)
        case "feature_flag.active":
            return record.feature_flag is not None and same(record.feature_flag.active, value)
        case "filters":
            filters = record.feature_flag.filters if record.feature_flag is not None else {}
            sides = {"filters": value}
            kept = with_payloads(sides, filters) if entry.is_secret else sides
            return means_same(filters, as_dict(kept["filters"]), ("filters",))
    stored = stored_field(record, name)
    return means_same(stored, value, (name,)) or alike(stored, value)


def _holds(stored: JSON, wanted: JSON) -> bool:
    """Whether all that was wanted is there, whatever is there besides."""
    if isinstance(wanted, dict):
        return isinstance(stored, dict) and all(_holds(stored.get(key), part) for key, part in wanted.items())
    if isinstance(wanted, list):
        kept = stored if isinstance(stored, list) else []
        return len(kept) == len(wanted) and all(map(_holds, kept, wanted))
    return same(stored, wanted) or not (stored or wanted)
