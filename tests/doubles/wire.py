"""The connection between client and service: counts, fails and delays requests as told."""

import asyncio
from collections.abc import Callable

import httpx

# Ends of the paths of changes that are no PATCH.
NARROW = ("/set_release_condition_rollout/", "/roll_out_to_everyone/")
Fault = Callable[[httpx.Request], httpx.Response | Exception | None]
"""Sees a request before the service does; an answer or an exception takes the service's place."""


class Wire(httpx.AsyncBaseTransport):
    """Between client and service: counts what passes, and fails as told, before or after the service acts."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.passed: list[str] = []
        self.before: Fault = lambda request: None
        self.after: Fault = lambda request: None
        self.held: Callable[[httpx.Request], bool] = lambda request: False
        """Requests that wait until `let_go` is set."""
        self.let_go = asyncio.Event()
        self.is_holding = asyncio.Event()
        """A request waits."""
        self.waiting: list[str] = []
        """Their paths."""

    def fail(self, fault: Fault, *, is_done: bool) -> None:
        """After the service acted, or before it could."""
        if is_done:
            self.after = fault
        else:
            self.before = fault

    def heal(self) -> None:
        self.before = self.after = lambda request: None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.passed.append(f"{request.method} {request.url.path}")
        if self.held(request):
            self.is_holding.set()
            self.waiting.append(request.url.path)
            try:
                await self.let_go.wait()
            finally:
                self.waiting.remove(request.url.path)
        if (answer := self.before(request)) is None:
            real = await self.inner.handle_async_request(request)
            answer = self.after(request) or real
        if isinstance(answer, Exception):
            raise answer
        return answer

    def count(self, part: str) -> int:
        """Return how many requests had this in their method and path."""
        return sum(part in line for line in self.passed)

    def writes(self) -> list[str]:
        """The requests that were meant to change something."""
        return [line for line in self.passed if line.startswith("PATCH") or line.endswith(NARROW)]
