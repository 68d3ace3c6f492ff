"""How much work the service does for a list of 100 flags and for a change of one, of 10,000.

    python benchmarks/service.py

Both are asked in process, beside a Starlette endpoint that encodes the same page from ready Python values
with the standard library, in the same run: the ratio means more than one machine's figures. Time is
processor time of the whole process, so that waiting for the disk does not count.
"""

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from flagtui.service import Settings, close_service, create_service
from flagtui.service.sample_data import room_for, sample

KEY = "phx_bench"
ROUNDS, REQUESTS = 7, 100


async def ask(app: Any, method: str, path: str, query: str = "", body: bytes = b"") -> bytes:
    """One request straight into an ASGI application; gives back the body."""
    parts: list[bytes] = []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
        "headers": [
            (b"host", b"127.0.0.1"),
            (b"authorization", f"Bearer {KEY}".encode()),
            (b"content-type", b"application/json"),
        ],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return b"".join(parts)


async def processor_milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    """The median over rounds of the processor time of one call."""
    for _ in range(10):
        await work()
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(REQUESTS):
            await work()
        times.append((time.process_time() - started) / REQUESTS * 1000)
    return statistics.median(times)


def plain(page: Any) -> Starlette:
    """What a service without SQLite, keys or rules would do."""

    async def listing(request: Request) -> JSONResponse:
        return JSONResponse(page)

    async def change(request: Request) -> JSONResponse:
        return JSONResponse({**page["results"][0], **json.loads(await request.body())})

    return Starlette(routes=[Route("/flags/", listing), Route("/flags/1/", change, methods=["PATCH"])])


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(max_flags=room_for(10_000))
        service = create_service(Path(folder) / "x.db", settings, key=KEY, sample=sample(flags=10_000))
        flags = "/api/projects/1/feature_flags/"
        text = await ask(service, "GET", flags, "limit=100")
        page = json.loads(text)
        beside = plain(page)
        address = f"{flags}{page['results'][-1]['id']}/"
        change = json.dumps({"name": "changed"}).encode()
        measured = {
            "list of 100": (
                await processor_milliseconds(lambda: ask(service, "GET", flags, "limit=100")),
                await processor_milliseconds(lambda: ask(beside, "GET", "/flags/")),
            ),
            "one change": (
                await processor_milliseconds(lambda: ask(service, "PATCH", address, body=change)),
                await processor_milliseconds(lambda: ask(beside, "PATCH", "/flags/1/", body=change)),
            ),
        }
        close_service(service)
    print(f"{len(text) // 1024} kB a page; processor milliseconds, median of {ROUNDS} x {REQUESTS}")
    for name, (ours, theirs) in measured.items():
        print(
            f"{name:12} service {ours:.2f} ({1000 / ours:.0f}/s)"
            f"  plain {theirs:.2f}  ratio {ours / theirs:.2f}"
        )


if __name__ == "__main__":
    asyncio.run(main())
