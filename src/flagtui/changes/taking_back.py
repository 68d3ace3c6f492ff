"""Which journalled changes can be taken back, whatever kind of record they changed."""

from collections.abc import Iterable

from flagtui.changes import undo
from flagtui.changes.blocking import Blocked
from flagtui.changes.entries import Entry, Signature
from flagtui.changes.event_definitions.intent import KIND as EVENT
from flagtui.changes.experiments.undo import why_no_step_back


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
    return Blocked("kind", f"a change of this {entry.kind.replace('_', ' ')} is not undone here")
