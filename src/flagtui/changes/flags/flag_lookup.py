"""A write without an answer: looked up, never sent again, until it is known what became of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, NotFound
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_plan import Plan, stored_value
from flagtui.changes.flags.verification import compare
from flagtui.changes.journal import Journal
from flagtui.changes.outcome import Failed, Outcome, Saved, Unknown
from flagtui.changes.pipeline import LOOKS
from flagtui.models.flag import Flag
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import FlagRow

if TYPE_CHECKING:
    from flagtui.api.request import Query

WATCH_FOR: Final = 60.0
"""Seconds after which a server is taken not to apply it any more."""
WATCH_EVERY: Final = 4.0
SEARCHABLE: Final = 200
"""Characters a server takes to search for; a key can have more."""

Tell = Callable[[str], None]


class FlagReader(Protocol):
    """Reads one flag, and finds one by its key: `client.flags`."""

    async def get(self, id: int) -> Flag: ...

    async def page(self, filters: Query | None = None) -> RowPage[FlagRow]: ...


async def watch(unknown: Unknown, flags: FlagReader, clock: Clock, tell: Tell) -> Saved | Failed | Unknown:
    """Goes on looking until a minute after the write; a record that has not moved by then has failed."""
    began = clock.monotonic() - LOOKS[-1]
    while clock.monotonic() - began < WATCH_FOR:
        await clock.sleep(WATCH_EVERY)
        found = await look(unknown, flags)
        if isinstance(found, Saved | Failed):
            return found
        unknown, before = found, unknown
        if (words := state_in_words(unknown)) != state_in_words(before):
            tell(words)
    if unknown.seen is None or _may_be_hidden(unknown.plan, unknown.seen):
        return unknown
    reason = f"the server did not do it within {WATCH_FOR:.0f} s"
    return Failed(unknown.plan, reason, "look at it, then try again", unknown.error, unknown.seen)


async def settle(unknown: Unknown, flags: FlagReader, journal: Journal, clock: Clock, tell: Tell) -> Outcome:
    """Watches, and writes what was found into the journal."""
    found = await watch(unknown, flags, clock, tell)
    if unknown.journal_id and not isinstance(found, Unknown):
        journal.finish(unknown.journal_id, found.ending, found.record, "found out by reading it again")
    return found


async def look(unknown: Unknown, flags: FlagReader) -> Saved | Failed | Unknown:
    """One read: as planned, surely not, or still not known."""
    plan = unknown.plan
    try:
        found = await (find(plan.key, flags) if plan.is_new else flags.get(plan.id))
    except NotFound as error:
        return Failed(plan, "it is not there any more", "somebody may have deleted it for good", error)
    except ApiError as error:
        return Unknown(plan, error, unknown.seen, unknown.journal_id)
    if found is None:
        return Unknown(plan, unknown.error, plan.fresh, unknown.journal_id)
    report = compare(plan, found)
    if not report.missing:
        return Saved(plan, found, report, unknown.journal_id)
    return Unknown(plan, unknown.error, found, unknown.journal_id)


async def find(key: str, flags: FlagReader) -> Flag | None:
    """The flag with exactly this key, or None when there is none. Raises `ApiError`."""
    offset = 0
    while True:
        page = await flags.page({"search": key[:SEARCHABLE], "limit": 100, "offset": offset or None})
        for row in page.rows:
            if row.key == key:
                return await flags.get(row.id)
        offset += page.size
        if not page.size or offset >= page.total:
            return None


def _may_be_hidden(plan: Plan, seen: Flag) -> bool:
    """Whether ours may have been done and then overwritten: with two writes since, or where nobody counts."""
    if plan.version is None or seen.version is None:
        return any(
            not means_same(stored_value(seen, name), plan.before[name], (name,)) for name in plan.before
        )
    return seen.version > plan.version + 1


def state_in_words(unknown: Unknown) -> str:
    """What a read found that did not tell."""
    if unknown.seen is None:
        return f"{unknown.plan.key}: no answer, and it cannot be read at the moment"
    version = "" if unknown.seen.version is None else f" at version {unknown.seen.version}"
    return f"{unknown.plan.key}: no answer; the change is not there so far{version}"
