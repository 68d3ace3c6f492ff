"""The demo with a change of the app, named by the first argument.

usage: changed_demo.py crashing | paged | stalled [ARGUMENTS OF flagtui]

    crashing  f9 makes it fail, a secret in a local as real code might; FLAGTUI_NO_REPORT=1: on a full disk
    paged     its server has an address whose pages could be opened in a browser
    stalled   a change is made, its answer waits for the file FLAGTUI_ANSWER_WHEN names; time runs fast
"""

import asyncio
import os
import sys
import time
from pathlib import Path

import httpx
from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.clock import SystemClock
from flagtui.app import app as home
from flagtui.app.state.app_state import Session
from flagtui.cli.launch.demo_service import KEY
from flagtui.cli.main import main

SECRET = "phx_a_secret_" + "that_must_not_be_shown"
HOST = "https://flags.example.com"
ANSWER_WHEN = Path(os.environ.get("FLAGTUI_ANSWER_WHEN", "/nowhere/at all"))


class CrashingTui(home.FlagTui):
    def __init__(self, session: Session) -> None:
        takes_report = not os.environ.get("FLAGTUI_NO_REPORT")
        super().__init__(session if takes_report else replace(session, state_folder=Path("/dev/full")))

    def key_f9(self) -> None:
        held = SECRET
        raise RuntimeError(f"asked to fail with {len(held)} characters in hand")


class PagedTui(home.FlagTui):
    def __init__(self, session: Session) -> None:
        async def connect() -> Client:
            client = await session.connect()
            return Client(HOST, KEY, client.project, transport=client.connection.transport)

        super().__init__(replace(session, connect=connect, embedded_in=""))


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
        while request.method == "PATCH" and not may_answer():  # noqa: ASYNC110  # another process says so
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
    changed = {"crashing": CrashingTui, "paged": PagedTui, "stalled": StalledTui}
    home.FlagTui = changed[sys.argv.pop(1)]  # type: ignore[misc]
    main()
