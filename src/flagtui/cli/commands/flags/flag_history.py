"""`flagtui flags history`, `diff` and `due`: past changes of flags, and scheduled ones."""

from typing import Final

import click
import msgspec

from flagtui.api.errors import ApiError
from flagtui.changes.difference import MISSING, difference, field_words
from flagtui.changes.flags.flag_words import in_words, mask_line
from flagtui.cli.commands.flags.flag_selection import NAMING, flag_of, flags_of, rows_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.record_history import HISTORY_LIMIT, HISTORY_SINCE, read_changes
from flagtui.cli.plumbing.selection import FLAGS, RecordSelection, several
from flagtui.cli.plumbing.since_option import read_since
from flagtui.cli.plumbing.word_types import FLAG_WORD, FLAG_WORDS
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.field_words import minute_words
from flagtui.local_time import unix
from flagtui.models.activity import version_made
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.text.differences import BOOKKEEPING
from flagtui.text.schedule_words import scheduled_words

NOT_IN_VERSIONS: Final = ("tags", "analytics_dashboards", "evaluation_contexts")
"""Fields that a server keeps of the current flag only; its activity has some of their changes."""
LOGGED: Final = 100
"""Entries of the activity that are read for them."""


class FlagDifference(msgspec.Struct, frozen=True):
    """One place in which two versions differ."""

    key: str
    change: str
    where: str
    before: JSON
    after: JSON
    old_version: int | None
    new_version: int | None


class ScheduledFlagChange(msgspec.Struct, frozen=True):
    """A change that is due, of the flag with this key."""

    key: str
    change: ScheduledChange


DIFFERENCE: Final[RecordSchema[FlagDifference]] = RecordSchema(
    "flag-difference",
    "One place in which two versions of a flag differ.",
    (
        RecordField("key", "text", "The key of the flag."),
        RecordField("old_version", "whole?", "The older version."),
        RecordField("new_version", "whole?", "The newer version."),
        RecordField("change", "text", "The difference in words.", is_shown=True, is_long=True),
        RecordField("where", "text", "Its place in the flag.", is_shown=True),
        RecordField("before", "any", "The value of the older version; null where there was none."),
        RecordField("after", "any", "The value of the newer version; null where there is none."),
    ),
    version=2,
)
SCHEDULED: Final[RecordSchema[ScheduledFlagChange]] = RecordSchema(
    "scheduled-change",
    "A change that the server will make.",
    (
        RecordField("key", "text", "The key of the flag.", is_shown=True),
        RecordField("id", "whole", "The id for --drop.", lambda due: due.change.id, is_shown=True),
        RecordField(
            "at",
            "time?",
            "When it is due.",
            lambda due: unix(due.change.scheduled_at),
            is_shown=True,
            words=minute_words,
        ),
        RecordField(
            "change",
            "text",
            "The change in words.",
            lambda due: scheduled_words(due.change),
            is_shown=True,
            is_long=True,
        ),
        RecordField("done", "truth", "Whether the server has made it.", lambda due: due.change.is_done),
        RecordField(
            "failure", "text?", "Why it failed; null if it did not.", lambda due: due.change.failure_reason
        ),
        RecordField("recurring", "truth", "Whether it recurs.", lambda due: due.change.is_recurring),
        RecordField(
            "payload", "object", "The change as the server keeps it.", lambda due: dict(due.change.payload)
        ),
    ),
    version=2,
)


@command(
    "history",
    kind=ACTIVITY,
    empty="The activity has no such change.",
    limits_each=True,
    operations=("flags.list", "flags.get", "flags.activity_of", "flags.bulk_keys"),
    examples=("checkout-redesign", "checkout-redesign --limit 5 --ndjson"),
)
@FLAG_WORDS
@HISTORY_SINCE
@HISTORY_LIMIT
async def history(session: ProjectSession, flags: RecordSelection, since: str, limit: int) -> list[ChangeRow]:
    """Show who changed flags, newest first."""
    start = read_since(since, session.now)
    ids = [flag.id for flag in await flags_of(session, flags)]
    return await read_changes(session.client.flags, ids, limit, start)


