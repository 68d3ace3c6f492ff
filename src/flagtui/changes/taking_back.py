"""Which journalled changes can be taken back, whatever kind of record they changed."""

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Final

from flagtui.changes import undo
from flagtui.changes.blocking import Blocked
from flagtui.changes.copying import KIND as COPY
from flagtui.changes.copying import as_creation, project_of
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.event_definitions.intent import KIND as EVENT
from flagtui.changes.experiments.ledger import MAKING
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.experiments.undo import why_no_step_back
from flagtui.changes.scheduling import KIND as SCHEDULED
from flagtui.changes.unscheduling import why_not_dropped

_MADE: Final = {
    "cohort": ("no server takes a cohort away for a key", "delete the cohort in the browser"),
    "dashboard": ("no server takes a dashboard away for a key", "delete the dashboard in the browser"),
    "enrich": ("nobody can tell what was added to the dashboard", "remove it in the browser"),
}
"""By kind: why it stays, and what to do instead."""


def undoable(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    """The saved changes of this project that nobody took back, newest first; any of them can be undone."""
    known = list(entries)
    taken_back = undo.taken_back(known)
    return [entry for entry in known if why_not(entry, here) is None and entry.id not in taken_back]


def as_left(entry: Entry, entries: Iterable[Entry]) -> Entry:
    """What this person made, as this person left it: their own later changes are nobody else's."""
    step = BY_VERB.get(entry.verb)
    if entry.kind == COPY:
        made = as_creation(entry)
    elif entry.verb == "create" or (step is not None and step.name in MAKING):
        made = entry
    else:
        return entry
    place = (made.kind, made.record, made.signature.host, made.signature.project)
    after, version = dict(entry.after), entry.saved_version
    for later in sorted(entries, key=attrgetter("at")):
        there = (later.kind, later.record, later.signature.host, later.signature.project)
        if there == place and later.ending == "saved" and later.at >= entry.at and later.id != entry.id:
            after |= later.after
            version = later.saved_version or version
    return replace(entry, after=after, saved_version=version)


def why_not(entry: Entry, here: Signature) -> Blocked | None:
    """Why this entry cannot be undone at all, whatever the record is like today."""
    if entry.kind == "flag":
        return undo.why_not(entry, here)
    if refusal := undo.why_never(entry, here):
        return refusal
    if entry.kind == "experiment":
        return why_no_step_back(entry)
    if entry.kind == EVENT:
        return None
    if entry.kind == SCHEDULED:
        return why_not_dropped(entry)
    if entry.kind == COPY:
        if entry.record and project_of(entry):
            return None
        return Blocked("number", "nobody learned its number", "find it there and delete it")
    reason, following = _MADE.get(entry.kind, ("this program does not know what it was", ""))
    return Blocked("kind", reason, following)
