"""Fields of an experiment that others changed after a change of this user, from the log of the server."""

from collections.abc import Mapping, Set
from contextlib import suppress

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.difference import Author, FieldConflict
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.journal_entries import Entry
from flagtui.changes.own_changes import MOST_READ, author_of, mark_own_conflicts
from flagtui.models.account import User


async def find_conflicts(
    plan: ExperimentPlan, entry: Entry, client: Client, context: UndoContext
) -> tuple[FieldConflict, ...]:
    """Return the conflicts of undoing the entry, with those over fields that others changed and put back."""
    names = plan.choices.fields.keys() & entry.after.keys()
    # A change of the log, by any user, is in no journal: there is nothing by which to find it.
    log = await _read_authors(entry, names, client, context.me) if names and entry.id else None
    if log is None:
        return mark_own_conflicts(plan.conflicts, entry, context.entries)
    conflicts = [replace(each, by=log.get(str(each.path[0]), "")) for each in plan.conflicts]
    for name in sorted(log.keys() - {conflict.path[0] for conflict in conflicts}):
        if log[name] != "you":
            sides = entry.after[name], plan.choices.fields[name], stored_field(plan.fresh, name)
            conflicts.append(FieldConflict((name,), *sides, by=log[name]))
    return mark_own_conflicts(conflicts, entry, context.entries)


async def _read_authors(
    entry: Entry, names: Set[str], client: Client, me: User | None
) -> Mapping[str, Author] | None:
    """Return the authors of the newest changes of the fields `names`, down to one by this user.

    Experiments have no versions: in the log, the newest change of these fields by this user is the entry.
    None without it.
    """
    authors: dict[str, Author] = {}
    # Only the newest servers log changes of experiments; elsewhere the values alone show what others changed.
    with suppress(ApiError):
        page = await client.experiments.activity(entry.record, limit=MOST_READ)
        for logged in page.entries:
            author = author_of(logged.user, me)
            changed = {change.field for change in logged.changes} & names
            authors = {**dict.fromkeys(changed, author), **authors}
            if changed and author == "you":
                return authors
    return None
