"""Undo steps of experiments in the journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.changes.difference import FieldConflict, same
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict, UndoContext
from flagtui.changes.experiments.contested_fields import find_conflicts
from flagtui.changes.experiments.experiment_fields import METRICS, stored_field
from flagtui.changes.experiments.logged_steps import logged_step
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import UNDO_OF_ENDING, ExperimentPlan, plan_step
from flagtui.changes.experiments.step_recovery import recover_step
from flagtui.changes.experiments.step_refusals import NO_OP
from flagtui.changes.experiments.step_save import CONCLUDED, MAKING, RESET, StepAdapter
from flagtui.changes.experiments.steps import BY_VERB, STEPS, Choices, ExperimentIntent, Step
from flagtui.changes.flags.unlisted_flags import rows_in_lists
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.shared.shared_plan import is_stored
from flagtui.changes.skipped import Blocked
from flagtui.local_time import as_moment
from flagtui.models.activity import Activity
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_id, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS

_DELETED: Final = "deleted"
_DATES: Final = ("start_date", "end_date")


class StepEntries(EntryKind):
    """Rules of recovery and undo for experiments."""

    noun = "experiment"
    is_approved_whole = StepAdapter.is_approved_whole

    def why_not(self, entry: Entry) -> Blocked | None:
        if BY_VERB.get(entry.verb) is STEPS["cohort"]:
            reason, next = "no server deletes a cohort for an API key", "delete the cohort in the browser"
            return Blocked("cannot be undone", reason, next)
        if not entry.record:
            reason = "the id of the new experiment is not known"
            return Blocked("number", reason, "find it in the list and delete it")
        if self.parts(entry):
            return None
        return Blocked("cannot be undone", f"the previous value was not recorded: {entry.verb}")

    def from_log(self, entry: Activity) -> Entry | Blocked:
        return logged_step(entry)

    def undo_words(self, entry: Entry) -> str:
        step = BY_VERB.get(entry.verb, STEPS["edit"])
        if step.name == "reopen":
            return _undo_of_reopening(entry)
        return UNDO_OF_ENDING if _has_ended_too(entry, step) else step.verb.undo

    def creation(self, entry: Entry) -> Entry | None:
        step = BY_VERB.get(entry.verb)
        return _in_its_project(entry) if step is not None and step.name in MAKING else None

    def parts(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the step and its change of the flag, ordered so that the flag is never on uncounted."""
        step, flag = BY_VERB.get(entry.verb), _flag_part(entry)
        own = () if step is None or _intent(entry, step) is None else (entry,)
        if flag is None:
            return own
        return (*own, flag) if step is STEPS["archive"] else (flag, *own)

    async def is_reverted(self, part: Entry, client: Client) -> bool:
        intent, fresh = step_back(part), await client.experiments.get(part.record)
        return intent is not None and plan_step_back(part, intent, fresh, StepContext()) is None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        intent, project = step_back(part), as_id(part.after.get("project"))
        if intent is None:
            return Blocked("cannot be undone", f"no step undoes: {part.verb}")
        place = "" if project is None else f"project #{project}"
        client = context.client if project is None else context.client.for_project(project)
        if intent.step.name == "restore":
            # Deleted ones cannot be read, only restored by their number.
            fresh = Experiment.of({"id": intent.id, "name": part.key, "deleted": True})
        else:
            fresh = await client.experiments.get(intent.id)
        dependents = await _dependents(client, fresh) if intent.step.name == "pause" else ()
        step_context = StepContext(now=context.clock.time(), dependents=dependents)
        plan = plan_step_back(part, intent, fresh, step_context)
        if not isinstance(plan, ExperimentPlan):
            return plan
        # A copy can have the name of its original, which stays as it is.
        verb = replace(plan.verb, done=f"{plan.verb.done} in {place}") if place else plan.verb
        made = _in_its_project(part)
        plan = replace(plan, verb=verb, conflicts=await find_conflicts(plan, made, client, context))
        signature = None if project is None else made.signature
        adapter = StepAdapter(client.experiments)
        return Planned(adapter, [plan], place=place, project=project, signature=signature)

    async def look(self, entry: Entry, client: Client, if_absent: RecoveryVerdict) -> Recovery:
        return await recover_step(entry, client, if_absent)


def _in_its_project(entry: Entry) -> Entry:
    """Return the entry as one of the project of its record: a copy is in another one."""
    project = as_id(entry.after.get("project"))
    return (
        entry if project is None else replace(entry, signature=replace(entry.signature, project=str(project)))
    )


def _undo_of_reopening(entry: Entry) -> str:
    """Return what restoring the previous dates means."""
    if "start_date" in entry.before and not entry.before["start_date"]:
        return "make it a draft again"
    return "end it again" if entry.before.get("end_date") else "put back the old values"


def _flag_part(entry: Entry) -> Entry | None:
    """Return the same as a change of the flag."""
    id, key = as_id(entry.before.get("feature_flag.id")), as_text(entry.before.get("feature_flag.key"))
    step = BY_VERB.get(entry.verb)
    names = {"launch": "active", "reopen": "active", "archive": "active", "ship": "filters"}
    name = names.get(step.name, "") if step is not None else ""
    written = name if name == "filters" else f"feature_flag.{name}"
    if id is None or written not in entry.before or written not in entry.after:
        return None
    if same(entry.before[written], entry.after[written]):
        return None
    before, after = {name: entry.before[written]}, {name: entry.after[written]}
    return replace(entry, kind="flag", record=id, key=key, before=before, after=after, version=None)


