"""All records of one kind: loaded page by page, compared, searched on the server during a load."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from typing import Final, Generic, Protocol

from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError, ListTooLong
from flagtui.models.rows import RowPage
from flagtui.store.collection import Collection, Identified, IdRow
from flagtui.store.load_progress import Empty, Loaded, LoadFailed, Recalled, Running, RunningLoad, State
from flagtui.watched import Watched

RESUMES: Final = 300.0
"""Seconds after a failure in which a load resumes with the missing pages."""
WHOLE_AGAIN: Final = 600.0
"""Seconds after which a list that cannot be proven current is reloaded, where that costs little."""
CUT_AGAIN: Final = 3_600.0
"""Seconds after which a list longer than the limits is reloaded: that takes hundreds of requests."""


class Loading(Watched, Generic[IdRow]):
    """Loads a list, one load at a time.

    Lists that fill the same collection share a `turn`.
    """

    def __init__(
        self,
        collection: Collection[IdRow],
        pages: Callable[[], AsyncIterable[RowPage[IdRow]]],
        *,
        covers: Callable[[IdRow], bool] = lambda _row: True,
        is_whole: bool = True,
        turn: asyncio.Lock | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._collection = collection
        self._pages = pages
        self._covers = covers
        self._is_whole = is_whole
        self._turn = turn or asyncio.Lock()
        self._clock = clock
        self._done = 0
        self._total: int | None = None
        self._unfinished: tuple[AsyncIterable[RowPage[IdRow]], RunningLoad] | None = None
        """The pages of a failed load, to resume with."""
        self.state: State = Empty()
        self.trouble: ApiError | None = None
        """Why the rows may be stale: the last load or comparison failed."""
        self.is_capped = False
        """Whether the server's total is a lower bound; only the end of the list shows the total."""
        self.too_long: ListTooLong | None = None
        """Why the rest of the list is not read: it exceeds the limits. The rows here are good."""
        self._cut_at = 0.0
        self.loaded_at: float | None = None
        """When the rows were last complete, Unix seconds by this machine's clock."""
        self.server_ahead: float = 0.0
        """Seconds that the server's clock is ahead of this machine's."""

    @property
    def age(self) -> float | None:
        """Return the seconds since the rows were complete; None when they never were."""
        return None if self.loaded_at is None else max(0.0, self._clock() - self.loaded_at)

    @property
    def is_cut_for_long(self) -> bool:
        """Return whether reading stopped before the end of the list, long enough ago to try again."""
        if self.too_long is None:
            return False
        return self._clock() - self._cut_at >= (WHOLE_AGAIN if self.too_long.may_pass else CUT_AGAIN)

    @property
    def is_running(self) -> bool:
        """Return whether pages are awaited."""
        return isinstance(self.state, Running)

    def recall(self, rows: tuple[IdRow, ...], at: float) -> None:
        """Show rows of an earlier run, unless newer ones are already here."""
        if not isinstance(self.state, Empty):
            return
        self._collection.recall(rows)
        self.loaded_at = at
        self._become(Recalled())

    def confirm(self) -> None:
        """Mark the rows as current after a comparison with the server.

        A list that was cut is never marked as current.
        """
        if isinstance(self.state, Loaded):
            self.trouble = None
            if self.too_long is None:
                self.loaded_at = self._clock()
            self._become(Loaded())

    def set_trouble(self, trouble: ApiError | None) -> None:
        """Set why the comparison with the server failed; None after one that succeeded."""
        if trouble is not self.trouble:
            self.trouble = trouble
            self._become(self.state)

    def take_whole(self, page: RowPage[IdRow]) -> None:
        """Store a page that is the whole list. Ignored while pages of another load arrive."""
        if isinstance(self.state, Loaded) and not self._turn.locked():
            self._collection.begin_load(is_whole=self._is_whole)
            self._collection.add_page(page.rows, page.total, page.unreadable)
            self._collection.finish_load(self._covers)
            self.too_long = None
            self.confirm()

    async def run(self, *, is_asked: bool = False, resume: bool = False) -> State:
        """Load the list once. An error becomes a state; a second call during a load does nothing.

        With `resume`, a load that failed recently continues with the missing pages. On cancellation the
        previous state returns and the rows that came stay.
        """
        if self.is_running:
            return self.state
        before = self.state
        if not (resume and self._can_resume(before)):
            self._unfinished, self._done, self._total = None, 0, None
        self._become(Running(self._done, self._total, is_asked))
        try:
            async with self._turn:
                await self._load()
        finally:
            if self.is_running:
                self._become(before)
        return self.state

    def _can_resume(self, state: State) -> bool:
        is_recent = isinstance(state, LoadFailed) and self._clock() - state.at < RESUMES
        return is_recent and self._unfinished is not None and self._collection.is_open(self._unfinished[1])

    async def _load(self) -> None:
        unfinished, self._unfinished = self._unfinished, None
        if unfinished is not None and self._collection.is_open(unfinished[1]):
            pages, load = unfinished
        else:
            self._done, self._total = 0, None
            pages, load = self._pages(), self._collection.begin_load(is_whole=self._is_whole)
        try:
            async for page in pages:
                self._take(page)
        except ListTooLong as error:
            self._finish(error)
        except ApiError as error:
            self.trouble, self._unfinished = error, (pages, load)
            self._become(LoadFailed(error, self._clock()))
        else:
            self._finish()
        finally:
            if self._unfinished is None:
                self._collection.abandon_load()

    def _finish(self, too_long: ListTooLong | None = None) -> None:
        self.trouble, self.too_long = None, too_long
        if too_long is None:
            self.loaded_at = self._clock()
        else:
            self._cut_at = self._clock()
        self._collection.finish_load(self._covers, is_cut=too_long is not None)
        self._become(Loaded())

    def _take(self, page: RowPage[IdRow]) -> None:
        if page.server_time is not None:
            self.server_ahead = page.server_time - self._clock()
        self._done += len(page.rows) + len(page.unreadable)
        self._total = max(page.total, self._total or 0)
        self.is_capped = page.is_capped
        is_asked = isinstance(self.state, Running) and self.state.is_asked
        # The observers that draw this page count its rows as well.
        self.state = Running(self._done, self._total, is_asked)
        self._collection.add_page(page.rows, page.total, page.unreadable)
        self._become(self.state)

    def _become(self, state: State) -> None:
        self.state = state
        self.notify_watchers()


