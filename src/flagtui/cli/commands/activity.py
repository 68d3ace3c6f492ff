"""`flagtui activity`: who changed which flag, or what can have caused something at a moment."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import click

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import read_query
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.details.user_counts import UserCounts
from flagtui.models.activity import Activity, ChangeRow, change_row
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.activity_listing import ACTIVITY as ENTRIES
from flagtui.store.activity_listing import Centre, by_closeness, split_centre
from flagtui.store.moment_changes import merged, read_moment_changes
from flagtui.store.query.language import compile_query


def _order(given: Mapping[str, Any]) -> Callable[[ChangeRow], float] | None:
    """Return the order of changes of several projects: newest first, unless a moment is the centre."""
    has_centre = any(word.startswith("@") for word in " ".join(given["query"]).split())
    return None if has_centre else lambda change: -(change.at or 0.0)


@command(
    "activity",
    line="Show who changed which flag.",
    kind=ACTIVITY,
    empty="The activity has no such change.",
    operations=(
        "flags.activity",
        "flags.get",
        "flags.blast_radius",
        "experiments.list",
        "experiments.activity",
        "event_definitions.list",
        "event_definitions.get",
    ),
    order_of=_order,
    examples=(
        "activity --limit 20",
        "activity @ 20m",
        "activity kind:off since:7d --json --fields at,key,who,change",
    ),
)
@query_argument("activity")
@click.option(
    "-L",
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    default=50,
    show_default=True,
    help="Print at most N.",
)
async def activity(session: ProjectSession, query: tuple[str, ...], limit: int) -> list[ChangeRow]:
    """Show who changed which flag, newest first; QUERY narrows as in the app's timeline.

    With '@ 20m' or '@ 14:05' in it, the changes around that moment, the likeliest cause first: also those of
    experiments and event definitions, and how many users got or lost each flag.

    QUERY is words, and qualifiers with a value (kind, is, by, flag, since, before, id): 'kind:off since:7d'
    """
    line = " ".join(query)
    centre, rest, wrong = split_centre(line, session.now)
    if wrong:
        raise Trouble(f"the query is not understood: {wrong[0].reason}.", code="usage")
    narrowing = read_query(rest, ENTRIES)
    passes = compile_query(narrowing, now=session.now, me=await session.me() if ":me" in rest else None)
    changes: list[ChangeRow] = []
    async for entry in session.client.flags.entries(at_most=5_000 if line else limit):
        row = change_row(entry, -len(changes))
        if centre is not None and row.at is not None and row.at < centre.since:
            break
        if centre is not None or passes(row):
            changes.append(row)
        if len(changes) >= limit and centre is None:
            break
    if centre is None:
        return changes
    counts, others = UserCounts(session.client, lambda _id: None), await _others(session, centre)
    suspects = [row for row in merged(changes, others) if passes(row) and centre.holds(row.at)]
    chosen = [suspects[index] for index in by_closeness(suspects, range(len(suspects)), centre)[:limit]]
    counts.follow(changes)
    await counts.learn([row for row in chosen if row.kind == "flags"])
    if counts.trouble:
        warn(f"users are not counted: {counts.trouble}")
    return [replace(row, users=counts.of(row)) for row in chosen]


async def _others(session: ProjectSession, centre: Centre) -> tuple[Activity, ...]:
    """Return the changes of other records; those that cannot be read are named on standard error."""

    async def events() -> list[EventDefinitionRow]:
        return [row async for page in session.client.event_definitions.pages() for row in page.rows]

    changes = await read_moment_changes(session.client, centre, events)
    for words in changes.missing:
        warn(words)
    return changes.entries