def step_back(entry: Entry) -> ExperimentIntent | None:
    """Return the step that undoes this one; None when none does."""
    step = BY_VERB.get(entry.verb)
    return _intent(entry, step) if step is not None and entry.record else None


def _intent(entry: Entry, step: Step) -> ExperimentIntent | None:
    if step.back is None:
        return None
    if step.name != "edit" and step.back != "reopen":
        return ExperimentIntent(entry.record, STEPS[step.back])
    fields = dict(_old_values(entry, step))
    return ExperimentIntent(entry.record, STEPS[step.back], Choices(fields=fields)) if fields else None


def _has_ended_too(entry: Entry, step: Step) -> bool:
    """Return whether shipping ended a running experiment, which then has another state."""
    return step.name == "ship" and "status" in entry.after


def _old_values(entry: Entry, step: Step) -> Iterator[tuple[str, JSON]]:
    """Yield the old values to write again, by field."""
    if step.name == "end" or _has_ended_too(entry, step):
        yield "end_date", None
    names: Iterable[str] = CONCLUDED
    if step.name == "edit":
        names = [name for name in entry.after if name in EXPERIMENT_FIELDS.edited]
    elif step.name in ("reset", "reopen"):
        names = [name for name in entry.after if name in RESET or name in EXPERIMENT_FIELDS.edited]
    for name in names:
        if name in entry.before and name in entry.after:
            yield name, None if entry.before[name] == "none" and name in CONCLUDED else entry.before[name]


def plan_step_back(
    entry: Entry, intent: ExperimentIntent, fresh: Experiment, context: StepContext
) -> ExperimentPlan | Blocked | None:
    """Plan the undo of a step on the current experiment; None when nothing would change."""
    if intent.step.name in ("edit", "reopen"):
        return _plan_old_values(entry, intent, fresh, context)
    plan = plan_step(intent, fresh, context)
    if isinstance(plan, Blocked):
        return None if plan.code == NO_OP else plan
    if intent.step.name == "delete":
        return replace(plan, conflicts=tuple(_changed_since(entry, fresh)))
    if intent.step.name == "reset":
        return replace(plan, conflicts=tuple(_since_launch(entry, fresh)))
    return plan


def _plan_old_values(
    entry: Entry, intent: ExperimentIntent, fresh: Experiment, context: StepContext
) -> ExperimentPlan | Blocked | None:
    """Plan to write the old values again, except those that the experiment has; None without any."""
    values = intent.choices.fields
    if intent.step.name == "reopen":
        if not values.get("start_date") and fresh.state == "draft":
            return Blocked("state", "it was reset to a draft since", "undo that first, or launch it")
        if fresh.is_mostly_fixed:
            values = {name: value for name, value in values.items() if name == "end_date"}
    now = {name: stored_field(fresh, name) for name in values}
    fields = {name: value for name, value in values.items() if not _alike(name, value, now[name])}
    if not fields:
        return None
    plan = plan_step(replace(intent, choices=Choices(fields=fields, is_restored=True)), fresh, context)
    if isinstance(plan, Blocked):
        return plan
    conflicts = tuple(
        FieldConflict((name,), entry.after[name], mine, now[name])
        for name, mine in fields.items()
        if name in entry.after and not _alike(name, entry.after[name], now[name])
    )
    return replace(plan, conflicts=conflicts)


def _changed_since(entry: Entry, fresh: Experiment) -> Iterator[FieldConflict]:
    """Yield the later changes of a created experiment, which deleting it would lose."""
    step = BY_VERB.get(entry.verb)
    if step is None or step.name not in MAKING:
        return
    left = entry.after.get("status", "draft")
    if fresh.state != left:
        yield FieldConflict(("status",), left, _DELETED, fresh.state)
    for name in ("name", "description", "metrics", "metrics_secondary"):
        made, now = entry.after.get(name), stored_field(fresh, name)
        # Servers give metrics numbers and fill in what they lack.
        sizes = [len(side) for side in (made, now) if isinstance(side, list)]
        is_alike = sizes[0] == sizes[1] if len(sizes) == 2 else _alike(name, made, now)
        if name in entry.after and not is_alike:
            yield FieldConflict((name,), made, _DELETED, now)


def _since_launch(entry: Entry, fresh: Experiment) -> Iterator[FieldConflict]:
    """Yield what was set after the launch, which a reset would erase; the journal has no start."""
    for name in (*_DATES, *CONCLUDED):
        made, now = entry.after.get(name), stored_field(fresh, name)
        if (name in entry.after or name != "start_date") and not _alike(name, made, now):
            yield FieldConflict((name,), made, None, now)


def _alike(name: str, value: JSON, other: JSON) -> bool:
    """Compare two values of a field: servers send empty values and times in several forms."""
    if name in _DATES and value and other:
        return as_moment(value) == as_moment(other)
    if name in METRICS and isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(is_stored, value, other))
    return same(value, other) or not (value or other)


async def _dependents(client: Client, fresh: Experiment) -> tuple[str, ...]:
    """Return the keys of enabled flags that depend on the flag of this experiment."""
    if fresh.feature_flag is None:
        return ()
    ids = [flag.id for flag in await client.flags.dependents(fresh.feature_flag.id)]
    return tuple(row.key for row in await rows_in_lists(client.flags, client.flags.get, ids) if row.active)
