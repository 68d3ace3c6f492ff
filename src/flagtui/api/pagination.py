"""Whole lists, page by page: the first page alone, the rest in parallel.

Offsets are computed here. The server's `next` is never followed: behind a proxy it can name another host, and
the key would follow. Only its presence counts.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import aclosing
from typing import Final, Generic, TypeAlias

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ListTooLong
from flagtui.models.rows import Row, RowPage

Fetch: TypeAlias = Callable[[int, int], Awaitable[RowPage[Row]]]
"""Requests the page at an offset with a limit."""

AT_ONCE: Final = 8
FIRST_PAGE: Final = 100
RECORDS_AT_ONCE: Final = 4_000
"""Records in flight: arriving pages are held in memory several times over while they are read."""
SWEEPS: Final = 4
"""How many times a list that keeps changing is read from the start."""
PAGES: Final = ((20_000, 1_000), (5_000, 200))
"""Lists longer than this come in pages of that size, so that one load stays within the budget of requests."""
ROW_LIMIT: Final = 200_000
"""Rows read of one list: twice the event definitions of the largest projects."""
PAGE_LIMIT: Final = 4_000
BYTE_LIMIT: Final = 512 * 1024**2
"""Pages and bytes read of one list, for servers whose pages are tiny or huge."""


REPEATS: Final = "The server repeats rows instead of sending the rest of the list."


class Pages(Generic[Row]):
    """Iterate over every row once, even if the list changes meanwhile. Raises after the pages that arrived.

    Iterating again after a failure continues with the missing pages.
    """

    def __init__(self, fetch: Fetch[Row], identity: Callable[[Row], Hashable]) -> None:
        self._fetch = fetch
        self._identity = identity
        self._step = FIRST_PAGE
        self._sweep: _Sweep[Row] | None = None
        self._sweeps_left = SWEEPS
        self._bounds = _Bounds()

    async def __aiter__(self) -> AsyncGenerator[RowPage[Row], None]:
        if self._sweep is None:
            first = await self._fetch(0, FIRST_PAGE)
            self._sweep = _Sweep(self._identity, self._bounds)
            self._step = _page_size(first)
            yield self._sweep.take(first, 0)
        at_once = min(AT_ONCE, RECORDS_AT_ONCE // self._step)
        while self._sweeps_left:
            async with aclosing(_rest(self._fetch, self._sweep, self._step, at_once)) as pages:
                async for page in pages:
                    yield page
            if self._sweep.stopped_because is not None:
                raise self._sweep.stopped_because
            is_partial = self._sweep.is_partial
            self._sweeps_left = self._sweeps_left - 1 if self._sweep.has_moved or is_partial else 0
            if is_partial and not self._sweeps_left:
                raise ListRepeats(REPEATS)
            # Rows deleted during the load have moved others from a later page to one already read.
            self._sweep = _Sweep(
                self._identity, self._bounds, seen=self._sweep.seen, end=self._sweep.total, is_first=False
            )


class ListRepeats(ListTooLong):
    """The server repeats rows instead of sending the rest of the list."""

    may_pass = True


class _Bounds(msgspec.Struct, eq=False):
    """The size of the list so far, over all passes."""

    pages: int = 0
    size: int = 0
    """Bytes of the responses."""

    def limit_before(self, offset: int) -> str:
        """Return the limit that stops the load before the row at `offset`; empty below all limits."""
        if offset >= ROW_LIMIT:
            return f"{ROW_LIMIT:,} rows"
        if self.pages >= PAGE_LIMIT:
            return f"{PAGE_LIMIT:,} pages"
        return f"{BYTE_LIMIT // 1024**2} MiB" if self.size >= BYTE_LIMIT else ""


class _Sweep(msgspec.Struct, Generic[Row], eq=False):
    """The progress of one pass over the list."""

    identity: Callable[[Row], Hashable]
    bounds: _Bounds
    seen: set[Hashable] = set()
    offset: int = 0
    end: int = 0
    total: int = 0
    has_moved: bool = False
    """Whether the list grew or shrank during the load."""
    stale: int = 0
    """Consecutive pages without a new row: the server may be ignoring the offset."""
    unreadable: int = 0
    """Rows that could not be read."""
    has_ended: bool = False
    """Whether an empty page marked the end of the list."""
    again: list[tuple[int, int]] = []
    is_first: bool = True
    """A later pass meets rows already seen, and stops where it meets nothing else."""
    stopped_because: ListTooLong | None = None
    """Why the rest of the list is not read."""

    @property
    def is_partial(self) -> bool:
        """Return whether the server repeated rows in place of some that it counts."""
        return bool(self.stale) and not self.has_ended and len(self.seen) + self.unreadable < self.total

    def next_span(self, step: int) -> tuple[int, int] | None:
        """Return the offset and limit of the next request; None when the pass is complete."""
        if self.stopped_because is not None or not (self.again or self.offset < self.end):
            return None
        if self.stale >= AT_ONCE * 2:
            if self.is_first:
                self.stopped_because = ListRepeats(REPEATS)
            return None
        if limit := self.bounds.limit_before(self.again[-1][0] if self.again else self.offset):
            self.stopped_because = ListTooLong(
                f"Reading stopped at {limit}; the server has more of the list."
            )
            return None
        if self.again:
            return self.again.pop()
        span = (self.offset, min(step, ROW_LIMIT - self.offset))
        self.offset += span[1]
        return span

    def take(self, page: RowPage[Row], offset: int, limit: int = FIRST_PAGE) -> RowPage[Row]:
        """Return the page without rows already seen, and update the end of the list."""
        until = offset + page.size
        if page.has_more and until >= page.total:
            # The server counts fewer rows than it sends.
            page = replace(page, is_capped=True)
        self.bounds.pages += 1
        self.bounds.size += page.body_size
        if self.total and page.total != self.total:
            self.has_moved = True
        self.total = page.total
        if offset == 0:
            self.offset = max(self.offset, page.size)
        self.unreadable += len(page.unreadable)
        if not page.size:
            self.has_ended = True
            self.end = min(self.end, offset)
        elif page.is_capped:
            self.end = max(self.end, until + limit * AT_ONCE if page.has_more else until)
        else:
            self.end = max(self.end, page.total)
        if 0 < page.size < limit and until < min(offset + limit, self.end):
            # The server sends fewer rows than the limit allows.
            self.again.append((until, offset + limit - until))
        rows = tuple(row for row in page.rows if not self._knows(row))
        self.stale = 0 if rows or not page.rows else self.stale + 1
        return replace(page, rows=rows)

    def _knows(self, row: Row) -> bool:
        name = self.identity(row)
        is_known = name in self.seen
        self.seen.add(name)
        return is_known


async def _rest(
    fetch: Fetch[Row], sweep: _Sweep[Row], step: int, at_once: int
) -> AsyncGenerator[RowPage[Row], None]:
    spans: dict[asyncio.Task[RowPage[Row]], tuple[int, int]] = {}
    fault: BaseException | None = None
    try:
        while True:
            while fault is None and len(spans) < at_once and (span := sweep.next_span(step)):
                spans[asyncio.ensure_future(fetch(*span))] = span
            if not spans:
                break
            done, _ = await asyncio.wait(spans, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                offset, limit = spans.pop(task)
                if task.exception() is not None:
                    fault = fault or task.exception()
                    sweep.again.append((offset, limit))
                    continue
                page = sweep.take(task.result(), offset, limit)
                if page.size:
                    yield page
        if fault:
            raise fault
    finally:
        sweep.again += spans.values()
        for task in spans:
            task.cancel()
        await asyncio.gather(*spans, return_exceptions=True)


def _page_size(first: RowPage[Row]) -> int:
    """Return the page size for the list's total; a server caps its count only for very long lists."""
    return size_of_pages(math.inf if first.is_capped else first.total)


def size_of_pages(total: float) -> int:
    """Return how many records a page has in a list of so many."""
    return next((size for longer_than, size in PAGES if total > longer_than), FIRST_PAGE)
