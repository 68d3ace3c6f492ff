"""A service on a port of this machine whose writes meet what lines and other people do to them."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

import uvicorn

from flagtui.api.operations import OPERATIONS
from flagtui.service.server import Place, listen

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
LOOKS: Final = tuple(
    re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))
    for operation in OPERATIONS.values()
    if operation.method == "POST" and operation.effect == "read"
)
"""Paths that are posted to and change nothing."""


class FaultyService:
    """An ASGI application around another one. `writes` are the requests that were to change something."""

    def __init__(self) -> None:
        self.application: Any = None
        self.writes: list[tuple[str, str, bytes]] = []
        self.before: Callable[[str, str, bytes], Awaitable[bool] | None] = lambda *_request: None
        """Sees each write first; what it awaits says whether the write goes on to the service."""
        self.looked: Callable[[], None] = lambda: None
        """Called for each look that follows a write."""
        self.loses_answers = False
        self.requests: list[str] = []
        self.connections: set[tuple[str, int]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        self.requests.append(scope["method"])
        self.connections.add(scope["client"])
        if scope["method"] == "GET" or is_look(scope["path"]):
            if self.writes:
                self.looked()
            await self.application(scope, receive, send)
            return
        body = await whole_body(receive)
        write = (scope["method"], scope["path"], body)
        self.writes.append(write)
        response = self.before(*write)
        if response is None or await response:
            await self.application(scope, receiver_of(body), nowhere if self.loses_answers else send)
            if not self.loses_answers:
                return
        # Fewer bytes than announced: the connection is closed in the middle of the answer.
        head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"99")]}
        await send(head)
        await send({"type": "http.response.body", "body": b"{"})

    async def ask(self, method: str, path: str, body: bytes, key: str) -> None:
        """Has another person ask the service."""
        headers = [(b"authorization", f"Bearer {key}".encode()), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
        await self.application({**scope, "raw_path": path.encode()}, receiver_of(body), nowhere)


def is_look(path: str) -> bool:
    return any(look.fullmatch(path) for look in LOOKS)


async def whole_body(receive: Receive) -> bytes:
    body, is_more = b"", True
    while is_more:
        message = await receive()
        body += message.get("body", b"")
        is_more = message.get("more_body", False)
    return body


def receiver_of(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def nowhere(_message: Message) -> None:
    return


@contextmanager
def serve(service: Callable[[Message, Receive, Send], Awaitable[None]]) -> Iterator[str]:
    """Its address, while it listens in a thread of its own."""
    listener = listen(Place(port=0))
    server = uvicorn.Server(uvicorn.Config(service, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(sockets=[listener]),))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
