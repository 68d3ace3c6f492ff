"""A clock on which waiting takes no time; due calls run in order."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from flagtui.api.clock import SystemClock


class StoppedClock:
    """Keeps its time; `now` sets it."""

    def __init__(self, now: float = 1_780_000_000.0) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


class SteadyClock(StoppedClock):
    """Counts the seconds slept. `at(5, call)` calls when five seconds have gone by."""

    def __init__(self, now: float = 1_780_000_000.0) -> None:
        super().__init__(now)
        self.began = now
        self.slept: list[float] = []
        self._due: list[tuple[float, Callable[[], None]]] = []

    def at(self, seconds: float, call: Callable[[], None]) -> None:
        self._due.append((self.began + seconds, call))

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        for when, call in [item for item in self._due if item[0] <= self.now]:
            self._due.remove((when, call))
            call()


class Timing(StoppedClock):
    """Time that moves when a test says so; waiting costs nothing."""

    async def sleep(self, seconds: float) -> None:
        if seconds == math.inf:
            await asyncio.Event().wait()
        self.now += seconds
        await asyncio.sleep(0)


@contextmanager
def without_waits() -> Iterator[None]:
    """Meanwhile the clock of this machine is put forward where anything would wait for it.

    For commands, which make their own clock. They wait seconds before they ask again.
    """
    ahead = 0.0

    async def sleep(_clock: SystemClock, seconds: float) -> None:
        nonlocal ahead
        ahead += seconds
        await asyncio.sleep(0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SystemClock, "sleep", sleep)
        patch.setattr(SystemClock, "monotonic", lambda _clock: time.monotonic() + ahead)
        patch.setattr(SystemClock, "time", lambda _clock: time.time() + ahead)
        yield
