"""Changes of experiments and event definitions around a moment: no feed of a project lists them.

Newer servers log each experiment; no server shows keys the log of an event definition, whose last change has
a time and an author.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from flagtui import local_time
from flagtui.api.errors import ApiError, Forbidden
from flagtui.api.operations import NOT_HERE
from flagtui.models.activity import EVENT, EXPERIMENT, Activity
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.json_value import JSON
from flagtui.models.rows import EventDefinitionRow, ExperimentRow
from flagtui.store.activity_listing import Centre

if TYPE_CHECKING:
    from flagtui.api import Client

MOST_READ: Final = 20
"""Experiments and events read one by one; each is a request."""
LAST_CHANGE: Final = "last change; what it changed is not logged"
"""For a record whose server keeps no log of it."""

ReadEvents = Callable[[], Awaitable[Iterable[EventDefinitionRow]]]


class MomentChanges(msgspec.Struct, frozen=True):
    """The changes around one moment, and what could not be read, in words."""

    centre: Centre
    entries: tuple[Activity, ...] = ()
    missing: tuple[str, ...] = ()


async def read_moment_changes(client: "Client", centre: Centre, read_events: ReadEvents) -> MomentChanges:
    """Read the changes of experiments and event definitions within the window of the moment."""
    parts = await asyncio.gather(
        _part("experiments", _experiment_changes(client, centre)),
        _part("event definitions", _event_changes(client, centre, read_events)),
    )
    entries = [
        entry for part, _ in parts for entry in part if centre.holds(local_time.unix(entry.created_at))
    ]
    return MomentChanges(centre, tuple(entries), tuple(words for _, words in parts if words))


async def _part(name: str, reading: Awaitable[tuple[list[Activity], int]]) -> tuple[list[Activity], str]:
    """Return the entries, and in words why some or all are missing."""
    try:
        entries, unread = await reading
    except ApiError as error:
        return [], f"{name} not read: {error.what.rstrip('.')}"
    return entries, f"{unread:,} more {name} changed" if unread else ""


async def _experiment_changes(client: "Client", centre: Centre) -> tuple[list[Activity], int]:
    newest = {"order": "-updated_at", "limit": 100}
    pages = await asyncio.gather(
        client.experiments.page(newest), client.experiments.page({**newest, "archived": "true"})
    )
    # Servers without the filter return the same experiments again.
    rows = {row.id: row for page in pages for row in page.rows if _is_since(row.updated_at, centre)}
    chosen = sorted(rows.values(), key=lambda row: row.updated_at or 0.0, reverse=True)[:MOST_READ]
    entries = await asyncio.gather(*(_log_of(client, row) for row in chosen))
    return [entry for log in entries for entry in log], len(rows) - len(chosen)


async def _log_of(client: "Client", row: ExperimentRow) -> Sequence[Activity]:
    try:
        page = await client.experiments.activity(row.id, limit=100)
    except (*NOT_HERE, Forbidden):
        return [last_change(EXPERIMENT, row.id, row.name, row.updated_at)]
    return page.entries


async def _event_changes(
    client: "Client", centre: Centre, read_events: ReadEvents
) -> tuple[list[Activity], int]:
    rows = [row for row in await read_events() if centre.holds(row.updated_at)]
    chosen = sorted(rows, key=lambda row: row.updated_at or 0.0, reverse=True)[:MOST_READ]
    return [*await asyncio.gather(*(_change_of(client, row) for row in chosen))], len(rows) - len(chosen)


async def _change_of(client: "Client", row: EventDefinitionRow) -> Activity:
    user: JSON = None
    at = row.updated_at
    try:
        event = await client.event_definitions.get(row.id)
    except ApiError:
        # The author stays unknown.
        return last_change(EVENT, row.id, row.name, at)
    now = event.row()
    if now.updated_at is not None:
        user, at = event.raw.get("updated_by"), now.updated_at
    return last_change(EVENT, row.id, row.name, at, user)


def last_change(scope: str, id: int | str, name: str, at: float | None, user: JSON = None) -> Activity:
    """Return an entry for the last change of a record without a log."""
    return Activity.of(
        {
            "scope": scope,
            "item_id": str(id),
            "activity": LAST_CHANGE,
            # Without a user, the author would be the system.
            "user": user or {},
            "detail": {"name": name},
            "created_at": local_time.iso(at) if at is not None else None,
        }
    )


def merge_rows(feed: Sequence[ChangeRow], entries: Iterable[Activity]) -> Sequence[ChangeRow]:
    """Return the rows of the feed with those of the entries, each placed by its time."""
    others = sorted((change_row(entry, 0) for entry in entries), key=lambda row: row.at or 0.0)
    if not others:
        return feed
    by_age = sorted((row for row in feed if row.at is not None), key=lambda row: row.place)
    placed: list[ChangeRow] = []
    for place, group in groupby(others, key=lambda row: _place_before(by_age, row.at or 0.0)):
        few = [*group]
        placed += [replace(row, place=place + (at + 1) / (len(few) + 1)) for at, row in enumerate(few)]
    return [*feed, *placed]


def _place_before(by_age: Sequence[ChangeRow], at: float) -> float:
    """Return the place of the newest entry that is not newer; below the oldest without one."""
    older = [row.place for row in by_age if row.at is not None and row.at <= at]
    if older:
        return max(older)
    return by_age[0].place - 1 if by_age else 0


def _is_since(at: float | None, centre: Centre) -> bool:
    return at is not None and at >= centre.since
