"""`flagtui flags history`, `diff` and `due`: what became of flags, and what the server will do to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import click

from flagtui.changes.difference import MISSING, difference
from flagtui.changes.flags.flag_words import hidden, in_words
from flagtui.cli.errors import Trouble
from flagtui.cli.flags.flag_objects import NAMING, names_for
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.field_words import minute_words
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import only_one, read_words, several
from flagtui.cli.twin_command import command
from flagtui.cli.word_types import FLAG_WORD, FLAG_WORDS
from flagtui.models.activity import ChangeRow, change_row
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.text.differences import UNTOLD
from flagtui.text.flag_sentences import scheduled_words


@dataclass(frozen=True)
class FlagDifference:
    """One place in which two versions differ."""

    key: str
    words: str
    where: str
    before: JSON
    after: JSON
    old_version: int | None
    new_version: int | None


@dataclass(frozen=True)
class ScheduledFlagChange:
    """A change that is due."""

    key: str
    id: int
    words: str
    at: float | None
    is_done: bool
    is_recurring: bool
    payload: Mapping[str, JSON]


DIFFERENCE: Final[RecordKind[FlagDifference]] = RecordKind(
    "flag-difference",
    "One place in which two versions of a flag differ.",
    (
        RecordField("key", "text", "Of the flag."),
        RecordField("old_version", "whole?", "The older version."),
        RecordField("new_version", "whole?", "The newer version."),
        RecordField("words", "text", "The difference in words.", is_shown=True, is_long=True),
        RecordField("where", "text", "Its place in the flag.", is_shown=True),
        RecordField("before", "any", "The value of the older version; null where there was none."),
        RecordField("after", "any", "The value of the newer version; null where there is none."),
    ),
)
SCHEDULED: Final[RecordKind[ScheduledFlagChange]] = RecordKind(
    "scheduled-change",
    "A change that the server will make.",
    (
        RecordField("key", "text", "Of the flag.", is_shown=True),
        RecordField("id", "whole", "What --drop takes.", is_shown=True),
        RecordField("at", "time?", "When it is due.", is_shown=True, words=minute_words),
        RecordField("words", "text", "What shall happen.", is_shown=True, is_long=True),
        RecordField("done", "truth", "Whether it has happened.", lambda one: one.is_done),
        RecordField(
            "recurring", "truth", "Whether it happens again and again.", lambda one: one.is_recurring
        ),
        RecordField("payload", "object", "The change as the server keeps it.", lambda one: dict(one.payload)),
    ),
)


@command(
    "history",
    kind=ACTIVITY,
    operations=("flags.list", "flags.get", "flags.activity_of"),
    examples=("flags history checkout-redesign", "flags history checkout-redesign --limit 5 --ndjson"),
)
@FLAG_WORDS
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="Entries of each flag.")
def history(flags: tuple[str, ...], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Show who changed flags, newest first."""
    wanted = read_words(flags, FLAGS.is_query)

    async def work(session: ProjectSession) -> list[ChangeRow]:
        found: list[ChangeRow] = []
        for flag in await flags_of(session, wanted):
            entries = [one async for one in session.client.flags.entries(flag.id, at_most=limit)]
            found += [change_row(entry, -count) for count, entry in enumerate(entries)]
        return found

    printer.records(ACTIVITY, in_project(place, work), "The activity tells of no change.")
    return 0


@command(
    "diff",
    kind=DIFFERENCE,
    operations=("flags.list", "flags.get", "flags.version", *NAMING),
    examples=("flags diff checkout-redesign", "flags diff checkout-redesign --from 1 --json"),
)
@FLAG_WORD
@click.option("--from", "old", type=click.IntRange(1), help="The older version; the one before unless said.")
@click.option("--to", "new", type=click.IntRange(1), help="The newer version; today's unless said.")
def diff(flag: str, old: int | None, new: int | None, place: WorkPlace, printer: Printer) -> int:
    """Show what differs between two versions of a flag; by itself, the last change."""
    wanted = read_words([flag], FLAGS.is_query)

    async def work(session: ProjectSession) -> list[FlagDifference]:
        fresh = only_one(await flags_of(session, wanted), "flag")
        newer = new if new is not None else fresh.version
        if newer is None:
            raise Trouble(f"{fresh.key} has no versions on this server.", code="refused")
        older = old if old is not None else newer - 1
        if older < 1:
            raise Trouble(f"{fresh.key} has no version before {newer}.", code="nothing_to_do")
        sides = await several((older, newer), lambda number: session.client.flags.version(fresh.id, number))
        names = await names_for(session, [side.raw for side in sides])
        return differences(fresh, (older, sides[0].raw), (newer, sides[1].raw), names)

    printer.records(DIFFERENCE, in_project(place, work), "The two versions are the same.")
    return 0


def differences(
    flag: Flag, old: tuple[int, dict[str, JSON]], new: tuple[int, dict[str, JSON]], names: Names = NO_NAMES
) -> list[FlagDifference]:
    """Place by place, in words and exactly; secret payloads are masked."""
    before, after = (
        {name: value for name, value in side.items() if name not in UNTOLD} for side in (old[1], new[1])
    )
    found = []
    for line in difference(before, after):
        shown = hidden(line) if flag.has_encrypted_payloads else line
        found.append(
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
    return found


@command(
    "due",
    kind=SCHEDULED,
    operations=("flags.list", "flags.get", "schedule.list"),
    examples=("flags due checkout-redesign", "flags due tag:web --json"),
)
@FLAG_WORDS
def due(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """List what the server will do to flags later."""
    wanted = read_words(flags, FLAGS.is_query)

    async def work(session: ProjectSession) -> list[ScheduledFlagChange]:
        found = []
        for flag in await flags_of(session, wanted):
            filters = {"model_name": "FeatureFlag", "record_id": flag.id}
            for one in await session.client.schedule.all(filters):
                at = one.scheduled_at.timestamp() if one.scheduled_at else None
                words = scheduled_words(one)
                found.append(
                    ScheduledFlagChange(
                        flag.key, one.id, words, at, one.is_done, one.is_recurring, one.payload
                    )
                )
        return found

    printer.records(SCHEDULED, in_project(place, work), "Nothing is scheduled.")
    return 0
