"""Follows the activity of a project: each entry once, oldest first, whatever happens to the connection."""

import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui.api.errors import ApiError, ServerFault, Unanswered, Unreachable
from flagtui.cli.errors import Trouble
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.lines import progress
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.selection import read_query
from flagtui.models.activity import Activity, ChangeRow, change_row
from flagtui.store.activity_listing import ACTIVITY as ENTRIES
from flagtui.store.activity_listing import MOMENTS, read_moment
from flagtui.store.query.language import compile_query
from flagtui.store.query.vocabulary import WrongValue

MOST: Final = 100_000
"""Entries read back at most to find the one that was told last."""
PAGE: Final = 100
FIRST: Final = 10_000
"""Entries the first look goes back at most."""
BEFORE: Final = 100
"""Entries from before the beginning that are remembered, in case the newest of them goes."""
KNOWN: Final = 20_000
"""Identities remembered in all."""


@dataclass(frozen=True)
class Watch:
    """What was asked for on the command line."""

    query: str = ""
    since: str = ""
    every: float = 5.0
    count: int | None = None
    program: str = ""


@dataclass
class UnheardChanges:
    """What was heard so far. `known` are identities already told, the oldest first."""

    session: ProjectSession
    since: float | None = None
    """Unix seconds from which the first look tells; None begins with what comes after it."""
    known: dict[str, None] = field(default_factory=dict)
    is_begun: bool = False

    async def news(self) -> list[Activity]:
        """Entries that were not told yet, oldest first. Raises ApiError; nothing is lost then."""
        new: list[Activity] = []
        old: list[Activity] = []
        # The first look has to know where the feed ended, by entries and not by anybody's clock.
        async for entry in self._from_the_top(MOST if self.is_begun else FIRST):
            if entry.identity in self.known:
                break
            (new if self.is_begun or self._is_told(entry) else old).append(entry)
            if len(old) >= BEFORE:
                break
        self.is_begun = True
        for entry in reversed([*new, *old]):
            self.known[entry.identity] = None
        for identity in list(self.known)[:-KNOWN]:
            del self.known[identity]
        return new[::-1]

    async def _from_the_top(self, most: int) -> AsyncIterator[Activity]:
        """Entry after entry from the newest at the first page on, without what comes while pages are read.

        Newer entries move all others down; the count tells by how many.
        """
        read, page, total, last = 0, 1, 0, ""
        while read < most:
            found = await self.session.client.flags.activity(limit=PAGE, page=page)
            entries, now = found.entries, found.total_count or 0
            total = now if page == 1 else total
            start = (page - 1) * PAGE - max(0, now - total)
            # Where the last one stands on this page says more than a count that may be newer than it.
            place = next((at + 1 for at, one in enumerate(entries) if one.identity == last), read - start)
            for entry in entries[max(0, place) :]:
                read, last = read + 1, entry.identity
                yield entry
            if not entries or not found.has_more:
                return
            page += 1

    def _is_told(self, entry: Activity) -> bool:
        if self.since is None or entry.created_at is None:
            return False
        return entry.created_at.timestamp() >= self.since


def watch(asked: Watch, place: WorkPlace, printer: Printer) -> int:
    """Until ctrl+c, or as many changes as were asked for. Raises Trouble."""
    query = read_query(asked.query, ENTRIES)
    command = _command(asked.program)
    form = "ndjson" if printer.format == "json" else printer.format
    printer = replace(printer, format=form, has_headings=False)

    async def work(session: ProjectSession) -> int:
        now = session.now
        passes = compile_query(query, now=now, me=await session.me() if ":me" in asked.query else None)
        feed, told = UnheardChanges(session, _since(asked.since, now) if asked.since else None), 0
        async for row in followed(feed, asked.every):
            if not passes(row):
                continue
            printer.records(ACTIVITY, [row])
            if command:
                _run(command, printer, row)
            told += 1
            if told == asked.count:
                return 0
        return 0

    return in_project(place, work)


async def followed(feed: UnheardChanges, every: float) -> AsyncIterator[ChangeRow]:
    """Every new entry; a server that cannot be asked is asked again. Raises ApiError for what stays so."""
    trouble, place = "", 0
    while True:
        try:
            for entry in await feed.news():
                place += 1
                yield change_row(entry, place)
            if trouble:
                progress("the server answers again")
            trouble = ""
        except (Unreachable, Unanswered, ServerFault) as error:
            trouble = _tell_once(error, trouble)
        await feed.session.clock.sleep(every)


def _tell_once(error: ApiError, before: str) -> str:
    if error.what != before:
        progress(f"{error.what} Going on looking.")
    return error.what


def _since(text: str, now: float) -> float:
    try:
        return read_moment(text, now)
    except WrongValue:
        raise Trouble(f"--since: {text!r} is no moment.", f"Use {MOMENTS}.", code="usage") from None


def _command(text: str) -> list[str]:
    """The program and its arguments, as they are: no shell reads them."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise Trouble("--exec: a quote is not closed.", code="usage") from None
    if words and shutil.which(words[0]) is None:
        raise Trouble(f"--exec: there is no program {words[0]}.", code="usage")
    return words


def _run(command: list[str], printer: Printer, row: ChangeRow) -> None:
    document = replace(printer, format="ndjson", fields=()).document(ACTIVITY, row)
    try:
        done = subprocess.run(command, input=f"{document}\n", text=True, check=False)
    except OSError as fault:
        progress(f"{command[0]} cannot be run: {fault.strerror}")
        return
    if done.returncode:
        progress(f"{command[0]} ended with {done.returncode}")
