"""The clock of the client, replaceable in tests, and the urgency of requests."""

import time
from enum import IntEnum
from typing import Protocol


class Clock(Protocol):
    """Wall time for ages, monotonic time for waits."""

    def time(self) -> float:
        """Return Unix seconds."""

    def monotonic(self) -> float:
        """Return seconds that never jump."""

    async def sleep(self, seconds: float) -> None:
        """Wait this many seconds."""


class SystemClock:
    """The clock of this machine."""

    def time(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        # A run without requests needs no event loop.
        import asyncio

        await asyncio.sleep(seconds)


class Urgency(IntEnum):
    """Urgency of a request; lower values go first."""

    PERSON = 0
    """The user waits for this request."""
    LOADING = 1
    """Part of a list that is on screen."""
    BACKGROUND = 2
    """Refreshes that no one waits for."""
