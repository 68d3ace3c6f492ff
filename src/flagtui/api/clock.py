"""Time as the client sees it, so that a test can run a day in a second; which request goes first."""

import asyncio
import time
from enum import IntEnum
from typing import Protocol


class Clock(Protocol):
    """Wall time for ages, steady time for waits."""

    def time(self) -> float:
        """Unix seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds that never jump."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Urgency(IntEnum):
    """Lower goes first."""

    PERSON = 0
    """The person waits for this request."""
    LOADING = 1
    """Part of a list that is on screen."""
    BACKGROUND = 2
    """No request waits."""
