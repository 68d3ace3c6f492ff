"""How long a whole project takes to load over a link with a long round trip.

    python benchmarks/paging.py [FLAGS] [ROUND_TRIP_MS]

Serves the pages from a process of its own on a loopback port, each after one round trip, and loads them
with the client. The bound is (1 + ceil((pages - 1) / 8)) round trips: the first page, then eight at a time.
"""

import asyncio
import math
import multiprocessing
import socket
import statistics
import sys
import time
from dataclasses import dataclass

from decoding import page

from flagtui.api import Client
from flagtui.api.pagination import AT_ONCE, FIRST_PAGE, PAGES

ROUNDS = 5
GOAL = 1.3
KEY = "phx_benchmark_only"


@dataclass
class Load:
    """One load: when the first rows were there, when all were."""

    first: float
    all: float
    rows: int
    pages: int


class Pages(asyncio.Protocol):
    """Just enough of HTTP to answer a list page after one round trip."""

    bodies: dict[tuple[int, int], bytes]
    delay: float

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.text = b""

    def data_received(self, data: bytes) -> None:
        self.text += data
        while b"\r\n\r\n" in self.text:
            head, self.text = self.text.split(b"\r\n\r\n", 1)
            asyncio.get_running_loop().call_later(self.delay, self.answer, head.split(b" ", 2)[1].decode())

    def answer(self, target: str) -> None:
        parameters = dict(part.split("=") for part in target.partition("?")[2].split("&"))
        body = self.bodies[int(parameters.get("offset", 0)), int(parameters["limit"])]
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


def serve(
    listener: socket.socket, count: int, delay: float, is_ready: "multiprocessing.synchronize.Event"
) -> None:
    step = next((size for longer_than, size in PAGES if count > longer_than), FIRST_PAGE)
    spans = [(0, FIRST_PAGE), *((offset, step) for offset in range(FIRST_PAGE, count, step))]
    Pages.bodies = {span: page(span[0], span[1], count) for span in spans}
    Pages.delay = delay

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Pages, sock=listener)
        is_ready.set()
        await server.serve_forever()

    asyncio.run(run())


async def load(port: int) -> Load:
    began = time.perf_counter()
    first = 0.0
    rows = pages = 0
    async with Client(f"http://127.0.0.1:{port}", KEY, 1) as client:
        async for page in client.flags.pages():
            first = first or time.perf_counter() - began
            rows += len(page.rows)
            pages += 1
    return Load(first, time.perf_counter() - began, rows, pages)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    delay = (float(sys.argv[2]) if len(sys.argv) > 2 else 50.0) / 1000
    listener = socket.create_server(("127.0.0.1", 0))
    is_ready = multiprocessing.Event()
    server = multiprocessing.Process(target=serve, args=(listener, count, delay, is_ready), daemon=True)
    server.start()
    is_ready.wait()
    loads = [asyncio.run(load(listener.getsockname()[1])) for _ in range(ROUNDS)]
    server.terminate()
    pages = loads[0].pages
    bound = (1 + math.ceil((pages - 1) / AT_ONCE)) * delay
    taken = statistics.median(load.all for load in loads)
    print(
        f"{loads[0].rows:,} flags in {pages} pages, {delay * 1000:.0f} ms round trip, {ROUNDS} loads, median"
    )
    print(f"  first rows {statistics.median(load.first for load in loads) * 1000:7.0f} ms")
    print(f"  all rows   {taken * 1000:7.0f} ms")
    print(f"  bound      {bound * 1000:7.0f} ms; {taken / bound:.2f} of it (goal: at most {GOAL})")
    sys.exit(loads[0].rows != count or taken / bound > GOAL)


if __name__ == "__main__":
    main()
