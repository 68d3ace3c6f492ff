"""Changes of event definitions in the journal: found out, and taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.event_definitions.definition_intent import event_verb
from flagtui.changes.event_definitions.definition_plan import AlreadySo, DefinitionContext, plan_recreation
from flagtui.changes.event_definitions.definition_recovery import look
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.event_definitions.definition_undo import is_deletion, is_recreation, plan_undo
from flagtui.changes.own_changes import told_apart

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.flags.flag_refusals import Blocked
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.unanswered import LookedUp, Truth


class DefinitionEntries(EntryKind):
    """What is peculiar to them."""

    noun = "event definition"

    def why_not(self, _entry: Entry) -> Blocked | None:
        return None

    def undo_words(self, entry: Entry) -> str:
        return event_verb(entry.verb).undo

    def creation(self, entry: Entry) -> Entry | None:
        return entry if entry.verb == "create" else None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | None:
        definitions, known = context.client.event_definitions, DefinitionContext(context.clock.time())
        if is_deletion(part):
            found = plan_recreation(part.key, part.before, known)
        else:
            by_name = is_recreation(part)
            fresh = await (definitions.by_name(part.key) if by_name else definitions.get(part.uuid))
            planned = plan_undo(part, fresh, known)
            if isinstance(planned, AlreadySo):
                return None
            found = planned
        plan = replace(found, clashes=told_apart(found.clashes, part, context.entries))
        return PreparedUndo(part, plan, DefinitionAdapter(definitions), context.signature)

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        return await look(entry, client, not_there)
