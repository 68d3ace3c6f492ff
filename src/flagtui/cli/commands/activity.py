"""`flagtui activity`: who changed which flag, or what can have caused something at a moment."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import read_query
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.models.activity import ChangeRow, change_row
from flagtui.store.activity_listing import ACTIVITY as ENTRIES
from flagtui.store.activity_listing import by_closeness, split_centre
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
    operations=("flags.activity",),
    order_of=_order,
    examples=(
        "activity --limit 20",
        "activity @ 20m",
        "activity kind:off since:7d --json --fields at,key,who,words",
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

    With '@ 20m' or '@ 14:05' in it, the changes around that moment, the likeliest cause first.

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
        if passes(row) and (centre is None or centre.holds(row.at)):
            changes.append(row)
        if len(changes) >= limit and centre is None:
            break
    order = range(len(changes)) if centre is None else by_closeness(changes, range(len(changes)), centre)
    return [changes[index] for index in order[:limit]]
