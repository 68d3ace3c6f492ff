"""Brings the pages of a list into its collection, and says how far it is."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from flagtui.api.errors import ApiError
from flagtui.store.collection import Collection, Identified

Row = TypeVar("Row", bound=Identified)
PageRow = TypeVar("PageRow", covariant=True)


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


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing was asked for yet."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The rows are from an earlier run."""

    at: float
    """When the server said them, Unix seconds."""


@dataclass(frozen=True, slots=True)
class Running:
    """Pages are arriving."""

    done: int
    """Records this load has brought."""
    total: int | None
    """None until the first page says it."""
    before: float | None
    """When the rows shown meanwhile were loaded; None when there are none."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Everything arrived."""

    at: float


@dataclass(frozen=True, slots=True)
class Failed:
    """It broke off. Rows from before, and those that did arrive, are still shown."""

    error: ApiError
    at: float
    before: float | None
    """When the rows shown were last complete; None when they never were."""
    done: int
    total: int | None


State = Empty | Recalled | Running | Loaded | Failed


class Loading(Generic[Row]):
    """Loads one list, as often as asked, one load at a time.

    Lists that fill the same collection share a `turn`.
    """

    def __init__(
        self,
        collection: Collection[Row],
        pages: Callable[[], AsyncIterator[Page[Row]]],
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
        self.state: State = Empty()
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
            self.loaded_at = self._clock()
            self._become(Loaded(self.loaded_at))

    async def run(self) -> State:
        """Loads the list once. A failure is a state, no exception; a second call while one runs does nothing.

        When the task is cancelled the state from before comes back and the rows that came stay.
        """
        if self.is_running:
            return self.state
        before, self._done, self._total = self.state, 0, None
        self._become(Running(0, None, self.loaded_at))
        try:
            async with self._turn:
                await self._load()
        finally:
            if self.is_running:
                self._become(before)
        return self.state

    async def _load(self) -> None:
        self._collection.begin_load(is_whole=self._is_whole)
        try:
            async for page in self._pages():
                self._take(page)
        except ApiError as error:
            self._become(Failed(error, self._clock(), self.loaded_at, self._done, self._total))
        else:
            self.loaded_at = self._clock()
            self._collection.finish_load(self._covers, self.loaded_at)
            self._become(Loaded(self.loaded_at))
        finally:
            self._collection.abandon_load()

    def _take(self, page: Page[Row]) -> None:
        self._collection.add_page(page.rows, page.total, page.unreadable)
        if page.server_time is not None:
            self.server_ahead = page.server_time - self._clock()
        self._done += len(page.rows) + len(page.unreadable)
        self._total = max(page.total, self._total or 0)
        self.is_capped = bool(getattr(page, "is_capped", False))
        self._become(Running(self._done, self._total, self.loaded_at))

    def _become(self, state: State) -> None:
        self.state = state
        for told in tuple(self._watchers):
            told()
