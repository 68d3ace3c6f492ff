"""Which step takes back one of this person, as the journal tells, and what it meets today."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from flagtui.changes.difference import Clash, same
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.journal_values import CONCLUDED, MAKING, RESET
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import BY_VERB, STEPS, Choices, ExperimentIntent, Step
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.journal_entries import Entry
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_id, as_text
from flagtui.models.record_fields import EXPERIMENT_FIELDS

_DELETED: Final = "deleted"


def parts_of(entry: Entry) -> tuple[Entry, ...]:
    """What has to be taken back one after the other: the step, and what it did to the flag besides.

    Their order never has the flag on while the experiment does not count.
    """
    step, flag = BY_VERB.get(entry.verb), _flag_part(entry)
    own = () if step is None or _intent(entry, step) is None else (entry,)
    if flag is None:
        return own
    return (*own, flag) if step is STEPS["archive"] else (flag, *own)


def _flag_part(entry: Entry) -> Entry | None:
    """The same as a change of the flag."""
    id, key = as_id(entry.before.get("feature_flag.id")), as_text(entry.before.get("feature_flag.key"))
    step = BY_VERB.get(entry.verb)
    names = {"launch": "active", "archive": "active", "ship": "filters"}
    name = names.get(step.name, "") if step is not None else ""
    written = name if name == "filters" else f"feature_flag.{name}"
    if id is None or written not in entry.before or written not in entry.after:
        return None
    if same(entry.before[written], entry.after[written]):
        return None
    before, after = {name: entry.before[written]}, {name: entry.after[written]}
    return replace(entry, kind="flag", record=id, key=key, before=before, after=after, version=None)


def step_back(entry: Entry) -> ExperimentIntent | None:
    """The step that takes this one back; None when none does."""
    step = BY_VERB.get(entry.verb)
    return _intent(entry, step) if step is not None and entry.record else None


def _intent(entry: Entry, step: Step) -> ExperimentIntent | None:
    if step.back is None:
        return None
    if step.name != "edit" and step.back != "reopen":
        return ExperimentIntent(entry.record, STEPS[step.back])
    fields = dict(_old_values(entry, step))
    return ExperimentIntent(entry.record, STEPS[step.back], Choices(fields=fields)) if fields else None


def _old_values(entry: Entry, step: Step) -> Iterator[tuple[str, JSON]]:
    """What has to be written again, by field."""
    if step.name == "end" or (step.name == "ship" and "status" in entry.after):
        yield "end_date", None
    names: Iterable[str] = CONCLUDED
    if step.name == "edit":
        names = [name for name in entry.after if name in EXPERIMENT_FIELDS.edited]
    elif step.name in ("reset", "reopen"):
        names = [name for name in RESET if name in entry.after]
    for name in names:
        if name in entry.before and name in entry.after:
            yield name, None if entry.before[name] == "none" and name in CONCLUDED else entry.before[name]


def why_no_step_back(entry: Entry) -> Blocked | None:
    """Why a saved step stays."""
    step = BY_VERB.get(entry.verb)
    if step is STEPS["cohort"]:
        return Blocked(
            "cannot be undone", "no server takes a cohort away for a key", "delete the cohort in the browser"
        )
    if not entry.record:
        return Blocked(
            "number", "the number of the new experiment was not learned", "find it in the list and delete it"
        )
    if parts_of(entry):
        return None
    return Blocked("cannot be undone", f"what it was before was not written down: {entry.verb}")


def plan_step_back(
    entry: Entry, intent: ExperimentIntent, fresh: Experiment, context: StepContext
) -> ExperimentPlan | Blocked | None:
    """Plans the undo of one step on the experiment as it is now; None when nothing would change."""
    if intent.step.name == "delete":
        found = plan_step(intent, fresh, context)
        clashes = tuple(_changed_since(entry, fresh))
        return replace(found, clashes=clashes) if isinstance(found, ExperimentPlan) else found
    if intent.step.name not in ("edit", "reopen"):
        return plan_step(intent, fresh, context)
    wanted = intent.choices.fields
    if intent.step.name == "reopen" and not wanted.get("start_date") and fresh.state == "draft":
        return Blocked("state", "it was reset to a draft since", "take that back first, or launch it")
    if fresh.is_mostly_fixed and intent.step.name == "reopen":
        wanted = {name: value for name, value in wanted.items() if name == "end_date"}
    now = {name: stored_field(fresh, name) for name in wanted}
    fields = {name: value for name, value in wanted.items() if not _alike(value, now[name])}
    if not fields:
        return None
    plan = plan_step(replace(intent, choices=Choices(fields=fields)), fresh, context)
    if isinstance(plan, Blocked):
        return plan
    clashes = tuple(
        Clash((name,), entry.after[name], mine, now[name])
        for name, mine in fields.items()
        if name in entry.after and not _alike(entry.after[name], now[name])
    )
    return replace(plan, clashes=clashes)


def _changed_since(entry: Entry, fresh: Experiment) -> Iterator[Clash]:
    """What was changed on an experiment since it was created, which deleting it would lose."""
    step = BY_VERB.get(entry.verb)
    if step is None or step.name not in MAKING:
        return
    left = entry.after.get("status", "draft")
    if fresh.state != left:
        yield Clash(("status",), left, _DELETED, fresh.state)
    for name in ("name", "description", "metrics", "metrics_secondary"):
        made, now = entry.after.get(name), stored_field(fresh, name)
        if name in entry.after and not _is_as_made(made, now):
            yield Clash((name,), made, _DELETED, now)


def _is_as_made(made: JSON, now: JSON) -> bool:
    """Servers give metrics numbers and fill in what they lack."""
    if isinstance(made, list) and isinstance(now, list):
        return len(made) == len(now)
    return _alike(made, now)


def _alike(one: JSON, other: JSON) -> bool:
    """Servers differ in how they say that there is nothing."""
    return same(one, other) or not (one or other)
