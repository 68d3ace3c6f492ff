"""The flags and events that `refs` and `check` compare code with: from the server, or from the last copy."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from flagtui.api.errors import Forbidden, NotFound, NotOffered
from flagtui.api.resource import PagedRecords
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.offline_copies import OfflineCopies
from flagtui.cli.plumbing.output.lines import progress, warn
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import every_row
from flagtui.code.flag_facts import (
    CodeFacts,
    ListedFlag,
    complete_flags,
    read_listed_page,
    with_deleted,
)
from flagtui.models.code_flags import CodeFlag
from flagtui.models.rows import EventDefinitionRow, FlagRow
from flagtui.store.activity_feed import recent_deletions
from flagtui.store.kinds import EVENTS
from flagtui.text.formats import ago

if TYPE_CHECKING:
    from flagtui.api import Client

PART = "code"


class _ListedFlags(PagedRecords[ListedFlag]):
    read_page = staticmethod(read_listed_page)
    family = "flags"


async def read_facts(session: ProjectSession) -> CodeFacts:
    """Return what the server has, and save it for `--offline`. Raises ApiError."""
    facts = await fetch_facts(session.client, session.opening)
    if facts.events is None:
        warn("event names were not checked: the key may not read event definitions.")
    else:
        session.keep_rows(EVENTS, [*facts.events.values()])
    return facts


async def fetch_facts(client: "Client", opening: Opening | None) -> CodeFacts:
    """Return what the server has, and save it in the profile that is opened. Raises ApiError."""
    source = _ListedFlags(client.connection, client.project)
    listed: list[ListedFlag] = await every_row(source.pages, has_archived=True)
    static = set()
    if any(each.cohorts for each in listed):
        with suppress(Forbidden, NotFound, NotOffered):
            static = {cohort.id for cohort in await client.cohorts.all() if cohort.is_static}
    copies = None if opening is None else OfflineCopies(opening)
    earlier = copies.load("flags", PART, CodeFlag, client.project) if copies else None
    flags = with_deleted(
        complete_flags(listed, static), await _deleted(client), earlier.rows if earlier is not None else ()
    )
    events = await _events(client)
    if copies is not None:
        copies.save(client.project, "flags", PART, flags, CodeFlag)
    if copies is not None and events is not None:
        copies.save(client.project, "events", PART, events, EventDefinitionRow)
    return _facts(flags, events, time.time())


async def _deleted(client: "Client") -> dict[str, int]:
    with suppress(Forbidden, NotFound, NotOffered):
        return {deletion.key: deletion.id for deletion in await recent_deletions(client.flags)}
    return {}


async def _events(client: "Client") -> list[EventDefinitionRow] | None:
    with suppress(Forbidden, NotFound, NotOffered):
        return await every_row(client.event_definitions.pages)
    return None


def load_facts(opening: Opening) -> CodeFacts:
    """Return what the last run read, with a line about its age. Raises Trouble."""
    copies = OfflineCopies(opening)
    copy = copies.load("flags", PART, CodeFlag)
    if copy is not None:
        flags, taken_at = list(copy.rows), copy.taken_at
    else:
        rows = copies.load("flags", "", FlagRow)
        if rows is None:
            what = f"no run has read the flags of project {opening.profile.project} here yet."
            raise Trouble(what, "Run the command once without --offline.", code="not_found")
        # The list that the app keeps has no conditions.
        flags, taken_at = [CodeFlag(row, has_value=False) for row in rows.rows], rows.taken_at
    events = copies.load("events", PART, EventDefinitionRow) or copies.load("events", "", EventDefinitionRow)
    progress(f"Flags as read {ago(taken_at, time.time())}.")
    if events is None:
        warn("event names were not checked: no run has read event definitions here yet.")
    return _facts(flags, events.rows if events is not None else None, taken_at)


def _facts(
    flags: Sequence[CodeFlag], events: Sequence[EventDefinitionRow] | None, taken_at: float
) -> CodeFacts:
    by_name = None if events is None else {row.name: row for row in events}
    return CodeFacts({flag.key: flag for flag in flags}, by_name, taken_at)
