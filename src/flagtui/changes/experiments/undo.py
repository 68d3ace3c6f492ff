"""Which step takes back the last one of this person, as the journal tells."""

from collections.abc import Iterable

from flagtui.changes.entries import Entry, Signature
from flagtui.changes.experiments.steps import BY_VERB, STEPS, ExperimentIntent


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
    if step is None or step.back is None or not isinstance(entry.record, int):
        return None
    return ExperimentIntent(entry.record, STEPS[step.back])
