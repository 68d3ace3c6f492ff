"""Reads the body of a request, bounded in size, in time and from below in its transfer rate."""

import asyncio

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from flagtui.service.bodies import check_media_type
from flagtui.service.errors import too_large, too_slow


class Pace(msgspec.Struct, frozen=True):
    """The slowest pace at which a body may arrive."""

    grace: float = 3.0
    """Seconds before the rate counts."""
    slowest: float = 1024.0
    """Bytes a second, averaged over the time after the grace period."""
    longest: float = 30.0
    """Seconds for the whole body, at any rate."""

    def seconds_for(self, size: int) -> float:
        """Return when the next part must have arrived, counted from the start, after `size` bytes."""
        return min(self.grace + size / self.slowest, self.longest)


def is_announced(headers: Headers) -> bool:
    """Return whether a body follows the head, by RFC 9112, section 6.3."""
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip("0") != ""


def check_announced(headers: Headers, limit: int, *, any_media: bool = False) -> None:
    """Raise the faults that the head alone shows: 413 above `limit` bytes, 415 for other media than JSON."""
    length = headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > limit):
        raise too_large(limit)
    if is_announced(headers) and not any_media:
        check_media_type(headers.get("content-type"))


async def read_body(request: Request, limit: int, pace: Pace) -> bytes:
    """Read the whole body. Raises 413 above `limit` bytes, 408 below `pace`, or ClientDisconnect."""
    body = bytearray()
    started = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(started + pace.seconds_for(0)) as deadline:
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                if len(body) > limit:
                    raise too_large(limit)
                if not message.get("more_body", False):
                    return bytes(body)
                deadline.reschedule(started + pace.seconds_for(len(body)))
    except TimeoutError:
        raise too_slow(
            f"The request body arrived too slowly. After {pace.grace:g} seconds it must average "
            f"{pace.slowest:g} bytes per second, and be complete after {pace.longest:g} seconds. "
            "Nothing was changed."
        ) from None
