"""Which step takes back one of this person, as the journal tells, and what it meets today."""

from collections.abc import Iterable
from dataclasses import replace

from flagtui.changes.blocking import Blocked
from flagtui.changes.difference import Clash, same
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.experiments.drafting import EDITABLE
from flagtui.changes.experiments.fields import stored_field
from flagtui.changes.experiments.following import Around
from flagtui.changes.experiments.plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.steps import BY_VERB, STEPS, Choices, ExperimentIntent
from flagtui.models.experiment import Experiment


def last_step(entries: Iterable[Entry], here: Signature) -> Entry | None:
    """The newest saved step of this project that nobody took back; `entries` come newest first."""
    known = list(entries)
    place = (here.host, here.project)
    taken_back = {entry.undoes for entry in known if entry.undoes and entry.ending == "saved"}
    found = (
        entry
        for entry in known
        if entry.kind == "experiment"
        and entry.ending == "saved"
        and entry.id not in taken_back
        and (entry.signature.host, entry.signature.project) == place
    )
    return next(found, None)


def step_back(entry: Entry) -> ExperimentIntent | None:
    """The step that takes this one back; None when none does."""
    step = BY_VERB.get(entry.verb)
    if step is None or step.back is None or not entry.record:
        return None
    if step.name != "edit":
        return ExperimentIntent(entry.record, STEPS[step.back])
    fields = {name: entry.before[name] for name in entry.after if name in EDITABLE and name in entry.before}
    return ExperimentIntent(entry.record, step, Choices(fields=fields)) if fields else None


def why_no_step_back(entry: Entry) -> Blocked | None:
    """Why a saved step stays."""
    if step_back(entry) is not None:
        return None
    if not entry.record:
        return Blocked(
            "number", "nobody learned the number of the new experiment", "find it in the list and delete it"
        )
    return Blocked("no way back", f"no step takes back: {entry.verb}")


def plan_step_back(
    entry: Entry, intent: ExperimentIntent, fresh: Experiment, around: Around
) -> ExperimentPlan | Blocked | None:
    """The way back from one step, held against the experiment as it is now; None when it is so already."""
    if intent.step.name != "edit":
        return plan_step(intent, fresh, around)
    now = {name: stored_field(fresh, name) for name in intent.choices.fields}
    fields = {name: value for name, value in intent.choices.fields.items() if not same(value, now[name])}
    if not fields:
        return None
    plan = plan_step(replace(intent, choices=Choices(fields=fields)), fresh, around)
    if isinstance(plan, Blocked):
        return plan
    clashes = tuple(
        Clash((name,), entry.after[name], mine, now[name])
        for name, mine in fields.items()
        if not same(entry.after[name], now[name])
    )
    return replace(plan, clashes=clashes)