@command(
    "diff",
    kind=DIFFERENCE,
    empty="The two versions are the same.",
    operations=("flags.list", "flags.get", "flags.version", "flags.activity_of", *NAMING),
    examples=("checkout-redesign", "checkout-redesign --from 1 --json"),
)
@FLAG_WORD
@click.option(
    "--from", "old", type=click.IntRange(1), metavar="N", help="The older version; default: the previous one."
)
@click.option(
    "--to", "new", type=click.IntRange(1), metavar="N", help="The newer version; default: the current one."
)
async def diff(
    session: ProjectSession, flag: RecordSelection, old: int | None, new: int | None
) -> list[FlagDifference]:
    """Show the differences between two versions of a flag; by default, the last change."""
    fresh = await flag_of(session, flag)
    newer = new if new is not None else fresh.version
    if newer is None:
        fix = f"See: {next_command('flags', 'history', fresh.key)}"
        raise Trouble(f"{fresh.key} has no versions on this server.", fix, code="refused")
    older = old if old is not None else newer - 1
    if older < 1:
        raise Trouble(f"{fresh.key} has no version before {newer}.", code="nothing_to_do")
    if fresh.version is not None and max(older, newer) > fresh.version:
        what = f"{fresh.key} has no version {max(older, newer)}; its newest is {fresh.version}."
        raise Trouble(what, f"See: {next_command('flags', 'history', fresh.key)}", code="not_found")
    if older > newer:
        # The activity knows tags and dashboards only from one version to a later one.
        raise click.UsageError(f"--from {older} is newer than --to {newer}; exchange them.")
    sides = await several((older, newer), lambda number: session.client.flags.version(fresh.id, number))
    names = await session.names(side.raw for side in sides)
    lines = differences(fresh, (older, sides[0].raw), (newer, sides[1].raw), names)
    return [*lines, *await _logged_differences(session, fresh, older, newer)]


async def _logged_differences(
    session: ProjectSession, flag: Flag, older: int, newer: int
) -> list[FlagDifference]:
    """Return the activity's values of fields that versions lack; nothing for a key without access to it."""
    try:
        page = await session.client.flags.activity(flag.id, limit=LOGGED)
    except ApiError:
        return []
    values: dict[str, tuple[JSON, JSON]] = {}
    unlogged: list[int] = []
    current = flag.version or newer
    for entry in page.entries:
        made = version_made(entry)
        version = current if made is None else made
        current = version if made is None else made - 1
        # An entry without a version was made while the flag had this one.
        is_after = version > older if made is not None else version >= older
        is_before = version <= newer if made is not None else version < newer or newer == flag.version
        if not (is_after and is_before):
            continue
        unlogged += [version] if entry.is_unlogged else []
        for change in entry.changes:
            if change.field in NOT_IN_VERSIONS:
                values[change.field] = (change.before, values.get(change.field, (None, change.after))[1])
    lines = [
        FlagDifference(flag.key, field_words(FLAG_FIELDS, name, *sides), name, *sides, older, newer)
        for name, sides in values.items()
    ]
    words = "saved without a logged value: tags or dashboards can have changed"
    return lines + [
        FlagDifference(flag.key, f"version {number}: {words}", "", None, None, older, newer)
        for number in reversed(unlogged)
    ]


def differences(
    flag: Flag, old: tuple[int, dict[str, JSON]], new: tuple[int, dict[str, JSON]], names: Names = NO_NAMES
) -> list[FlagDifference]:
    """Return the differences by place, in words and exactly; secret payloads are masked."""
    before, after = (
        {name: value for name, value in side.items() if name not in BOOKKEEPING} for side in (old[1], new[1])
    )
    differences = []
    for line in difference(before, after):
        shown = mask_line(line) if flag.has_encrypted_payloads else line
        differences.append(
            FlagDifference(
                flag.key,
                in_words(shown, before, after, names),
                shown.where,
                None if shown.before is MISSING else shown.before,
                None if shown.after is MISSING else shown.after,
                old[0],
                new[0],
            )
        )
    return differences


@command(
    "due",
    kind=SCHEDULED,
    empty="Nothing is scheduled.",
    operations=("flags.list", "flags.get", "schedule.list"),
    examples=("", "tag:web --json"),
)
@click.argument("flags", nargs=-1, metavar="[FLAG]...", type=FLAG_WORDS.word_type)
async def due(session: ProjectSession, flags: RecordSelection | None) -> list[ScheduledFlagChange]:
    """List scheduled changes of flags, the next one first, done ones last; of all flags without FLAG."""
    rows = None if flags is None else await rows_of(session, flags)
    if rows == []:
        return []
    target: dict[str, JSON] = {"record_id": rows[0].id} if rows and len(rows) == 1 else {}
    changes: dict[str, list[ScheduledChange]] = {}
    for change in await session.client.schedule.all({"model_name": "FeatureFlag", **target}):
        changes.setdefault(change.record_id, []).append(change)
    if rows is not None:
        keys = {str(row.id): row.key for row in rows}
    else:
        listed = await FLAGS.every(session) if changes else []
        if not changes.keys() <= {str(row.id) for row in listed}:
            async for page in session.client.flags.pages({"archived": "true"}):
                listed += page.rows
        # A deleted flag is in no list, and its changes are still due.
        keys = {id: id for id in changes} | {str(row.id): row.key for row in listed}
    scheduled = [ScheduledFlagChange(key, due) for id, key in keys.items() for due in changes.get(id, ())]
    return sorted(scheduled, key=_place_of)


def _place_of(due: ScheduledFlagChange) -> tuple[bool, float, int]:
    """Return what orders the list: pending changes first, then by time."""
    return due.change.is_done, unix(due.change.scheduled_at) or 0.0, due.change.id
