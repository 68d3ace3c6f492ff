"""How slowly a body may arrive, and what its head announces."""

import asyncio
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import Request

from flagtui.service.errors import Fault
from flagtui.service.request_body import Pace, check_announced, is_announced, read_body

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
