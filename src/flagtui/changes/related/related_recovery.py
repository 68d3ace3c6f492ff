"""Copies, schedules and dashboards an earlier run left open: what became of them, found out by reading."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.flags.flag_lookup import WATCH_FOR, find
from flagtui.changes.related.project_copies import KIND as COPY
from flagtui.changes.related.project_copies import kept_of, project_of
from flagtui.changes.related.schedule_undo import inverse_of
from flagtui.changes.related.schedules import KIND as SCHEDULED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flagtui.api import Client
    from flagtui.changes.journal import Journal
    from flagtui.changes.journal_entries import Ending, Entry, Signature
    from flagtui.models.flag import Flag
    from flagtui.models.json_value import JSON

Truth = Literal["is done", "was not done", "is not known; look in the browser"]
_ENDINGS: Final[Mapping[Truth, Ending]] = {"is done": "saved", "was not done": "failed"}
_NOT_KNOWN: Final[Truth] = "is not known; look in the browser"
KINDS: Final = (COPY, SCHEDULED, "cohort", "dashboard", "enrich")


@dataclass(frozen=True, slots=True)
class FoundRelated:
    """What today's server says about something nobody saw the end of."""

    entry: Entry
    truth: Truth
    made: Flag | None = None
    learned: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        return self.truth in _ENDINGS

    @property
    def words(self) -> str:
        return f"{self.entry.key}: {self.entry.verb} {self.truth}"


async def recover_related(journal: Journal, client: Client, here: Signature) -> list[FoundRelated]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`."""
    now, place = journal.clock(), (here.host, here.project)
    entries = [
        entry
        for entry in await asyncio.to_thread(journal.unresolved)
        if entry.kind in KINDS and (entry.signature.host, entry.signature.project) == place
    ]
    found = [await _look(entry, client, now) for entry in entries]
    for one in found:
        if (ending := _ENDINGS.get(one.truth)) is not None:
            note = "found out at the next start"
            await asyncio.to_thread(journal.finish, one.entry.id, ending, one.made, note, one.learned)
    return found


async def _look(entry: Entry, client: Client, now: float) -> FoundRelated:
    not_there: Truth = "was not done" if now - entry.at > WATCH_FOR else _NOT_KNOWN
    try:
        if entry.kind == COPY:
            return await _look_for_copy(entry, client, not_there)
        if entry.kind == SCHEDULED:
            return await _look_for_schedule(entry, client, not_there)
        if entry.kind == "dashboard":
            has_one = (await client.flags.get(entry.record)).usage_dashboard is not None
            return FoundRelated(entry, "is done" if has_one else not_there)
    except ApiError:
        return FoundRelated(entry, _NOT_KNOWN)
    return FoundRelated(entry, _NOT_KNOWN)


async def _look_for_copy(entry: Entry, client: Client, not_there: Truth) -> FoundRelated:
    """Its key was free there before it was asked for."""
    project = project_of(entry)
    if project is None:
        return FoundRelated(entry, _NOT_KNOWN)
    made = await find(entry.key, client.for_project(project).flags)
    if made is None:
        return FoundRelated(entry, not_there)
    return FoundRelated(entry, "is done", made, kept_of(made))


async def _look_for_schedule(entry: Entry, client: Client, not_there: Truth) -> FoundRelated:
    later = inverse_of(entry)
    if not entry.after:
        dropped = entry.before.get("scheduled")
        if not isinstance(dropped, int):
            return FoundRelated(entry, _NOT_KNOWN)
        try:
            await client.schedule.get(dropped)
        except NotFound:
            return FoundRelated(entry, "is done")
        return FoundRelated(entry, not_there)
    for one in await client.schedule.all({"model_name": "FeatureFlag", "record_id": entry.record}):
        is_then = one.scheduled_at is not None and one.scheduled_at.timestamp() == later.at.timestamp()
        is_late = one.created_at is None or one.created_at.timestamp() >= entry.at - WATCH_FOR
        if is_then and is_late and one.payload == dict(later.payload):
            return FoundRelated(entry, "is done", learned={"scheduled": one.id})
    return FoundRelated(entry, not_there)
