"""Taking back journalled changes of event definitions; a deleted one is made again as far as servers let."""

from collections.abc import Iterable

from flagtui.changes.event_definitions.definition_intent import KIND, EventIntent
from flagtui.changes.event_definitions.definition_plan import (
    MADE_AGAIN,
    AlreadySo,
    DefinitionContext,
    EventPlan,
    plan_event,
)
from flagtui.changes.journal_entries import Entry, Signature, taken_back
from flagtui.models.event_definition import EventDefinition


def last_batch(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    """What one `u` takes back: the newest change of events here, with all confirmed together with it."""
    known = [entry for entry in entries if entry.kind == KIND and _is_here(entry, here)]
    gone = taken_back(known)
    found = [entry for entry in known if entry.ending == "saved" and entry.id not in gone]
    if not found:
        return []
    batch = found[0].batch
    return [entry for entry in found if entry.batch == batch] if batch else found[:1]


def open_entries(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    """Journal entries of events in this project without a known outcome."""
    return [entry for entry in entries if entry.kind == KIND and entry.is_open and _is_here(entry, here)]


def is_deletion(entry: Entry) -> bool:
    """Whether it took the definition away, so that undoing means making it again."""
    return entry.after.get("deleted") is True


def is_recreation(entry: Entry) -> bool:
    """Whether it made the definition, so that undoing means deleting it."""
    return entry.verb == "recreate"


def plan_undo(entry: Entry, fresh: EventDefinition, context: DefinitionContext) -> EventPlan | AlreadySo:
    """Plans the old values on the current definition; a field changed since is a clash."""
    if is_recreation(entry):
        return plan_event(EventIntent(fresh.id, {"deleted": True}, "delete"), fresh, context)
    names = [name for name in entry.after if name in MADE_AGAIN and name in entry.before]
    before = {name: entry.before[name] for name in names}
    seen = {name: entry.after[name] for name in names}
    # Both at once are refused only when both are true, and the one that was true brings the other along.
    return plan_event(EventIntent(fresh.id, before, "edit", seen), fresh, context)


def _is_here(entry: Entry, here: Signature) -> bool:
    return (entry.signature.host, entry.signature.project) == (here.host, here.project)
