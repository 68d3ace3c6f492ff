"""A service on a port of this machine whose requests meet what lines and other people do to them."""

import asyncio
import inspect
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

import httpx
import uvicorn
from tests.doubles.faults import Fault

from flagtui.api.operations import OPERATIONS
from flagtui.service.server import Place, listen

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = httpx.Response | Exception | None
LOOKS: Final = tuple(
    re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))
    for operation in OPERATIONS.values()
    if operation.method == "POST" and operation.effect == "read"
)
"""Paths that are posted to and change nothing."""
CUT_OFF: Final = httpx.Response(200, headers={"Content-Length": "99"}, content=b"{")
"""Fewer bytes than announced: the connection is closed in the middle of the answer."""


class FaultyService:
    """An ASGI application around another one."""

    def __init__(self, application: Any = None) -> None:
        self.application = application
        self.before: Callable[[httpx.Request], Answer | Awaitable[Answer]] = lambda request: None
        """Sees each request first; an answer takes the service's place, and an exception cuts it off."""
        self.looked: Callable[[], None] = lambda: None
        """Called for each look that follows a write."""
        self.loses_answers = False
        """Whether writes reach the service and their answers get lost."""
        self.requests: list[str] = []
        """Their methods and paths."""
        self.writes: list[tuple[str, str, bytes]] = []
        """The requests that were to change something."""
        self.connections: set[tuple[str, int]] = set()

    def fail(self, fault: Fault, requests: str = "") -> None:
        """Let requests meet the fault, those whose method and path match the pattern from the beginning."""
        whole = httpx.Response(200, content=b'{"count": 3, "results": []}')

        def serve_fault(request: httpx.Request) -> Answer:
            is_meant = re.match(requests, f"{request.method} {request.url.path}")
            return fault.serve(request, whole) if is_meant else None

        self.before = serve_fault

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = await whole_body(receive)
        request = httpx.Request(scope["method"], f"http://service{scope['path']}", content=body)
        self.requests.append(f"{scope['method']} {scope['path']}")
        self.connections.add(scope["client"])
        if is_write(request):
            self.writes.append((scope["method"], scope["path"], body))
        elif self.writes:
            self.looked()
        answer = self.before(request)
        answer = await answer if inspect.isawaitable(answer) else answer
        if answer is None:
            is_lost = self.loses_answers and is_write(request)
            await self.application(scope, receiver_of(body), nowhere if is_lost else send)
            if not is_lost:
                return
        answer = answer if isinstance(answer, httpx.Response) else CUT_OFF
        await send(
            {"type": "http.response.start", "status": answer.status_code, "headers": answer.headers.raw}
        )
        await send({"type": "http.response.body", "body": answer.content})

    async def ask(self, request: httpx.Request, key: str) -> None:
        """Has another person ask the service."""
        path = request.url.path
        headers = [(b"authorization", f"Bearer {key}".encode()), (b"content-type", b"application/json")]
        scope = {
            "type": "http",
            "method": request.method,
            "path": path,
            "query_string": b"",
            "headers": headers,
        }
        await self.application({**scope, "raw_path": path.encode()}, receiver_of(request.content), nowhere)


def is_write(request: httpx.Request) -> bool:
    return request.method != "GET" and not any(look.fullmatch(request.url.path) for look in LOOKS)


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
