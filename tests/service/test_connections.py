"""How slowly a body may arrive, and how connections of the server end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from flagtui.service.connections import LINGER_BYTES, Lingering, PromptProtocol
from flagtui.service.errors import Fault
from flagtui.service.request_body import Pace, check_announced, is_announced, read_body

REFUSAL = JSONResponse({"detail": "refused"}, 401)
HEAD = b"PATCH / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"
GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
CHUNKED = b"PATCH / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"


class Hasty(PromptProtocol):
    head_seconds = 0.05


@asynccontextmanager
async def connect(
    application: ASGIApp, protocol: type[PromptProtocol] = PromptProtocol
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to an application on loopback, which must end within 5 seconds."""
    config = uvicorn.Config(application, log_config=None, lifespan="off")
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
    async with server, asyncio.timeout(5):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            yield reader, writer
        finally:
            writer.close()


async def read_response(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """Read one response; return its status, and whether it closes the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.split(b"content-length: ")[1].split(b"\r\n")[0]
    await reader.readexactly(int(length))
    return int(head.split()[1]), b"connection: close" in head


async def write_without_end(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await Response(str(len(body)))(scope, receive, send)


@pytest.mark.parametrize(("sent", "rest"), [
    # The rest looks like another request; it is part of the body.
    pytest.param(HEAD % 1000 + b"x", (GET * 100)[:999], id="a rest that comes later"),
    pytest.param(HEAD % LINGER_BYTES + b"x" * LINGER_BYTES, b"", id="a whole body"),
    pytest.param(HEAD[:-2] % 1000 + b"Expect: 100-continue\r\n\r\n", None, id="a sender that waits"),
])  # fmt: skip
async def test_a_refused_sender_gets_one_response_and_a_clean_end(sent: bytes, rest: bytes | None) -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(sent)
        assert await read_response(reader) == (401, True)
        if rest is not None:
            writer.write(rest)
            await writer.drain()
            assert await reader.read() == b""


async def test_a_body_without_end_is_dropped_only_for_a_while() -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(CHUNKED)
        assert (await read_response(reader))[0] == 401
        with pytest.raises(ConnectionError):
            await write_without_end(writer)


async def test_read_and_absent_bodies_keep_the_connection() -> None:
    for application, sent, status in (
        (Lingering(read_all), HEAD % 3 + b"abc", 200),
        (Lingering(REFUSAL), GET, 401),
    ):
        async with connect(application) as (reader, writer):
            for _ in range(2):
                writer.write(sent)
                assert await read_response(reader) == (status, False)


@pytest.mark.parametrize("before", [b"", GET, HEAD % 3 + b"abc"])
async def test_half_a_head_ends_the_connection(before: bytes) -> None:
    async with connect(Lingering(read_all), Hasty) as (reader, writer):
        if before:
            writer.write(before)
            await read_response(reader)
        writer.write(b"GET / HTTP/1.1\r\nHost")
        assert await reader.read() == b""


async def test_a_whole_head_stops_its_timer() -> None:
    release = asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await release.wait()
        await REFUSAL(scope, receive, send)

    async with connect(slow, Hasty) as (reader, writer):
        writer.write(GET)
        asyncio.get_running_loop().call_later(2 * Hasty.head_seconds, release.set)
        assert (await read_response(reader))[0] == 401


async def test_broken_chunks_get_one_response_and_no_traceback(caplog: Any) -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(CHUNKED + b"zz\r\n")
        response = await reader.read()
    assert response.startswith(b"HTTP/1.1 400")
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(CHUNKED)
        assert (await read_response(reader))[0] == 401
        writer.write(b"zz\r\n")
        assert await reader.read() == b""
    assert [record for record in caplog.records if record.exc_info] == []


JSON = {"Content-Type": "application/json"}


def request_of(*parts: bytes, ends: bool = True) -> Request:
    """A request whose parts arrive one by one, a turn of the event loop apart."""
    coming = iter(parts)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        part = next(coming, None)
        if part is None and not ends:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


@pytest.mark.parametrize(("sent", "pace", "words"), [
    pytest.param(
        b"x", Pace(grace=0.01, slowest=1000, longest=10), b"must average 1000 bytes", id="too slow"
    ),
    pytest.param(b"x" * 60, Pace(grace=0.01, slowest=1, longest=0.01), b"", id="too long"),
])  # fmt: skip
async def test_bodies_that_stop_are_408(sent: bytes, pace: Pace, words: bytes) -> None:
    with pytest.raises(Fault) as refused:
        await read_body(request_of(sent, ends=False), 1000, pace)
    assert refused.value.status == 408
    assert words in refused.value.content
    assert b"Nothing was changed." in refused.value.content


async def test_bytes_that_arrive_extend_the_time() -> None:
    pace = Pace(grace=0.01, slowest=1, longest=60)
    assert len(await read_body(request_of(*([b"x" * 60] + [b"x"] * 5000)), 10_000, pace)) == 5060


@pytest.mark.parametrize(("size", "seconds"), [(0, 3.0), (1024, 4.0), (10 * 1024, 13.0), (20 * 2**20, 30.0)])
def test_every_kibibyte_buys_a_second(size: int, seconds: float) -> None:
    assert Pace().seconds_for(size) == seconds


@pytest.mark.parametrize(("headers", "is_body", "status"), [
    ({}, False, 0),
    ({"Content-Length": "0"}, False, 0),
    ({"Content-Length": "00"}, False, 0),
    ({"Content-Length": "1", **JSON}, True, 0),
    ({"Content-Length": "1001", **JSON}, True, 413),
    ({"Content-Length": "9" * 5000, **JSON}, True, 413),
    ({"Content-Length": "10", "Content-Type": "text/plain"}, True, 415),
    ({"Transfer-Encoding": "chunked"}, True, 415),
])  # fmt: skip
def test_the_head_announces_a_body_and_may_refuse_it(
    headers: dict[str, str], is_body: bool, status: int
) -> None:
    assert is_announced(Headers(headers)) == is_body
    if status:
        with pytest.raises(Fault) as refused:
            check_announced(Headers(headers), 1000)
        assert refused.value.status == status
