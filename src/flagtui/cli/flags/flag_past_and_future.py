"""Looks at what became of flags and what will: history, versions, what is stale or due."""

from collections.abc import Sequence

from flagtui.changes.difference import MISSING, difference
from flagtui.changes.flags.flag_words import hidden, in_words
from flagtui.cli.errors import Trouble
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project, in_project_with_pages
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.flag_records import (
    DEFINITION,
    DIFFERENCE,
    SCHEDULED,
    STALE,
    FlagDifference,
    ScheduledFlagChange,
    StaleFlag,
)
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import not_found, only_one, read_query, read_words, several
from flagtui.models.activity import ChangeRow, change_row
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict
from flagtui.store.activity_listing import ACTIVITY as ENTRIES
from flagtui.store.activity_listing import by_closeness, split_centre
from flagtui.store.query.language import compile_query
from flagtui.text.cleanup_advice import what_wins
from flagtui.text.differences import UNTOLD
from flagtui.text.flag_sentences import scheduled_words


def show_history(words: Sequence[str], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Who changed these flags, newest first."""
    wanted = read_words(words, FLAGS.is_query)

    async def work(session: ProjectSession) -> list[ChangeRow]:
        found: list[ChangeRow] = []
        for flag in await flags_of(session, wanted):
            entries = [one async for one in session.client.flags.entries(flag.id, at_most=limit)]
            found += [change_row(entry, -count) for count, entry in enumerate(entries)]
        return found

    printer.records(ACTIVITY, in_project(place, work), "The activity tells of no change.")
    return 0


def show_difference(
    word: str, versions: tuple[int | None, int | None], place: WorkPlace, printer: Printer
) -> int:
    """Two versions of a flag; by itself the last change."""
    wanted = read_words([word], FLAGS.is_query)

    async def work(session: ProjectSession) -> list[FlagDifference]:
        flag = only_one(await flags_of(session, wanted), "flag")
        new = versions[1] if versions[1] is not None else flag.version
        if new is None:
            raise Trouble(f"{flag.key} has no versions on this server.", code="refused")
        old = versions[0] if versions[0] is not None else new - 1
        if old < 1:
            raise Trouble(f"{flag.key} has no version before {new}.", code="nothing_to_do")
        sides = await several((old, new), lambda number: session.client.flags.version(flag.id, number))
        return differences(flag, (old, sides[0].raw), (new, sides[1].raw))

    printer.records(DIFFERENCE, in_project(place, work), "The two versions are the same.")
    return 0


def differences(
    flag: Flag, old: tuple[int, dict[str, JSON]], new: tuple[int, dict[str, JSON]]
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
                in_words(shown, before, after),
                shown.where,
                None if shown.before is MISSING else shown.before,
                None if shown.after is MISSING else shown.after,
                old[0],
                new[0],
            )
        )
    return found


def list_stale(line: str, place: WorkPlace, printer: Printer) -> int:
    """Stale flags, and what everyone gets of them."""

    async def work(session: ProjectSession) -> list[StaleFlag]:
        rows = await FLAGS.rows(session, f"is:stale {line}".strip(), "called")
        needed: dict[int, list[str]] = {}
        for row in await FLAGS.every(session) if rows else ():
            for id in row.depends_on:
                needed.setdefault(id, []).append(row.key)
        flags = await several([row.id for row in rows], session.client.flags.get)
        return [
            StaleFlag(row, what_wins(flag), needed.get(row.id, ()))
            for row, flag in zip(rows, flags, strict=True)
        ]

    found, page = in_project_with_pages(place, "flags", work)
    printer.records(STALE, found, "No flag is stale.", lambda one: page(one.row))
    return 0


def list_definitions(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """The flags as libraries evaluate them."""
    keys = read_words(words, lambda _word: False).names if words else ()

    async def work(session: ProjectSession) -> list[dict[str, JSON]]:
        document = await session.client.evaluation.local_evaluation()
        return [as_dict(one) for one in document.flags] if document is not None else []

    found = in_project(place, work)
    if keys:
        known = [str(one.get("key")) for one in found]
        missing = [key for key in keys if key not in known]
        if missing:
            raise not_found("flag among the definitions", missing, known)
        found = [one for one in found if one.get("key") in keys]
    printer.records(DEFINITION, found, "The server hands out no definition.")
    return 0


def list_schedule(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """What the server will do to these flags."""
    wanted = read_words(words, FLAGS.is_query)

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


def show_activity(line: str, limit: int, place: WorkPlace, printer: Printer) -> int:
    """Who changed which flag: newest first, or what can have caused something at the `@` moment first."""

    async def work(session: ProjectSession) -> list[ChangeRow]:
        centre, rest, wrong = split_centre(line, session.now)
        if wrong:
            raise Trouble(f"the query is not understood: {wrong[0].reason}.", code="usage")
        query = read_query(rest, ENTRIES)
        passes = compile_query(query, now=session.now, me=await session.me() if ":me" in rest else None)
        found: list[ChangeRow] = []
        async for entry in session.client.flags.entries(at_most=5_000 if line else limit):
            row = change_row(entry, -len(found))
            if centre is not None and row.at is not None and row.at < centre.since:
                break
            if passes(row) and (centre is None or centre.holds(row.at)):
                found.append(row)
            if len(found) >= limit and centre is None:
                break
        order = range(len(found)) if centre is None else by_closeness(found, range(len(found)), centre)
        return [found[index] for index in order[:limit]]

    printer.records(ACTIVITY, in_project(place, work), "The activity tells of no such change.")
    return 0
