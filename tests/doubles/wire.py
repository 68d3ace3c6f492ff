"""The connection between client and service: counts, fails and delays requests as told."""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Final

import httpx

WRITE: Final = "^PATCH|/set_release_condition_rollout/$|/roll_out_to_everyone/$"
"""The requests that are meant to change something."""
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

    def hold(self, pattern: str) -> None:
        """Let requests with this in their method and path wait until `let_go` is set after this."""
        self.let_go.clear()
        self.held = lambda request: has(request, pattern)

    def answer_each(self, answers: Mapping[str, httpx.Response | Exception]) -> None:
        """Answer requests by what their method and path have, before the service sees them."""
        self.before = lambda request: next((answers[part] for part in answers if has(request, part)), None)

    def answer(self, pattern: str, answer: httpx.Response | Exception) -> None:
        """Answer requests with this in their method and path before the service sees them."""
        self.answer_each({pattern: answer})

    def cut(self, pattern: str = "") -> None:
        """Let such requests not reach the service."""
        self.answer(pattern, httpx.ConnectError("down"))

    def lose(self, pattern: str) -> None:
        """Let such requests be carried out, and their responses be lost."""
        self.after = lambda request: httpx.ReadTimeout("lost") if has(request, pattern) else None

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
        """Return the requests that were meant to change something."""
        return [line for line in self.passed if re.search(WRITE, line)]


def has(request: httpx.Request, pattern: str) -> bool:
    return re.search(pattern, f"{request.method} {request.url.path}") is not None
