"""The service on a port: loopback by default, one log line a request, a clean stop on SIGTERM."""

import errno
import ipaddress
import logging
import re
import signal
import socket
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec
import uvicorn
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flagtui.service.connections import MOST_CONNECTIONS, Lingering, PromptProtocol
from flagtui.service.news import News

LONGEST_PATH = 200
STOP_SECONDS = 1
"""For requests under way. No request takes longer; the surplus of a long queue is dropped."""

Write = Callable[[str], None]
"""Takes one line without its end."""


class CannotListen(Exception):
    """The address cannot be served on. The text is a sentence for a person, with what to do."""


class Place(msgspec.Struct, frozen=True):
    """The address to listen on. Port 0 chooses a free one."""

    host: str = "127.0.0.1"
    port: int = 8010
    allow_remote: bool = False
    names: tuple[str, ...] = ()
    """Names other than IP addresses and localhost by which clients may call this service."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may call it, such as `http://localhost:3000`; other pages are refused."""


def listen(place: Place) -> socket.socket:
    """Bind the port first, so that a failure is known before anything is printed."""
    if not place.allow_remote and not is_loopback(place.host):
        raise CannotListen(
            f"{place.host} can be reached from other machines, and anyone with a key could change flags. "
            "Use 127.0.0.1, or add --allow-remote."
        )
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # Named: only sockets marked as TCP send without waiting for a full packet (40 ms).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((place.host, place.port))
        listener.listen(MOST_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise _cannot_listen(place, error) from error
    return listener


def _cannot_listen(place: Place, error: OSError) -> CannotListen:
    if error.errno == errno.EADDRINUSE:
        return CannotListen(f"Port {place.port} of {place.host} is in use. Choose another with --port.")
    if error.errno == errno.EACCES:
        return CannotListen(f"Port {place.port} needs more rights. Choose one above 1023 with --port.")
    return CannotListen(f"Cannot listen on {place.host} port {place.port}: {error.strerror}.")


def is_loopback(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def end_on_signals() -> None:
    """Let SIGTERM and SIGINT end the program with 0 until `run` serves, as they do from then on."""
    _on_signals(_end)


def _on_signals(handle: Callable[[int, FrameType | None], None]) -> None:
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, handle)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def run(
    application: ASGIApp,
    listener: socket.socket,
    place: Place,
    write: Write | None = None,
    news: News | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish running requests, close the application and return.

    The streams of `news` end with it; without that they would be cut, and a second later.
    """
    server = _server(application, place, write, news)
    # One that comes before the server listens to signals stops it too. The server raises the signal again
    # once it has stopped; without this that would end us as killed.
    _on_signals(server.handle_exit)
    logging.getLogger("flagtui.service").addHandler(logging.StreamHandler())
    server.run(sockets=[listener])


@contextmanager
def serving_in_thread(application: ASGIApp, place: Place, news: News | None = None) -> Iterator[int]:
    """Serve on a thread until the end of the block; the port listens from the start. Raises CannotListen."""
    listener = listen(place)
    server = _server(application, place, None, news)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


class _StreamServer(uvicorn.Server):
    """Ends the streams of news first when it stops, and stops the same way however often it is asked to."""

    def __init__(self, config: uvicorn.Config, news: News | None) -> None:
        super().__init__(config)
        self._news = news

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # A second ctrl+c would cut the end short, with a traceback.
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._news is not None:
            self._news.end()
        await super().shutdown(sockets)


def _server(application: ASGIApp, place: Place, write: Write | None, news: News | None) -> uvicorn.Server:
    config = uvicorn.Config(
        Lingering(Guard(application, place, write)),
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        http=PromptProtocol,
        backlog=MOST_CONNECTIONS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    return _StreamServer(config, news)


_STOPPING: ASGIApp = JSONResponse(
    {"detail": "The service is stopping. Try again."}, 503, {"Retry-After": "1", "Connection": "close"}
)


class Guard:
    """Keeps browsers and strange names out, and writes a line for each request.

    The line has no body, no query and no key: queries can carry keys too.
    """

    def __init__(self, application: ASGIApp, place: Place, write: Write | None) -> None:
        self._application = application
        self._place = place
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        started, status = time.perf_counter(), 0
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"")
        is_allowed_page = origin.decode("latin-1") in self._place.origins

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if is_allowed_page:
                    message = {**message, "headers": [*message["headers"], *_allowing(origin)]}
            await send(message)

        application = self._refusal(headers, is_allowed_page)
        if application is None:
            is_preflight = is_allowed_page and scope["method"] == "OPTIONS"
            application = _preflight(headers) if is_preflight else self._application
        try:
            await application(scope, receive, noting)
        except CancelledError:
            # The server stops, and the request has not had its turn.
            if status == 0:
                await _STOPPING(scope, receive, noting)
        if self._write is not None:
            milliseconds = (time.perf_counter() - started) * 1000
            self._write(f"{scope['method']} {_shown_path(scope)} {status} {milliseconds:.1f} ms")

    def _refusal(self, headers: dict[bytes, bytes], is_allowed_page: bool) -> ASGIApp | None:
        """Return a page in a browser can reach loopback: it names an origin, or a host that is not ours."""
        if b"origin" in headers and not is_allowed_page:
            return JSONResponse({"detail": "Requests from web pages are refused."}, 403)
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._knows(host):
            return JSONResponse({"detail": "This service does not serve that host name."}, 400)
        return None

    def _knows(self, host: str) -> bool:
        name = host_name(host)
        if name in ("localhost", *self._place.names) or is_loopback(name):
            return True
        # No foreign name server can rebind an IP address to this machine.
        return self._place.allow_remote and _address(name) is not None


def _allowing(origin: bytes) -> list[tuple[bytes, bytes]]:
    """Return the headers with which a browser lets a page of this origin read the response."""
    return [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", b"ETag, Retry-After"),
        (b"vary", b"Origin"),
    ]


def _preflight(headers: dict[bytes, bytes]) -> ASGIApp:
    """Return the response to the request that a browser sends before the one of a page."""
    requested = headers.get(b"access-control-request-headers", b"").decode("latin-1")
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
            "Access-Control-Allow-Headers": requested or "Content-Type",
            "Access-Control-Allow-Private-Network": "true",
            "Access-Control-Max-Age": "600",
        },
    )


_HOST = re.compile(r"(?:\[(?P<bracketed>[0-9a-f:.]+)\]|(?P<plain>[^:\[\]]+))(?::(?P<port>[0-9]{1,5}))?")
"""`uri-host [ ":" port ]` of RFC 9110, section 7.2; brackets hold IPv6 addresses only."""


def host_name(header: str) -> str:
    """Return the name or address of a Host header in lower case; empty for a malformed header."""
    match = _HOST.fullmatch(header.lower())
    if match is None or int(match["port"] or 0) > 65_535:
        return ""
    if match["bracketed"] is not None:
        return match["bracketed"] if ":" in match["bracketed"] else ""
    return match["plain"]


def _shown_path(scope: dict[str, Any] | Scope) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.decode("ascii", "backslashreplace").split("?")[0][:LONGEST_PATH]
