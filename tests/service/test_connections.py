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


async def read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the head of one response; its body is read, too."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = head.split(b"content-length: ")[1].split(b"\r\n")[0]
    await reader.readexactly(int(length))
    return int(head.split()[1]), head


async def write_without_end(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await Response(str(len(body)))(scope, receive, send)


async def test_a_refused_sender_gets_one_response_and_a_clean_end() -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(HEAD % 1000 + b"x")
        status, head = await read_response(reader)
        assert (status, b"connection: close" in head) == (401, True)
        # The rest looks like another request; it is part of the body.
        writer.write((GET * 100)[:999])
        await writer.drain()
        assert await reader.read() == b""


async def test_fast_and_waiting_senders_get_the_refusal() -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(HEAD % LINGER_BYTES + b"x" * LINGER_BYTES)
        assert (await read_response(reader))[0] == 401
        assert await reader.read() == b""
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(HEAD[:-2] % 1000 + b"Expect: 100-continue\r\n\r\n")
        assert (await read_response(reader))[0] == 401


async def test_a_body_without_end_is_dropped_only_for_a_while() -> None:
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(b"PATCH / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert (await read_response(reader))[0] == 401
        with pytest.raises(ConnectionError):
            await write_without_end(writer)


async def test_read_and_absent_bodies_keep_the_connection() -> None:
    async with connect(Lingering(read_all)) as (reader, writer):
        for _ in range(2):
            writer.write(HEAD % 3 + b"abc")
            status, head = await read_response(reader)
            assert (status, b"connection: close" in head) == (200, False)
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        for _ in range(2):
            writer.write(GET)
            status, head = await read_response(reader)
            assert (status, b"connection: close" in head) == (401, False)


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
    head = b"PATCH / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(head + b"zz\r\n")
        response = await reader.read()
    assert response.startswith(b"HTTP/1.1 400")
    async with connect(Lingering(REFUSAL)) as (reader, writer):
        writer.write(head)
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


async def test_bodies_that_stop_are_408_at_the_longest_time() -> None:
    with pytest.raises(Fault) as refused:
        await read_body(request_of(b"x", ends=False), 1000, Pace(grace=0.01, slowest=1000, longest=10))
    assert refused.value.status == 408
    assert b"must average 1000 bytes per second" in refused.value.content
    assert b"Nothing was changed." in refused.value.content
    with pytest.raises(Fault) as refused:
        await read_body(request_of(b"x" * 60, ends=False), 10**6, Pace(grace=0.01, slowest=1, longest=0.01))
    assert refused.value.status == 408


async def test_bytes_that_arrive_extend_the_time() -> None:
    pace = Pace(grace=0.01, slowest=1, longest=60)
    assert len(await read_body(request_of(*([b"x" * 60] + [b"x"] * 5000)), 10_000, pace)) == 5060


@pytest.mark.parametrize(("size", "seconds"), [(0, 3.0), (1024, 4.0), (10 * 1024, 13.0), (20 * 2**20, 30.0)])
def test_every_kibibyte_buys_a_second(size: int, seconds: float) -> None:
    assert Pace().seconds_for(size) == seconds


@pytest.mark.parametrize("rate", [2000, 1100])
def test_an_honest_slow_link_always_keeps_the_pace(rate: int) -> None:
    for size in range(0, 25 * rate, 100):
        assert Pace().seconds_for(size) > size / rate


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, False),
        ({"Content-Length": "0"}, False),
        ({"Content-Length": "00"}, False),
        ({"Content-Length": "1"}, True),
        ({"Transfer-Encoding": "chunked"}, True),
    ],
)
def test_a_body_is_announced_by_length_or_encoding(headers: dict[str, str], expected: bool) -> None:
    assert is_announced(Headers(headers)) == expected


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Length": "1001", **JSON}, 413),
        ({"Content-Length": "9" * 5000, **JSON}, 413),
        ({"Content-Length": "10", "Content-Type": "text/plain"}, 415),
        ({"Transfer-Encoding": "chunked"}, 415),
    ],
)
def test_the_head_alone_refuses_a_body(headers: dict[str, str], status: int) -> None:
    with pytest.raises(Fault) as refused:
        check_announced(Headers(headers), 1000)
    assert refused.value.status == status
