"""The changes in the activity that the words of a command mean."""

from collections.abc import Sequence
from typing import Final

from flagtui.cli.plumbing.errors import Trouble, unknown_owner
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import read_query
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.activity_feed import mark_deletion
from flagtui.store.activity_listing import (
    ACTIVITY,
    Centre,
    by_closeness,
    earliest,
    needs_moment,
    split_centre,
)
from flagtui.store.moment_changes import merge_rows, read_moment_changes
from flagtui.store.query.language import Query, compile_query
from flagtui.store.query.vocabulary import Test
from flagtui.text.activity_words import AROUND_A_MOMENT, activity_words
from flagtui.text.formats import moment

SEARCHED: Final = 5_000
"""Changes that a query searches at most: each contains whole targetings."""


async def select_changes(
    session: ProjectSession, words: Sequence[str], limit: int
) -> tuple[list[ChangeRow], list[ChangeRow] | None]:
    """Return the changes that match, and around a moment the changes of flags read for it.

    Newest first, around a moment the likeliest cause first. Raises Trouble, ApiError.
    """
    line = " ".join(words)
    centre, rest, wrong = split_centre(line, session.now)
    if wrong:
        raise Trouble(f"the query is not understood: {wrong[0].reason}.", code="usage")
    narrowing = read_query(rest, ACTIVITY)
    since = earliest(narrowing, session.now) if centre is None else centre.since
    passes = await compile_change_query(session, narrowing)
    changes: list[ChangeRow] = []
    searched, decided = 0, set[int]()
    async for entry in session.client.flags.entries(at_most=SEARCHED + 1 if line else limit):
        row = mark_deletion(change_row(entry, -len(changes)), decided)
        if since is not None and row.at is not None and row.at < since:
            break
        searched += 1
        if line and searched > SEARCHED:
            warn(f"only the newest {SEARCHED:,} changes were searched, those after {moment(row.at)}.")
            break
        if centre is not None or passes(row):
            changes.append(row)
        if len(changes) >= limit and centre is None:
            break
    if centre is None:
        if not changes and needs_moment(narrowing):
            warn(f"{AROUND_A_MOMENT}.")
        return changes, None
    others = await _others(session, centre)
    suspects = [row for row in merge_rows(changes, others) if passes(row) and centre.holds(row.at)]
    order = by_closeness(suspects, range(len(suspects)), centre)
    return [suspects[index] for index in order[:limit]], changes


async def compile_change_query(session: ProjectSession, query: Query[ChangeRow]) -> Test[ChangeRow]:
    """Return the test of a change; words match also its description. Raises Trouble for an unknown `me`."""
    me = await session.me() if query.names_me else None
    if query.names_me and me is None:
        raise unknown_owner("by")
    return compile_query(query, now=session.now, me=me, more_text=lambda row: activity_words(row.entry, 300))


async def _others(session: ProjectSession, centre: Centre) -> tuple[Activity, ...]:
    """Return the changes of other records; those that cannot be read are named on standard error."""

    async def events() -> list[EventDefinitionRow]:
        return [row async for page in session.client.event_definitions.pages() for row in page.rows]

    changes = await read_moment_changes(session.client, centre, events)
    for words in changes.missing:
        warn(words)
    return changes.entries
