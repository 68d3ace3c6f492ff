"""What the server tells of a copy, a schedule or a dashboard without an ending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.flags.flag_lookup import find
from flagtui.changes.journal_entries import Entry
from flagtui.changes.related.project_copies import KIND as COPY
from flagtui.changes.related.project_copies import kept_of, project_of
from flagtui.changes.related.schedule_undo import inverse_of
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.changes.unanswered import WATCH_FOR, LookedUp, Truth

if TYPE_CHECKING:
    from flagtui.api import Client


async def look(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """One open entry; which cohort it made, or what on a dashboard, cannot be told. Raises ApiError."""
    if entry.kind == COPY:
        return await _look_for_copy(entry, client, not_there)
    if entry.kind == SCHEDULED:
        return await _look_for_schedule(entry, client, not_there)
    if entry.kind == "dashboard":
        has_one = (await client.flags.get(entry.record)).usage_dashboard is not None
        return LookedUp(entry, "applied" if has_one else not_there)
    return LookedUp(entry, "not known")


async def _look_for_copy(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    """Its key was free there before it was asked for."""
    project = project_of(entry)
    if project is None:
        return LookedUp(entry, "not known")
    made = await find(entry.key, client.for_project(project).flags)
    if made is None:
        return LookedUp(entry, not_there)
    return LookedUp(entry, "applied", made, kept_of(made))


async def _look_for_schedule(entry: Entry, client: Client, not_there: Truth) -> LookedUp:
    later = inverse_of(entry)
    if not entry.after:
        dropped = entry.before.get("scheduled")
        if not isinstance(dropped, int):
            return LookedUp(entry, "not known")
        try:
            await client.schedule.get(dropped)
        except NotFound:
            return LookedUp(entry, "applied")
        return LookedUp(entry, not_there)
    for one in await client.schedule.all({"model_name": "FeatureFlag", "record_id": entry.record}):
        is_then = one.scheduled_at is not None and one.scheduled_at.timestamp() == later.at.timestamp()
        is_late = one.created_at is None or one.created_at.timestamp() >= entry.at - WATCH_FOR
        if is_then and is_late and one.payload == dict(later.payload):
            return LookedUp(entry, "applied", learned={"scheduled": one.id})
    return LookedUp(entry, not_there)
