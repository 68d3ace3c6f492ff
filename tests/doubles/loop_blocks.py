"""How long an event loop is kept from everything else: what a person feels as a key that is not heard."""

import asyncio
import time
from types import TracebackType
from typing import Self


class LoopBlocks:
    """Measures the longest turn of the running loop while it is open."""

    def __init__(self) -> None:
        self.longest = 0.0
        """Seconds."""
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await asyncio.sleep(0)
        if self._ticking is not None:
            self._ticking.cancel()

    async def _tick(self) -> None:
        before = time.perf_counter()
        while True:
            await asyncio.sleep(0)
            now = time.perf_counter()
            self.longest = max(self.longest, now - before)
            before = now
