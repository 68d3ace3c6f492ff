"""Fields of an experiment that others changed after a change of this user, from the log of the server."""

from collections.abc import Set
from contextlib import suppress

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.difference import FieldConflict
from flagtui.changes.entry_kind import UndoContext
from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.journal_entries import Entry
from flagtui.changes.own_changes import MOST_READ, mark_own_conflicts
from flagtui.models.account import User


async def find_conflicts(
    plan: ExperimentPlan, entry: Entry, client: Client, context: UndoContext
) -> tuple[FieldConflict, ...]:
    """Return the conflicts of undoing the entry, with those over fields that others changed and put back."""
    contested = await _find_contested(plan, entry, client, context.me)
    return mark_own_conflicts((*plan.conflicts, *contested), entry, context.entries)


async def _find_contested(
    plan: ExperimentPlan, entry: Entry, client: Client, me: User | None
) -> tuple[FieldConflict, ...]:
    names = plan.choices.fields.keys() - {conflict.path[0] for conflict in plan.conflicts}
    # A change of the log, by any user, is in no journal: there is nothing by which to find it.
    if not names or me is None or not me.email or not entry.id:
        return ()
    contested = await _changed_by_others(entry, names & entry.after.keys(), client, me.email)
    return tuple(
        FieldConflict((name,), entry.after[name], plan.choices.fields[name], stored_field(plan.fresh, name))
        for name in contested
    )


async def _changed_by_others(entry: Entry, names: Set[str], client: Client, me: str) -> list[str]:
    """Return the fields among `names` that others changed later; `me` is the e-mail of this user.

    Experiments have no versions: in the log, the newest change of these fields by this user is the entry.
    """
    fields = set[str]()
    # Only the newest servers log changes of experiments; elsewhere the values alone show what others changed.
    with suppress(ApiError):
        page = await client.experiments.activity(entry.record, limit=MOST_READ)
        for logged in page.entries:
            changed = {change.field for change in logged.changes} & names
            if changed and logged.user is not None and logged.user.email == me:
                return sorted(fields)
            fields |= changed
    return []
