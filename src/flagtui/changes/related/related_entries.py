"""Copies, schedules, cohorts and dashboards in the journal: found out, and taken back where that goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.project_copies import as_creation, project_of
from flagtui.changes.related.related_recovery import look
from flagtui.changes.related.related_save import RelatedAdapter
from flagtui.changes.related.schedule_undo import inverse_of, plan_unscheduling, why_not_dropped
from flagtui.changes.related.schedules import send_later
from flagtui.changes.verbs import verb
from flagtui.models.json_value import as_text

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.unanswered import LookedUp, Truth


class RelatedEntries(EntryKind):
    """What they share: the flag they were made from stays as it is."""

    def creation(self, _entry: Entry) -> Entry | None:
        return None

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        return await look(entry, client, not_there)


class CopyEntries(RelatedEntries):
    """A copy of a flag in another project, which is a flag of its own there."""

    noun = "copied flag"

    def why_not(self, entry: Entry) -> Blocked | None:
        if entry.record and project_of(entry):
            return None
        return Blocked("number", "its number was not learned", "find it there and delete it")

    def undo_words(self, _entry: Entry) -> str:
        return "delete the copy of it"

    def creation(self, entry: Entry) -> Entry | None:
        return as_creation(entry)

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        project = project_of(part)
        if project is None:
            return self.why_not(part)
        place = as_text(part.after.get("project_name")) or f"project #{project}"
        client, made = context.client.for_project(project), as_creation(part)
        there = replace(context, client=client, signature=made.signature, rows=None)
        found = await FlagEntries().prepare_undo(made, there)
        return replace(found, place=place, project=project) if isinstance(found, PreparedUndo) else found


class ScheduleEntries(RelatedEntries):
    """A change that was scheduled, or a scheduled one that was dropped."""

    def why_not(self, entry: Entry) -> Blocked | None:
        return why_not_dropped(entry)

    def undo_words(self, entry: Entry) -> str:
        return "drop the scheduled change of it" if entry.after else "schedule the change of it again"

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        client, now = context.client, context.clock.time()
        try:
            fresh = await client.flags.get(part.record)
        except NotFound:
            return Blocked("gone", "its flag is not there any more")
        plan = await plan_unscheduling(part, fresh, client.schedule, now)
        if not isinstance(plan, RelatedPlan):
            return plan
        plan = replace(plan, read_at=context.clock.time())
        request = send_later(inverse_of(part), plan.id, client.schedule)
        return PreparedUndo(part, plan, RelatedAdapter(client, request), context.signature)


@dataclass(frozen=True)
class LastingEntries(RelatedEntries):
    """What stays once it was made."""

    reason: str
    next: str

    def why_not(self, _entry: Entry) -> Blocked | None:
        return Blocked("kind", self.reason, self.next)

    def undo_words(self, entry: Entry) -> str:
        return verb(entry.verb).undo

    async def prepare_undo(self, part: Entry, _context: UndoContext) -> PreparedUndo | Blocked | None:
        return self.why_not(part)
