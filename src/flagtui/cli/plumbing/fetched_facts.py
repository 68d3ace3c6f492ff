"""The flags and events that `refs` and `check` compare code with, from the server.

Loaded only by runs that send requests.
"""

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import Forbidden, NotFound
from flagtui.api.operations import NOT_HERE
from flagtui.api.resource import PagedRecords
from flagtui.cli.plumbing.offline_copies import CODE_PART, OfflineCopies, load_flags, save_flags
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import every_row
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.listed_flags import ListedFlag, complete_flags, read_listed_page, with_deleted
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.activity_feed import recent_deletions
from flagtui.store.kinds import EVENTS

if TYPE_CHECKING:
    from flagtui.api import Client

_UNAVAILABLE: Final = (Forbidden, NotFound, *NOT_HERE)
"""Errors of facts that this key or this server does not have."""


class _ListedFlags(PagedRecords[ListedFlag]):
    read_page = staticmethod(read_listed_page)
    family = "flags"


async def read_facts(session: ProjectSession) -> CodeFacts:
    """Return the server's facts, and save them for `--offline`. Raises ApiError."""
    facts = await fetch_facts(session.client, session.opening)
    if facts.events is None:
        warn("event names were not checked: the key may not read event definitions.")
    else:
        session.keep_rows(EVENTS, [*facts.events.values()])
    return facts


async def fetch_facts(client: "Client", opening: Opening | None) -> CodeFacts:
    """Return the server's facts, and save them in the opened profile. Raises ApiError."""
    source = _ListedFlags(client.connection, client.project)
    listed: list[ListedFlag] = await every_row(source.pages, has_archived=True)
    static = set()
    if any(each.cohorts for each in listed):
        with suppress(*_UNAVAILABLE):
            static = {cohort.id for cohort in await client.cohorts.all() if cohort.is_static}
    copies = None if opening is None else OfflineCopies(opening)
    earlier, _ = (load_flags(copies, client.project) if copies else None) or ({}, 0)
    flags = with_deleted(complete_flags(listed, static), await _fetch_deleted(client), earlier.values())
    events = await _events(client)
    if copies is not None:
        save_flags(copies, client.project, flags)
    if copies is not None and events is not None:
        copies.save(client.project, "events", CODE_PART, events, EventDefinitionRow)
    return CodeFacts.of(flags, events, time.time(), str(client.project))


async def _fetch_deleted(client: "Client") -> dict[str, int]:
    with suppress(*_UNAVAILABLE):
        return {deletion.key: deletion.id for deletion in await recent_deletions(client.flags.activity)}
    return {}


async def _events(client: "Client") -> list[EventDefinitionRow] | None:
    with suppress(*_UNAVAILABLE):
        return await every_row(client.event_definitions.pages)
    return None
