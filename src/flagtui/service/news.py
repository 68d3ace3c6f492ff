"""News that something changed, for callers that keep a connection open."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

HEARTBEAT_SECONDS: Final = 15.0
"""Between two comments on a quiet stream: a connection that is gone is noticed by them."""


class News:
    """Counts changes; streams begin at the present and get one event for all changes since the last."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = asyncio.Event()
        self._has_ended = False

    def announce(self) -> None:
        """Report a change to all streams. Call it in the event loop that serves them."""
        self._count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def end(self) -> None:
        """End all streams: the server stops. Call it in the event loop that serves them."""
        self._has_ended = True
        self._changed.set()

    async def events(self, heartbeat: float = HEARTBEAT_SECONDS) -> AsyncIterator[bytes]:
        """Yield server-sent events that ask for a new evaluation, and comments while nothing changes."""
        sent = self._count
        yield b": connected\n\n"
        while not self._has_ended:
            if sent == self._count:
                try:
                    async with asyncio.timeout(heartbeat):
                        await self._changed.wait()
                except TimeoutError:
                    yield b":\n\n"
                    continue
            if self._has_ended:
                return
            sent = self._count
            yield b'data: {"type":"refetchEvaluation"}\n\n'
