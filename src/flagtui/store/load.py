"""Brings the pages of a list into its collection, and says how far it is."""

import asyncio
import time
from collections.abc import AsyncIterable, Callable
from typing import Final, Generic, Protocol, TypeVar

from msgspec import Struct

from flagtui.api.errors import ApiError
from flagtui.store.collection import Collection, Identified
from flagtui.store.load_progress import RunningLoad

Row = TypeVar("Row", bound=Identified)
PageRow = TypeVar("PageRow", covariant=True)


RESUMES: Final = 300.0
"""Seconds after a failure in which a load goes on with the pages that are missing."""


class Page(Protocol[PageRow]):
    """What a list operation yields."""

    @property
    def rows(self) -> tuple[PageRow, ...]: ...
    @property
    def total(self) -> int: ...
    @property
    def unreadable(self) -> tuple[int | str, ...]: ...
    @property
    def server_time(self) -> float | None: ...


class Empty(Struct, frozen=True):
    """Nothing was asked for yet."""


class Recalled(Struct, frozen=True):
    """The rows are from an earlier run."""

    at: float
    """When the server said them, Unix seconds."""


class Running(Struct, frozen=True):
    """Pages are arriving."""

    done: int
    """Records this load has brought."""
    total: int | None
    """None until the first page says it."""
    before: float | None
    """When the rows shown meanwhile were loaded; None when there are none."""
    is_asked: bool = False
    """The person asked for it and wants to see how far it is."""


class Loaded(Struct, frozen=True):
    """Everything arrived."""

    at: float


class LoadFailed(Struct, frozen=True):
    """It broke off. Rows from before, and those that did arrive, are still shown."""

    error: ApiError
    at: float
    before: float | None
    """When the rows shown were last complete; None when they never were."""
    done: int
    total: int | None


State = Empty | Recalled | Running | Loaded | LoadFailed


class Loading(Generic[Row]):
    """Loads one list, as often as asked, one load at a time.

    Lists that fill the same collection share a `turn`.
    """

    def __init__(
        self,
        collection: Collection[Row],
        pages: Callable[[], AsyncIterable[Page[Row]]],
        *,
        covers: Callable[[Row], bool] = lambda _row: True,
        is_whole: bool = True,
        turn: asyncio.Lock | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._collection = collection
        self._pages = pages
        self._covers = covers
        self._is_whole = is_whole
        self._turn = turn or asyncio.Lock()
        self._clock = clock
        self._watchers: list[Callable[[], None]] = []
        self._done = 0
        self._total: int | None = None
        self._unfinished: tuple[AsyncIterable[Page[Row]], RunningLoad] | None = None
        """The pages of a load that failed, to go on with."""
        self.state: State = Empty()
        self.trouble: ApiError | None = None
        """Why the rows may be out of date: the last load or comparison failed."""
        self.is_capped = False
        """The total the server says is a lower bound; only the end of the list tells."""
        self.loaded_at: float | None = None
        """When the rows were last complete, Unix seconds by this machine's clock."""
        self.server_ahead: float = 0.0
        """Seconds the server's clock is ahead of ours."""

    @property
    def age(self) -> float | None:
        """Seconds since the rows were complete; None when they never were."""
        return None if self.loaded_at is None else max(0.0, self._clock() - self.loaded_at)

    @property
    def is_running(self) -> bool:
        """True while pages are awaited."""
        return isinstance(self.state, Running)

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Calls `told` after every change of state; the answer stops that."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told) if told in self._watchers else None

    def recall(self, rows: tuple[Row, ...], at: float) -> None:
        """Shows rows of an earlier run, unless newer ones are there already."""
        if not isinstance(self.state, Empty):
            return
        self._collection.recall(rows, at)
        self.loaded_at = at
        self._become(Recalled(at))

    def confirm(self) -> None:
        """The rows were compared with the server's without loading them again, and are current."""
        if isinstance(self.state, Loaded):
            self.trouble, self.loaded_at = None, self._clock()
            self._become(Loaded(self.loaded_at))

    def set_trouble(self, trouble: ApiError | None) -> None:
        """The rows could not be compared with the server's, or, with None, some of them could again."""
        if trouble is not self.trouble:
            self.trouble = trouble
            self._become(self.state)

    def take_whole(self, page: Page[Row]) -> None:
        """This page, asked for just now, is the whole list. Not taken while pages of another load arrive."""
        if isinstance(self.state, Loaded) and not self._turn.locked():
            self._collection.begin_load(is_whole=self._is_whole)
            self._collection.add_page(page.rows, page.total, page.unreadable)
            self._collection.finish_load(self._covers, self._clock())
            self.confirm()

    async def run(self, *, is_asked: bool = False, resume: bool = False) -> State:
        """Loads the list once. A failure is a state, no exception; a second call while one runs does nothing.

        With `resume`, a load that failed lately goes on with the pages that are missing. When the task is
        cancelled the state from before comes back and the rows that came stay.
        """
        if self.is_running:
            return self.state
        before = self.state
        if not (resume and self._can_resume(before)):
            self._unfinished, self._done, self._total = None, 0, None
        self._become(Running(self._done, self._total, self.loaded_at, is_asked))
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
        except ApiError as error:
            self.trouble, self._unfinished = error, (pages, load)
            self._become(LoadFailed(error, self._clock(), self.loaded_at, self._done, self._total))
        else:
            self.trouble, self.loaded_at = None, self._clock()
            self._collection.finish_load(self._covers, self.loaded_at)
            self._become(Loaded(self.loaded_at))
        finally:
            if self._unfinished is None:
                self._collection.abandon_load()

    def _take(self, page: Page[Row]) -> None:
        if page.server_time is not None:
            self.server_ahead = page.server_time - self._clock()
        self._done += len(page.rows) + len(page.unreadable)
        self._total = max(page.total, self._total or 0)
        self.is_capped = bool(getattr(page, "is_capped", False))
        is_asked = isinstance(self.state, Running) and self.state.is_asked
        # What draws the rows of this page counts them as well.
        self.state = Running(self._done, self._total, self.loaded_at, is_asked)
        self._collection.add_page(page.rows, page.total, page.unreadable)
        self._become(self.state)

    def _become(self, state: State) -> None:
        self.state = state
        for told in tuple(self._watchers):
            told()
