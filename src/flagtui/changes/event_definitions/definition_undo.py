"""Taking back journalled changes of event definitions; a deleted one is made again as far as servers let."""

from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.event_definitions.definition_plan import (
    MADE_AGAIN,
    AlreadySo,
    DefinitionContext,
    EventPlan,
    plan_event,
)
from flagtui.changes.journal_entries import Entry
from flagtui.models.event_definition import EventDefinition


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
