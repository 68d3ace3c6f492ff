"""Which journalled changes can be taken back, whatever kind of record they changed."""

from collections.abc import Iterable
from typing import Final

from flagtui.changes import undo
from flagtui.changes.blocking import Blocked
from flagtui.changes.copying import KIND as COPY
from flagtui.changes.copying import project_of
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.event_definitions.intent import KIND as EVENT
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