Query = Mapping[str, str | int]

FIRST_PAGE: Final = 100
"""Records of a page that is requested alone."""
SMALL: Final = 1_000
"""Records up to which a list that cannot be proven current is reloaded after `WHOLE_AGAIN`."""
SEARCHED: Final = 3
"""Letters from which the server is searched; fewer find too much."""
SEARCH_LIMIT: Final = 200


class Listed(Protocol[IdRow]):
    """The operations of one kind that a list uses."""

    def pages(self, filters: Query | None = None) -> AsyncIterable[RowPage[IdRow]]:
        """Return the whole list, page by page."""

    async def page(
        self, filters: Query | None = None, *, urgency: Urgency = Urgency.PERSON
    ) -> RowPage[IdRow]: ...


class RecordList(Generic[IdRow]):
    """All records of one kind, and their loading. `newest` orders the last changed first."""

    def __init__(
        self, listed: Callable[[], Listed[IdRow]], newest: Query, clock: Callable[[], float]
    ) -> None:
        self.collection: Collection[IdRow] = Collection()
        self.operations = listed
        """Returns the operations on these records."""
        self._newest = newest
        self._counted: tuple[Sequence[IdRow], int] = ((), 0)
        turn = asyncio.Lock()
        self.loading = Loading(
            self.collection,
            lambda: listed().pages({}),
            covers=lambda row: not _is_archived(row),
            turn=turn,
            clock=clock,
        )
        self.archived = Loading(
            self.collection,
            lambda: listed().pages({"archived": "true"}),
            covers=_is_archived,
            is_whole=False,
            turn=turn,
            clock=clock,
        )

    @property
    def listed(self) -> int:
        """Return how many records are neither archived nor deleted: the server's own list."""
        rows = self.collection.rows
        if rows is not self._counted[0]:
            listed = sum(1 for row in rows if not (_is_archived(row) or getattr(row, "deleted", False)))
            self._counted = (rows, listed)
        return self._counted[1]

    async def compare(self) -> bool:
        """Compare a complete list with the server's newest page; return whether it must be reloaded.

        A page that is the whole list proves it current. Other pages only update their rows, so the age of the
        list grows. Raises ApiError.
        """
        collection, loading = self.collection, self.loading
        sent_at = collection.moment
        filters = {**self._newest, "limit": FIRST_PAGE}
        page = await self.operations().page(filters, urgency=Urgency.BACKGROUND)
        if page.size >= page.total and not page.is_capped:
            loading.take_whole(page)
            return False
        collection.put_all(page.rows, sent_at)
        loading.set_trouble(None)
        listed = sum(1 for row in collection.server_rows if not _is_archived(row))
        if loading.too_long is not None:
            # Rows beyond the limit are counted as well, so the counts always differ.
            return loading.is_cut_for_long
        is_due = page.total <= SMALL and (loading.age or 0.0) >= WHOLE_AGAIN
        return is_due or (page.total != listed and not page.is_capped)

    async def search(self, word: str) -> int:
        """Add the server's matches for a word while pages are missing; return how many rows are new.

        Errors are left to the running load.
        """
        collection = self.collection
        if len(word) < SEARCHED or collection.is_complete:
            return 0
        sent_at, before = collection.moment, len(collection)
        try:
            page = await self.operations().page({"search": word[:SEARCH_LIMIT], "limit": FIRST_PAGE})
        except ApiError:
            return 0
        collection.put_all(page.rows, sent_at)
        return len(collection) - before


def _is_archived(row: Identified) -> bool:
    """Return whether the record is archived; event definitions never are."""
    return bool(getattr(row, "archived", False))
