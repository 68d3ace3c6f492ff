"""The activity of flags, newest first, read page by page as far back as needed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError
from flagtui.api.heavy_work import run_off_loop
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.activity_rows import ChangeRow, change_row
from flagtui.models.json_value import count_parts
from flagtui.store.activity_listing import ACTIVITY
from flagtui.store.query.value_tests import fold
from flagtui.store.sort_orders import Listing, Order
from flagtui.watched import Watched

PAGE: Final = 100
MOST: Final = 5_000
"""Most entries in memory: each contains whole targetings."""
HEAVY: Final = 20_000
"""JSON values in the entries of a page from which their rows are read in a thread."""
CATCH_UP_PAGES: Final = 3
"""When more new entries exist than these pages hold, the feed is read from the start."""

ReadPage = Callable[[int, int], Awaitable[ActivityPage]]
"""Reads a page by size and number, counted from 1."""

ACTIVITY_LISTING: Final[Listing[ChangeRow]] = Listing(
    ACTIVITY,
    {
        "newest": Order(lambda row: row.place, is_descending=True),
        "flag": Order(),
        "who": Order(label=lambda row: fold(row.who)),
        "reach": Order(lambda row: row.weight, is_descending=True),
    },
    lambda row: fold(row.key),
)


class ActivityFeed(Watched):
    """The entries read so far. `rows` is a new list after every change, with later entries at its end."""

    def __init__(self, read: ReadPage) -> None:
        super().__init__()
        self._read = read
        self._turn = asyncio.Lock()
        self._known: set[str] = set()
        self._top, self._bottom = 0, 0
        self._latest: Collection[str] = ()
        self._head_total: int | None = None
        """The server's number of entries when the newest entry here was its newest."""
        self.rows: Sequence[ChangeRow] = []
        self.total: int | None = None
        """The server's number of entries; None if it sends none."""
        self.is_complete = False
        """Whether no older entry is left to read."""
        self.trouble: ApiError | None = None
        """Error of the last request."""

    @property
    def oldest(self) -> float | None:
        """Return the time of the oldest entry read, Unix seconds."""
        return min((row.at for row in self.rows if row.at is not None), default=None)

    @property
    def is_behind(self) -> bool:
        """Return whether the server has a recent entry that was not read."""
        return bool(self.rows) and not self._known.issuperset(self._latest)

    def hear(self, latest: Collection[str]) -> None:
        """Record the identities of the server's latest entries, as another request returned them."""
        self._latest = latest

    async def read_on(self) -> None:
        """Read one page further back; an error is stored in `trouble`."""
        async with self._turn:
            if self.is_complete:
                return
            await self._guard(self._read_older())

    async def catch_up(self) -> None:
        """Read the entries newer than the newest one here."""
        async with self._turn:
            await self._guard(self._read_newer() if self.rows else self._read_older())

    async def _guard(self, reading: Awaitable[None]) -> None:
        try:
            await reading
            self.trouble = None
        except ApiError as error:
            self.trouble = error
        self.notify_watchers()

    async def _read_older(self) -> None:
        page, skipped = await self._page_after_the_last()
        fresh = self._unknown(page.entries[skipped:])
        added = await rows_of(fresh, [self._bottom - 1 - place for place in range(len(fresh))])
        self._bottom -= len(fresh)
        self.is_complete = not page.has_more or len(self.rows) + len(added) >= MOST
        self._take(added)

    async def _page_after_the_last(self) -> tuple[ActivityPage, int]:
        """Return the page with the entries after the oldest one here, and how many of it come before them.

        Entries made meanwhile push older ones onto later pages; the server's own count shows how many.
        """
        number = self._next_number()
        for _ in range(CATCH_UP_PAGES):
            page = await self._read(PAGE, number)
            self.total = page.total_count
            if not self.rows:
                self._head_total = page.total_count
            following = self._next_number()
            if following <= number:
                start = len(self.rows) + self._made_meanwhile
                return page, max(0, start - (number - 1) * PAGE)
            number = following
        # A count that grows with every response would never be reached.
        return page, 0

    @property
    def _made_meanwhile(self) -> int:
        if self.total is None or self._head_total is None:
            return 0
        return max(0, self.total - self._head_total)

    def _next_number(self) -> int:
        return (len(self.rows) + self._made_meanwhile) // PAGE + 1

    async def _read_newer(self) -> None:
        entries: list[Activity] = []
        made_until: int | None = None
        begins_again = False
        for number in range(1, CATCH_UP_PAGES + 1):
            page = await self._read(PAGE, number)
            self.total = page.total_count
            if number == 1:
                made_until = page.total_count
            fresh = self._unknown(page.entries)
            entries += fresh
            if len(fresh) < len(page.entries) or not page.has_more:
                break
        else:
            begins_again = True
        oldest_first = entries[::-1]
        added = await rows_of(oldest_first, [self._top + 1 + place for place in range(len(entries))])
        if begins_again:
            self._known.clear()
            self.rows, self.is_complete = [], False
        self._latest, self._head_total = (), made_until
        self._top += len(entries)
        self._take(added)

    def _unknown(self, entries: Iterable[Activity]) -> list[Activity]:
        return [entry for entry in entries if entry.identity not in self._known]

    def _take(self, added: Sequence[ChangeRow]) -> None:
        self._known.update(row.id for row in added)
        if added:
            self.rows = mark_in_effect([*self.rows, *added])


