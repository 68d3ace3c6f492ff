"""The demo with a server that makes a change and does not say so, and a clock that need not be waited for.

usage: stalled_demo.py [ARGUMENTS OF flagtui]        the file FLAGTUI_ANSWER_WHEN names lets the answer go
"""

import asyncio
import os
import time
from pathlib import Path

import httpx
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.clock import SystemClock
from flagtui.app import app as home
from flagtui.app.state.app_state import Session
from flagtui.cli.main import main

ANSWER_WHEN = Path(os.environ.get("FLAGTUI_ANSWER_WHEN", "/nowhere/at all"))


class HastyClock(SystemClock):
    """A dialog is armed at once, and looking again takes no time."""

    def monotonic(self) -> float:
        return time.monotonic() * 1_000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 1_000)


def may_answer() -> bool:
    return ANSWER_WHEN.exists()


class Stalling(httpx.AsyncBaseTransport):
    """Passes everything on; a change is made, but its answer does not come before it may."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        if request.method == "PATCH":
            while not may_answer():  # noqa: ASYNC110  # another process says so
                await asyncio.sleep(0.01)
        return answer


class StalledTui(home.FlagTui):
    def __init__(self, session: Session) -> None:
        async def connect() -> Client:
            client = await session.connect()
            assert client.connection.transport is not None
            client.connection.transport = Stalling(client.connection.transport)
            return client

        super().__init__(replace(session, connect=connect, clock=HastyClock()))


if __name__ == "__main__":
    home.FlagTui = StalledTui  # type: ignore[misc]
    main()
