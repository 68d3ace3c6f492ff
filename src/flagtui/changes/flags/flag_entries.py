"""Changes of flags in the journal: found out, and taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flagtui.changes.entry_kind import EntryKind, PreparedUndo
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_lookup import rows_of
from flagtui.changes.flags.flag_plan import Plan, stored_value
from flagtui.changes.flags.flag_recovery import look
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flag_undo import Contested, plan_undo, undo_intent, why_not
from flagtui.changes.flags.flags_together import Found, late_plan, look_around
from flagtui.changes.flags.surroundings import Surroundings
from flagtui.changes.own_changes import told_apart
from flagtui.changes.verbs import verb

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.changes.entry_kind import UndoContext
    from flagtui.changes.flags.flag_context import Context
    from flagtui.changes.journal_entries import Entry
    from flagtui.changes.unanswered import LookedUp, Truth
    from flagtui.models.flag import Flag


class FlagEntries(EntryKind):
    """What is peculiar to them."""

    noun = "flag"

    def why_not(self, entry: Entry) -> Blocked | None:
        return why_not(entry)

    def undo_words(self, entry: Entry) -> str:
        return verb(entry.verb).undo

    def creation(self, entry: Entry) -> Entry | None:
        return entry if entry.verb == "create" else None

    async def is_back(self, part: Entry, client: Client) -> bool:
        flag = await client.flags.get(part.record)
        return all(means_same(stored_value(flag, name), old, (name,)) for name, old in part.before.items())

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PreparedUndo | Blocked | None:
        client = context.client
        fresh = await client.flags.get(part.record)
        intent, rows = undo_intent(part, fresh), context.rows
        if rows is None:
            rows = await rows_of(client.flags, fresh.targeting.depends_on)
        surroundings = Surroundings(
            rows,
            context.me,
            context.clock.time(),
            intent.seen_version,
            is_one_of_many=len(context.together) > 1 and context.rows is not None,
            names=context.names,
        )

        def plan(fresh: Flag, around: Context) -> Found:
            found = plan_undo(part, fresh, around)
            if isinstance(found, Contested):
                return replace(found.overwrite, clashes=told_apart(found.clashes, part, context.entries))
            return found

        looked = await look_around(
            client.flags, fresh, intent.changes, surroundings, plan, adds_later=context.adds_later
        )
        found = looked.plan(context.together)
        if isinstance(found, Plan):
            late = late_plan(found, looked, context.together)
            return PreparedUndo(part, found, FlagAdapter(client.flags), context.signature, late=late)
        looked.stop()
        return found if isinstance(found, Blocked) else None

    async def look(self, entry: Entry, client: Client, not_there: Truth) -> LookedUp:
        return await look(entry, client, not_there)
