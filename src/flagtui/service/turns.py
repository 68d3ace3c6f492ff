"""Turns at what only a few may do at once: in order for one owner, in rotation between owners."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator


class NoTurn(Exception):
    """A request waited too long for its turn."""


class Turns:
    """Up to `total` turns at once, up to `per_owner` of them held by one owner; the rest wait.

    Waiting owners are served in rotation (round robin), so many requests of one owner delay another owner
    by one turn each time, not by all of them. Belongs to one event loop.
    """

    def __init__(self, total: int, per_owner: int) -> None:
        self._free = total
        self._per_owner = per_owner
        self._held: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """The owner that is next in rotation first."""

    @contextlib.asynccontextmanager
    async def hold(self, owner: str, longest_wait: float) -> AsyncIterator[None]:
        """Wait up to `longest_wait` seconds for a turn and hold it. Raises NoTurn."""
        await self._take(owner, longest_wait)
        try:
            yield
        finally:
            self._give_back(owner)

    async def _take(self, owner: str, longest_wait: float) -> None:
        if self._free and self._held[owner] < self._per_owner and owner not in self._waiting:
            self._count(owner)
            return
        granted = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(granted)
        # A future that is cancelled here leaves the queue when its turn comes.
        try:
            async with asyncio.timeout(longest_wait):
                await granted
        except (TimeoutError, asyncio.CancelledError) as fault:
            if not granted.cancelled():
                self._give_back(owner)
            if isinstance(fault, TimeoutError):
                raise NoTurn from None
            raise

    def _count(self, owner: str) -> None:
        self._free -= 1
        self._held[owner] += 1

    def _give_back(self, owner: str) -> None:
        self._free += 1
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]
        while self._free and (next_owner := self._next_owner()) is not None:
            self._grant(next_owner)

    def _next_owner(self) -> str | None:
        eligible = (owner for owner in self._waiting if self._held[owner] < self._per_owner)
        return next(eligible, None)

    def _grant(self, owner: str) -> None:
        requests = self._waiting.pop(owner)
        granted = requests.popleft()
        while granted.done() and requests:
            granted = requests.popleft()
        if requests:
            # At the end: the other owners are next.
            self._waiting[owner] = requests
        if not granted.done():
            granted.set_result(None)
            self._count(owner)
