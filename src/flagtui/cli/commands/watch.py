"""`flagtui watch`: each change of a project once, oldest first, whatever happens to the connection."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final, TypedDict, Unpack

import click
import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError, RateLimited, ServerFault, Unanswered, Unreachable, may_pass
from flagtui.cli.plumbing.activity_selection import compile_change_query
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import NumberRange, WorkPlace
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.output.printer import Printer, json_line
from flagtui.cli.plumbing.project_session import ProjectSession, in_project
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import read_query
from flagtui.cli.plumbing.since_option import read_since, since_option
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.models.activity import Activity
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.store.activity_feed import mark_deletion
from flagtui.store.activity_listing import ACTIVITY as ENTRIES

MOST: Final = 100_000
"""Entries read at most to find the last reported one."""
PAGE: Final = 100
FIRST: Final = 10_000
"""Entries that the first request reads back at most."""
LATE: Final = 100
"""Places below the newest entry where another may still appear: servers date entries, then store them."""
BEFORE: Final = 2 * LATE
"""Earlier entries that are remembered, in case some of them disappear."""
KNOWN: Final = 20_000
"""Identities remembered in all."""


class WatchOptions(TypedDict):
    """The options as click passes them."""

    since: str
    every: float
    count: int | None
    program: str


@command(
    "watch",
    line="Print every change as it happens.",
    kind=ACTIVITY,
    operations=("flags.activity", "flags.bulk_keys"),
    examples=("flag:checkout --since 30d --count 1", "kind:rollout --since 30d --count 1 --json"),
)
@query_argument("activity")
@since_option("Start with changes since then")
@click.option(
    "--every",
    type=NumberRange(0.2, 3600),
    metavar="SECONDS",
    default=5.0,
    show_default=True,
    help="Time between requests.",
)
@click.option("--count", type=click.IntRange(1), metavar="N", help="Stop after N changes.")
@click.option(
    "--exec", "program", default="", metavar="CMD", help="Run CMD for each change, with its JSON as input."
)
def watch(query: tuple[str, ...], place: WorkPlace, printer: Printer, **given: Unpack[WatchOptions]) -> int:
    """Print every change of a flag from now on: what, before and after, and who; QUERY narrows.

    It survives lost connections and restarts of the server, and prints each change once, in the order in
    which the server shows them.
    With --json or --ndjson it is one JSON object a line. CMD is run as it is, never by a shell.

    QUERY is words, and qualifiers with a value (kind, is, by, flag, since, before, id): 'kind:off by:me'
    """
    line = " ".join(query)
    narrowing = read_query(line, ENTRIES)
    program = _program(given["program"])
    since = read_since(given["since"], time.time())
    form = "ndjson" if printer.format == "json" else printer.format
    printer = replace(printer, format=form, has_headings=False)

    async def work(session: ProjectSession) -> int:
        passes = await compile_change_query(session, narrowing)
        feed, count = UnheardChanges(session, since), 0
        async for row in follow(feed, given["every"]):
            # A deletion is still in effect when it is reported.
            if not passes(mark_deletion(row, set())):
                continue
            printer.records(ACTIVITY, [row])
            if program:
                _run(program, printer, row)
            count += 1
            if count == given["count"]:
                return 0
        return 0

    return in_project(place, work)


class UnheardChanges(msgspec.Struct):
    """The state of the watch. `reported` are identities already reported, the oldest first."""

    session: ProjectSession
    since: float | None = None
    """Unix seconds of the first change to report; None reports only changes after the first request."""
    reported: dict[str, None] = {}
    is_begun: bool = False
    nothing_until: datetime | None = None
    """The time of an entry too far down for a new one to appear; None where the whole log was read."""

    async def news(self) -> list[Activity]:
        """Return the entries not yet reported, oldest first. Raises ApiError; nothing is lost then."""
        new: dict[str, Activity] = {}
        old: dict[str, Activity] = {}
        known_count = 0
        # The first request finds the end of the feed by its entries, since clocks may differ.
        async for entry in self._from_the_top(MOST if self.is_begun else FIRST):
            if entry.identity in self.reported:
                known_count += 1
                if known_count == LATE:
                    break
                continue
            if self._is_too_old(entry):
                # More entries disappeared than are remembered.
                break
            # It can be on two pages: a server without a count does not show how far new ones moved it.
            (new if self.is_begun or self._is_reported(entry) else old)[entry.identity] = entry
            if len(old) >= BEFORE:
                self.nothing_until = entry.created_at
                break
        self.is_begun = True
        self.reported |= dict.fromkeys(reversed([*new, *old]))
        for identity in list(self.reported)[:-KNOWN]:
            del self.reported[identity]
        return [*reversed(new.values())]

    async def _from_the_top(self, most: int) -> AsyncIterator[Activity]:
        """Yield the entries from the newest on, without those that arrive while pages are read.

        New entries move all others down; the count shows by how many.
        """
        read, page, total, last = 0, 1, 0, ""
        # A count that grows with every answer can make every entry look known.
        while read < most and page <= most:
            activity = await self.session.client.flags.activity(limit=PAGE, page=page)
            entries, now = activity.entries, activity.total_count or 0
            total = now if page == 1 else total
            start = (page - 1) * PAGE - max(0, now - total)
            # The position of the last entry on this page is exact; the count may be newer than the page.
            place = next((at + 1 for at, entry in enumerate(entries) if entry.identity == last), read - start)
            for entry in entries[max(0, place) :]:
                read, last = read + 1, entry.identity
                yield entry
            if not entries or not activity.has_more:
                return
            page += 1

    def _is_too_old(self, entry: Activity) -> bool:
        at, last = entry.created_at, self.nothing_until
        return at is not None and last is not None and at <= last

    def _is_reported(self, entry: Activity) -> bool:
        if self.since is None or entry.created_at is None:
            return False
        return entry.created_at.timestamp() >= self.since


async def follow(feed: UnheardChanges, every: float) -> AsyncIterator[ChangeRow]:
    """Yield every new entry; retry after a lost connection or a pause. Raises ApiError for other errors."""
    trouble, place = "", 0
    while True:
        pause = every
        try:
            for entry in await feed.news():
                place += 1
                yield change_row(entry, place)
            if trouble:
                progress("the server responds again")
            trouble = ""
        except ApiError as error:
            is_passing = isinstance(error, Unreachable | Unanswered | ServerFault | RateLimited)
            # Before the first response, a web page means another host.
            if not is_passing and not (feed.is_begun and may_pass(error)):
                raise
            trouble = _report_once(error, trouble)
            pause = max(every, error.facts.retry_after or 0.0)
        await feed.session.clock.sleep(pause)


def _report_once(error: ApiError, before: str) -> str:
    # Each refusal names other seconds.
    what = "The server asks for a pause." if isinstance(error, RateLimited) else error.what
    if what != before:
        progress(f"{what} Still watching.")
    return what


def _program(text: str) -> list[str]:
    """Return the program and its arguments; no shell reads them."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise Trouble("--exec: a quote is not closed.", code="usage") from None
    if words and shutil.which(words[0]) is None:
        raise Trouble(f"--exec: there is no program {words[0]}.", code="usage")
    return words


def _run(program: list[str], printer: Printer, row: ChangeRow) -> None:
    document = json_line(ACTIVITY, row)
    # Nothing but JSON may be on an output that programs read.
    output = sys.__stderr__ if printer.is_for_programs else None
    try:
        done = subprocess.run(program, input=f"{document}\n", text=True, stdout=output, check=False)
    except OSError as fault:
        progress(f"{program[0]} cannot be run: {fault.strerror}")
        return
    if done.returncode:
        progress(f"{program[0]} ended with {done.returncode}")
