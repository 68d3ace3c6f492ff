"""How long an event loop is kept from everything else: what a person feels as a key that is not heard."""

import asyncio
import time
from types import TracebackType
from typing import Final, Self

PAUSE: Final = 0.001
"""Seconds between two looks: one that never rests would take turns with threads, which then take longer."""


class LoopBlocks:
    """Measures the longest turn of the running loop while it is open."""

    def __init__(self) -> None:
        self.longest = 0.0
        """Seconds by the clock."""
        self.most_work = 0.0
        """Seconds of the processor in one turn, whatever else the machine does."""
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await asyncio.sleep(2 * PAUSE)
        if self._ticking is not None:
            self._ticking.cancel()

    async def _tick(self) -> None:
        clock, work = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(PAUSE)
            now, done = time.perf_counter(), time.thread_time()
            self.longest = max(self.longest, now - clock - PAUSE)
            self.most_work = max(self.most_work, done - work)
            clock, work = now, done
