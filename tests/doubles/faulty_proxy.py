"""A port between the command line and a service on which answers go wrong as told."""

import http.client
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import httpx
from tests.doubles.faults import Fault

_RESET = struct.pack("ii", 1, 0)
"""Linger for no time: the connection is reset when it is closed."""


@dataclass
class Proxy:
    """Passes requests on; those that are meant get the fault in place of the service."""

    behind: str
    """The service's address."""
    address: str = ""
    fault: Fault | None = None
    is_meant: Callable[[str, str], bool] = lambda method, path: False
    writes: list[str] = field(default_factory=list)
    """The paths of requests that were meant to change something."""
    definitions: int = 0
    """Requests for definitions."""


@contextmanager
def proxy_to(behind: str) -> Iterator[Proxy]:
    """On a free port, until the end of the block."""
    proxy = Proxy(behind)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *words: object) -> None:
            return None

        def handle_any(self) -> None:
            _handle(self, proxy)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_any

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        proxy.address = f"http://127.0.0.1:{server.server_address[1]}"
        serving = Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            serving.join()


def _handle(handler: BaseHTTPRequestHandler, proxy: Proxy) -> None:
    handler.close_connection = True
    body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
    if handler.command != "GET":
        proxy.writes.append(handler.path)
    proxy.definitions += "local_evaluation" in handler.path
    is_meant = proxy.fault is not None and proxy.is_meant(handler.command, urlsplit(handler.path).path)
    answer = httpx.Response(200, content=b'{"count": 3, "results": [')
    if not is_meant:
        answer = _pass_on(handler, proxy.behind, body)
    if is_meant and proxy.fault is not None:
        response = proxy.fault.serve(httpx.Request(handler.command, proxy.address), answer)
        if isinstance(response, Exception):
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            handler.connection.close()
            return
        answer = response
    handler.send_response(answer.status_code)
    for name, value in answer.headers.items():
        if name.lower() in ("content-type", "retry-after", "location"):
            handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(answer.content)))
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(answer.content)


def _pass_on(handler: BaseHTTPRequestHandler, behind: str, body: bytes) -> httpx.Response:
    place = urlsplit(behind)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    sent = {
        name: value
        for name, value in handler.headers.items()
        if name.lower() in ("authorization", "content-type")
    }
    connection.request(handler.command, handler.path, body, sent)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return httpx.Response(
        response.status, content=content, headers={"Content-Type": response.headers.get("Content-Type", "")}
    )
