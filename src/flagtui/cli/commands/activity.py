"""`flagtui activity`: who changed which flag, or what can have caused something at a moment."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from flagtui.cli.plumbing.activity_selection import select_changes
from flagtui.cli.plumbing.option_rules import limit_option
from flagtui.cli.plumbing.output.lines import keep_first, warn
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.details.user_counts import UserCounts
from flagtui.models.activity_rows import ChangeRow

MOST: Final = 50
"""Changes that are printed unless more are asked for."""


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
        "flags.bulk_keys",
        "flags.get",
        "flags.blast_radius",
        "experiments.list",
        "experiments.activity_of",
        "event_definitions.list",
        "event_definitions.get",
    ),
    order_of=_order,
    examples=("--limit 20", "@ 20m", "kind:off since:7d --json --fields at,key,who,change"),
)
@query_argument("activity")
@limit_option(MOST)
async def activity(session: ProjectSession, query: tuple[str, ...], limit: int) -> Sequence[ChangeRow]:
    """Show who changed which flag, newest first; QUERY narrows as in the app's activity.

    With '@ 20m' or '@ 14:05' in it, the changes around that moment, the likeliest cause first: also those of
    experiments and event definitions, and how many users got or lost each flag.

    QUERY is words, and qualifiers with a value (kind, is, by, flag, since, before, id): 'kind:off since:7d'
    """
    changes, read = await select_changes(session, query, limit + 1)
    chosen = keep_first(changes, limit, MOST)
    if read is None:
        return chosen
    counts = UserCounts(session.client, lambda _id: None)
    counts.follow(read)
    await counts.learn([row for row in chosen if row.kind == "flags"])
    if counts.trouble:
        warn(f"users are not counted: {counts.trouble}")
    return [replace(row, users=counts.of(row)) for row in chosen]
