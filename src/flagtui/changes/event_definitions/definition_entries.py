"""Changes of event definitions in the journal: found out, and taken back as far as servers let."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.difference import same
from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.event_definitions.definition_intent import EventIntent, event_verb
from flagtui.changes.event_definitions.definition_plan import (
    MADE_AGAIN,
    DefinitionContext,
    EventPlan,
    plan_event,
    plan_recreation,
    stored,
)
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.journal import Numbered
from flagtui.changes.own_changes import told_apart
from flagtui.changes.unanswered import LookedUp, Truth
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.journal_entries import Entry


class DefinitionEntries(EntryKind):
    """A deleted definition is made again; one that was made again is deleted."""

    noun = "event definition"

    def undo_words(self, entry: Entry) -> str:
        return event_verb(entry.verb).undo

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | None:
        definitions, known = context.client.event_definitions, DefinitionContext(context.clock.time())
        if is_deletion(part):
            found = plan_recreation(part.key, part.before, known)
        else:
            planned = plan_undo(part, await _read(part, context.client), known)
            if planned is None:
                return None
            found = planned
        plan = replace(found, clashes=told_apart(found.clashes, part, context.entries))
        return PreparedUndo(part, plan, DefinitionAdapter(definitions), context.signature)

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        try:
            record = await _read(entry, client)
        except NotFound:
            return LookedUp(entry, "applied" if is_deletion(entry) else not_there, Numbered(entry.uuid))
        if is_deletion(entry):
            return LookedUp(entry, not_there, Numbered(record.id))
        if _is_now(record, entry.after):
            return LookedUp(entry, "applied", Numbered(record.id))
        # Definitions have no versions: what is neither as before nor as wanted was changed since.
        is_as_before = _is_recreation(entry) or _is_now(record, entry.before)
        return LookedUp(entry, not_there if is_as_before else "changed since", Numbered(record.id))


def is_deletion(entry: Entry) -> bool:
    """Whether it took the definition away, so that undoing means making it again."""
    return entry.after.get("deleted") is True


def plan_undo(entry: Entry, fresh: EventDefinition, context: DefinitionContext) -> EventPlan | None:
    """Plans the old values on the current definition; a field changed since is a clash."""
    if _is_recreation(entry):
        return plan_event(EventIntent(fresh.id, {"deleted": True}, "delete"), fresh, context)
    names = [name for name in entry.after if name in MADE_AGAIN and name in entry.before]
    before = {name: entry.before[name] for name in names}
    seen = {name: entry.after[name] for name in names}
    # Both at once are refused only when both are true, and the one that was true brings the other along.
    return plan_event(EventIntent(fresh.id, before, "edit", seen), fresh, context)


def _is_recreation(entry: Entry) -> bool:
    """Whether it made the definition, so that undoing means deleting it."""
    return entry.verb == "recreate"


async def _read(entry: Entry, client: Client) -> EventDefinition:
    definitions = client.event_definitions
    return await (definitions.by_name(entry.key) if _is_recreation(entry) else definitions.get(entry.uuid))


def _is_now(record: EventDefinition, values: Mapping[str, JSON]) -> bool:
    known = {name: value for name, value in values.items() if name in MADE_AGAIN}
    return all(same(stored(record, name), value) for name, value in known.items())