async def rows_of(entries: Sequence[Activity], places: Sequence[int]) -> list[ChangeRow]:
    """Return the rows of these entries; of entries with heavy flags from a thread, while keys are handled."""

    def read() -> list[ChangeRow]:
        return list(map(change_row, entries, places))

    is_light = count_parts([entry.detail for entry in entries], HEAVY) < HEAVY
    return read() if is_light else await run_off_loop(read)


_DECIDING: Final = frozenset(("created", "deleted", "restored"))
"""Kinds of changes after which it is known whether a flag is deleted."""


def mark_in_effect(rows: Sequence[ChangeRow]) -> list[ChangeRow]:
    """Return the rows with deletions still in effect marked; unchanged rows stay the same objects."""
    decided: set[int] = set()
    newest_first = sorted(rows, key=lambda row: -row.place)
    marked = {row.id: mark_deletion(row, decided) for row in newest_first}
    return [marked[row.id] for row in rows]


def mark_deletion(row: ChangeRow, decided: set[int]) -> ChangeRow:
    """Return the row, marked if it is a deletion still in effect.

    Rows come newest first; `decided` collects the flags that one of them created, deleted or restored.
    """
    is_in_effect = False
    flag_id = row.flag_id
    if flag_id is not None and flag_id not in decided and not _DECIDING.isdisjoint(row.kinds):
        decided.add(flag_id)
        is_in_effect = "deleted" in row.kinds
    return row if row.is_in_effect is is_in_effect else replace(row, is_in_effect=is_in_effect)


def _may_decide(entry: Activity) -> bool:
    return entry.activity != "updated" or any(change.field == "deleted" for change in entry.changes)


PAGES: Final = 3
"""Pages of activity searched for deletions; the server pages it slowly."""


class Deletion(msgspec.Struct, frozen=True):
    """A flag that may be restorable. Texts are raw."""

    id: int
    key: str
    """The key before the deletion."""
    who: str
    at: float | None


async def recent_deletions(activity: Callable[..., Awaitable[ActivityPage]]) -> tuple[Deletion, ...]:
    """Return the deletions, newest first, from the operation `activity` of flags. Raises its ApiError."""
    entries: list[Activity] = []
    for number in range(1, PAGES + 1):
        page = await activity(limit=PAGE, page=number)
        entries += page.entries
        if not page.has_more:
            break
    return deletions_in(entries)


def deletions_in(entries: Iterable[Activity]) -> tuple[Deletion, ...]:
    """Return the deletions in these entries, newest first, that no later entry undid."""
    # Others can hold thousands of conditions.
    deciding = [entry for entry in entries if _may_decide(entry)]
    rows = mark_in_effect([change_row(entry, -place) for place, entry in enumerate(deciding)])
    return tuple(
        Deletion(row.flag_id or 0, row.key, row.entry.user.label if row.entry.user else "", row.at)
        for row in rows
        if row.is_in_effect
    )
