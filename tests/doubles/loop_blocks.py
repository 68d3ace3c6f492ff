"""How long an event loop is kept from everything else: what a person feels as a key that is not heard."""

import asyncio
import gc
import threading
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
        self.longest_own = 0.0
        """The same without what other programs took: at most the time of the processor for all threads."""
        self.most_work = 0.0
        """Seconds of the processor in one turn, without garbage collections: they search other tests, too."""
        self._collecting = 0.0
        """Seconds of the processor that collections took so far."""
        self._collection_began = 0.0
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        gc.callbacks.append(self._weigh_collection)
        self._ticking = asyncio.create_task(self._tick())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await asyncio.sleep(2 * PAUSE)
        gc.callbacks.remove(self._weigh_collection)
        if self._ticking is not None:
            self._ticking.cancel()

    async def _tick(self) -> None:
        clock, own, work = time.perf_counter(), time.process_time(), self._work()
        while True:
            await asyncio.sleep(PAUSE)
            now, all, done = time.perf_counter(), time.process_time(), self._work()
            self.longest = max(self.longest, now - clock - PAUSE)
            self.longest_own = max(self.longest_own, min(now - clock - PAUSE, all - own))
            self.most_work = max(self.most_work, done - work)
            clock, own, work = now, all, done

    def _work(self) -> float:
        return time.thread_time() - self._collecting

    def _weigh_collection(self, phase: str, _details: dict[str, int]) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if phase == "start":
            self._collection_began = time.thread_time()
        else:
            self._collecting += time.thread_time() - self._collection_began
