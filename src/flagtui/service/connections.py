"""Connections of the server: how many, how long they may wait, and how they end."""

import asyncio
from asyncio import TimerHandle, Transport
from contextlib import suppress
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from flagtui.service.request_body import is_announced

MOST_CONNECTIONS: Final = 900
"""Open at once; further requests get 503 with `Retry-After`. A process may often have 1,024 files open."""
HEAD_SECONDS: Final = 10.0
"""From the first byte of a head, or the connection, to the end of the head."""
LINGER_SECONDS: Final = 2.0
LINGER_BYTES: Final = 2**20
"""How much of a body is read and dropped after the response to it."""


class PromptProtocol(H11Protocol):
    """Closes connections that send no whole head, and serves no more of them than there is room for."""

    head_seconds: float = HEAD_SECONDS
    _head_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self.app = _TOO_MANY
        self._time_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_timing()

    def send_400_response(self, msg: str) -> None:
        """Refuse input that is not HTTP; after the start of a response, only end the connection."""
        if self._has_request and self.cycle.response_started:
            self.transport.close()
            return
        if self._has_request:
            # This is the response to it, so what the application sends is dropped.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        super().send_400_response(msg)

    @property
    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _time_head(self) -> None:
        """Limit the time of a head, also of the second one: uvicorn's own timer ends with its first byte."""
        if self._has_request:
            self._stop_timing()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_seconds, self.transport.close)

    def _stop_timing(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


_TOO_MANY: ASGIApp = JSONResponse(
    {"detail": "Too many connections at once. Try again."}, 503, {"Retry-After": "1", "Connection": "close"}
)


class Lingering:
    """Closes the connection after a response to a request whose body was not read.

    The rest of the body is read and dropped for a moment first (RFC 9112, section 9.6): closing at once would
    reset the connection, and a client that is still sending could lose the response.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_announced(Headers(scope=scope)):
            await self._application(scope, receive, send)
            return
        is_read, is_closing = False, False

        async def receiving() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = is_read or not message.get("more_body", False)
            return message

        async def sending(message: Message) -> None:
            nonlocal is_closing
            if message["type"] == "http.response.start" and not is_read:
                is_closing = True
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            elif is_closing:
                message = {**message, "more_body": True}
            await send(message)

        await self._application(scope, receiving, sending)
        if is_closing:
            dropped = 0
            # Cancelled when the server stops: the response is complete already.
            with suppress(TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(LINGER_SECONDS):
                    while not is_read and dropped < LINGER_BYTES:
                        dropped += len((await receiving()).get("body", b""))
            await send({"type": "http.response.body", "body": b"", "more_body": False})
