"""Clients whose server is a function, and a clock that only moves when told to wait."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias, Unpack

import httpx
import pytest
from tests.doubles.steady_clock import StoppedClock

from flagtui.api.client import Client, ClientOptions

KEY = "phx_canary_7f3a9c51d2"
HOST = "https://flags.example.test"

Answering: TypeAlias = Callable[[httpx.Request], httpx.Response | Awaitable[httpx.Response]]
MakeClient: TypeAlias = Callable[..., Client]


class StillClock(StoppedClock):
    """Time that passes only when everyone waits, and then at once; the waits are remembered."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        super().__init__(now)
        self.waits: list[float] = []
        self._until: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        until = self.now + seconds
        self._until.append(until)
        try:
            for _ in range(3):
                await asyncio.sleep(0)
            while until > min(self._until):  # noqa: ASYNC110  # others wait for this clock
                await asyncio.sleep(0)
            self.now = max(self.now, until)
        finally:
            self._until.remove(until)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
async def make_client(clock: StillClock) -> AsyncIterator[MakeClient]:
    made: list[Client] = []

    def make(
        answer: Answering, host: str = HOST, project: int | str = 1, **options: Unpack[ClientOptions]
    ) -> Client:
        async def handle(request: httpx.Request) -> httpx.Response:
            response = answer(request)
            return response if isinstance(response, httpx.Response) else await response

        settled: ClientOptions = {"clock": clock, "transport": httpx.MockTransport(handle), **options}
        client = Client(host, KEY, project, **settled)
        made.append(client)
        return client

    yield make
    for client in made:
        await client.close()


class Dripping(httpx.AsyncByteStream):
    """A body that comes in parts, and then ends or hangs; whether it was closed is remembered."""

    def __init__(self, *parts: bytes, hangs: bool = False) -> None:
        self.parts = parts
        self.hangs = hangs
        self.is_closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        if self.hangs:
            await asyncio.Event().wait()

    async def aclose(self) -> None:
        self.is_closed = True


class Recording:
    """A server that remembers its requests."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response | Awaitable[httpx.Response]:
        self.requests.append(request)
        return self.answer(request)

    @property
    def urls(self) -> list[httpx.URL]:
        return [request.url for request in self.requests]

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


def in_turn(*responses: httpx.Response) -> Answering:
    """One response after the other."""
    rest = iter(responses)
    return lambda request: next(rest)


def page(*records: Any, **rest: Any) -> bytes:
    """The body of a page with these records."""
    return json.dumps({"count": len(records), "next": None, "results": list(records), **rest}).encode()


def flag_page(count: int, offset: int, limit: int, next_page: str | None = None) -> dict[str, Any]:
    """A page of plain flags with ids from 1."""
    ids = range(offset + 1, min(offset + limit, count) + 1)
    return {"count": count, "next": next_page, "results": [{"id": id, "key": f"flag-{id}"} for id in ids]}


def serve_flags(count: int, next_page: str | None = None) -> Answering:
    def answer(request: httpx.Request) -> httpx.Response:
        query = request.url.params
        page = flag_page(count, int(query.get("offset", 0)), int(query["limit"]), next_page)
        return httpx.Response(200, json=page)

    return answer


def always(status: int, body: Any = None, **headers: str) -> Answering:
    """The same answer to everything; `body` is JSON unless it is bytes."""
    content = body if isinstance(body, bytes) else (b"" if body is None else json.dumps(body).encode())
    return lambda request: httpx.Response(status, content=content, headers=headers)
