"""The service on a port under what no client of ours sends: crowds, huge, deep, malformed requests."""

import asyncio
import os
import socket
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Thread
from typing import Final

import pytest
from tests.service.test_server import KEY, Served, serving

from flagtui.service.connections import HEAD_SECONDS, MOST_CONNECTIONS

PATH: Final = "/api/projects/1/feature_flags/"
CROWD: Final = int(os.environ.get("FLAGTUI_CROWD", "100"))
"""Requests at once; 1,000 in `make check-rough`."""
GROWTH: Final = 64.0
"""MiB of memory that the service may take for any of this."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """One for all of them: what one leaves behind, the next one meets."""
    with serving(folder) as service:
        # It writes a line for each request, which fill a pipe that is not read.
        reading = Thread(target=deque, args=(service.process.stdout, 0))
        reading.start()
        yield service
        service.process.kill()
        reading.join()


def memory(served: Served) -> float:
    """MiB in memory."""
    pages = int(Path(f"/proc/{served.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def raw(method: str = "GET", path: str = PATH, headers: str = f"Authorization: Bearer {KEY}\r\n") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}Connection: close\r\n\r\n".encode()


async def status_of(port: int, sent: bytes) -> int:
    """The status of the answer; 0 where the connection was closed without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(ConnectionError):
        writer.write(sent)
        await writer.drain()
    with suppress(ConnectionError):
        line = await asyncio.wait_for(reader.readline(), 60)
        writer.close()
        return int(line.split()[1]) if line.startswith(b"HTTP/") else 0
    return 0


async def test_all_of_a_crowd_are_served(served: Served) -> None:
    before = memory(served)
    many = Counter(await asyncio.gather(*(status_of(served.port, raw()) for _ in range(CROWD))))
    assert set(many) <= {200, 503}, many
    # The thousandth may be one too many.
    assert many[200] >= min(CROWD, MOST_CONNECTIONS), many
    assert memory(served) - before < GROWTH


async def test_only_surplus_connections_get_503(served: Served) -> None:
    with ExitStack() as open_ones:
        first, *_ = [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=30))
            for _ in range(MOST_CONNECTIONS)
        ]
        # Some may still wait in the system to be taken.
        async with asyncio.timeout(HEAD_SECONDS):
            while await status_of(served.port, raw()) != 503:
                pass
        first.sendall(raw())
        assert first.recv(15).split()[1] == b"200"
    assert served.ask("GET", PATH)[0] == 200


async def test_slow_and_malformed_requests_hold_nothing_up(served: Served) -> None:
    slow = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(50)]
    for sender in slow:
        sender.sendall(b"GET /api/projects/ HTTP/1.1\r\nHost: 127")
    assert served.ask("GET", PATH)[0] == 200
    for sender in slow:
        sender.close()
    for sent in MALFORMED:
        with suppress(TimeoutError):
            status = await asyncio.wait_for(status_of(served.port, sent), 1)
            assert status == 0 or 400 <= status < 600, sent[:60]
    assert served.ask("GET", PATH)[0] == 200


def test_body_of_100_megabytes_is_refused_before_reading(served: Served) -> None:
    before, part, taken = memory(served), b"x" * 2**20, 0
    for length in (f"Content-Length: {100 * 2**20}\r\n", "Transfer-Encoding: chunked\r\n"):
        head = f"Authorization: Bearer {KEY}\r\nContent-Type: application/json\r\n{length}"
        with closing(socket.create_connection(("127.0.0.1", served.port), timeout=30)) as connection:
            with suppress(ConnectionError, TimeoutError):
                connection.sendall(raw("POST", headers=head))
                for _ in range(100):
                    connection.sendall(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                    taken += 1
            with suppress(ConnectionError):
                assert connection.recv(64)[:12] in (b"HTTP/1.1 413", b"")
    assert taken < 100
    assert memory(served) - before < GROWTH
    assert served.ask("GET", PATH)[0] == 200


def test_endless_bodies_take_little_memory_and_block_no_reads(served: Served) -> None:
    before, length = memory(served), 2**20
    head = f"Authorization: Bearer {KEY}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    with ExitStack() as open_ones:
        for _ in range(200):
            connection = open_ones.enter_context(socket.create_connection(("127.0.0.1", served.port)))
            connection.setblocking(False)
            sent = raw("POST", headers=head) + b" " * (length - 1)
            with suppress(BlockingIOError):
                while sent:
                    sent = sent[connection.send(sent) :]
        assert served.ask("GET", PATH)[0] == 200
        assert memory(served) - before < GROWTH
    assert served.ask("POST", PATH, '{"key": "after-bodies"}')[0] == 201


def test_a_sender_of_a_large_body_gets_the_refusal(served: Served) -> None:
    """The body is 3 MiB, more than is dropped, so that some of it is still on its way."""
    length = 3 * 2**20
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=10)) as connection:
        with suppress(ConnectionError):
            connection.sendall(raw("PATCH", f"{PATH}1/", f"Content-Length: {length}\r\n") + b" " * length)
        assert connection.recv(12) == b"HTTP/1.1 401"


MALFORMED: Final = (
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",
    b"\x00" * 1_000,
)
