"""A request before it is sent, and the response as received."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import msgspec

from flagtui.api.clock import Urgency
from flagtui.api.errors import ErrorFacts, Invalid, ResponseTooLarge, TooLarge, Unanswered, Unreadable
from flagtui.api.http_library import httpx
from flagtui.api.operations import Operation
from flagtui.models.json_value import JSON, NotJson, read_json

Query: TypeAlias = Mapping[str, JSON]
"""Query parameters: None is omitted, booleans are lower case, a tuple is repeated, a list is JSON."""

BODY_LIMIT: Final = 20 * 1024 * 1024
"""Bytes that the server accepts in one request."""


class Request(msgspec.Struct, frozen=True):
    operation: Operation
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: JSON = None
    urgency: Urgency = Urgency.PERSON
    etag: str = ""
    """The cached version; the server may respond with 304 instead of sending it again."""

    def facts(self, status: int | None = None) -> ErrorFacts:
        return ErrorFacts(self.operation.method, self.operation.is_write, self.path, status)

    def encode_body(self) -> bytes | None:
        """Return the body as JSON bytes; raises `Invalid` or `TooLarge` before anything is sent."""
        if self.body is None:
            return None
        try:
            # ASCII, because half a surrogate pair has no UTF-8.
            text = json.dumps(self.body, allow_nan=False, separators=(",", ":")).encode("ascii")
        except (ValueError, TypeError, RecursionError):
            raise Invalid("This cannot be written as JSON, so it was not sent.", facts=self.facts()) from None
        if len(text) > BODY_LIMIT:
            raise TooLarge("This is more than a server takes at once; it was not sent.", facts=self.facts())
        return text


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response: every byte of it has arrived."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)
    request: Request
    server_time: float | None = None
    elapsed: float = 0.0

    def json(self, read: Callable[[bytes], JSON] = read_json) -> JSON:
        """Return the body as JSON; raises `Unreadable`."""
        try:
            return read(self.body)
        except NotJson as fault:
            raise self.unreadable(str(fault)) from None

    def record(self, *needed: str, read: Callable[[bytes], JSON] = read_json) -> dict[str, JSON]:
        """Return the body as one JSON object that has these keys; raises `Unreadable`."""
        value = self.json(read)
        if not isinstance(value, dict):
            raise self.unreadable("it is not one record")
        missing = [name for name in needed if name not in value]
        if missing:
            raise self.unreadable(f"{missing[0]} is missing from it")
        return value

    def items(self) -> list[JSON]:
        """Return the objects of a list; other elements are skipped. Raises `Unreadable`."""
        value = self.json()
        if not isinstance(value, list):
            raise self.unreadable("it is not a list")
        objects = [item for item in value if isinstance(item, dict)]
        if value and not objects:
            raise self.unreadable("it is a list of something else")
        return objects

    def expect_nothing(self) -> None:
        """Accept a response without content; raises `Unreadable` for a web page with status 200."""
        if self.body:
            self.json()

    def unreadable(self, reason: str) -> Unreadable:
        """Return the error for a body of the wrong form."""
        if not self.body:
            reason = "it is empty"
        elif self.body.lstrip()[:1] == b"<":
            reason = "it is a web page"
        what = f"The server's response cannot be read: {reason}."
        return Unreadable(what, facts=self.request.facts(self.status))


RESPONSE_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of one unpacked response; a page of 100 of the largest flags allowed is 50 MB."""
_STEP: Final = 1024 * 1024
_GZIP: Final = b"\x1f\x8b"


async def read_body(streamed: httpx.Response, request: Request, limit: int) -> bytes:
    """Return the whole unpacked body. Raises `ResponseTooLarge`, `Unreadable`."""
    unpack = _unpacker(streamed.headers.get("content-encoding", "").strip().lower(), request)
    parts: list[bytes] = []
    size = 0
    # The stream, not aiter_raw: a transport in this process returns bodies already read.
    assert isinstance(streamed.stream, httpx.AsyncByteStream)
    async for chunk in streamed.stream:
        for part in [chunk] if unpack is None else unpack.feed(chunk, limit - size):
            size += len(part)
            parts.append(part)
            if size > limit:
                text = f"The response is larger than {max(limit // 2**20, 1)} MB; it was not read to the end."
                raise ResponseTooLarge(text, facts=request.facts(streamed.status_code))
    if unpack is not None and not unpack.is_whole:
        raise Unanswered("The response broke off in the middle.", facts=request.facts(streamed.status_code))
    return b"".join(parts)


class _Unpacker:
    def __init__(self, request: Request, window: int) -> None:
        self._question = request
        self._window = window
        self._engine = zlib.decompressobj(window)
        self._fed = False

    @property
    def is_whole(self) -> bool:
        return self._engine.eof or not self._fed

    def feed(self, chunk: bytes, room: int) -> list[bytes]:
        """Unpack a chunk to at most a little more than `room` bytes."""
        parts: list[bytes] = []
        self._fed = self._fed or bool(chunk)
        try:
            while chunk and room >= 0:
                if self._engine.eof:
                    if not chunk.startswith(_GZIP):
                        break
                    # A body can have several members (RFC 1952); anything else after one is padding.
                    self._engine = zlib.decompressobj(self._window)
                parts.append(self._engine.decompress(chunk, _STEP))
                room -= len(parts[-1])
                chunk = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail
        except zlib.error:
            raise Unreadable("The response cannot be decompressed.", facts=self._question.facts()) from None
        return parts


def _unpacker(encoding: str, request: Request) -> _Unpacker | None:
    match encoding:
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Unpacker(request, 16 + zlib.MAX_WBITS)
        case "deflate":
            return _Unpacker(request, zlib.MAX_WBITS)
        case _:
            raise Unreadable("The response has an encoding that was not requested.", facts=request.facts())
