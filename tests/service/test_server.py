"""The service on a port, as another program meets it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from starlette.responses import JSONResponse

from flagtui.service.server import CannotListen, Guard, Place, host_name, listen

KEY = "phx_served"
FLAGS = "/api/projects/1/feature_flags/"
SERVE = """
import sys
from pathlib import Path
from flagtui.service import create_service
from flagtui.service.server import Place, listen, run
place = Place(port=0)
listener = listen(place)
service = create_service(Path(sys.argv[1]), key=sys.argv[2])
print(listener.getsockname()[1], flush=True)
run(service, listener, place, lambda line: print(line, flush=True))
print("stopped", flush=True)
"""


@dataclass
class Served:
    process: "subprocess.Popen[str]"
    port: int

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        sent = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **headers}
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        answered = response.status, response.read()
        connection.close()
        return answered

    def stop(self) -> str:
        """Asks it to stop; gives back what it had written by then."""
        self.process.send_signal(signal.SIGTERM)
        written, _ = self.process.communicate(timeout=20)
        return written


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """The service on a port of its own, with its database in the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder / "x.db"), KEY],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert process.stdout is not None
    yield Served(process, int(process.stdout.readline()))
    process.kill()
    process.communicate()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as service:
        yield service


def head(method: str, path: str, **headers: str) -> bytes:
    """The first bytes of a request."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode()


UNFINISHED = {"Content_Length": "9", "Content_Type": "application/json"}


def test_it_serves_logs_and_stops_cleanly(served: Served, tmp_path: Path) -> None:
    assert served.ask("POST", FLAGS, json.dumps({"key": "secret-name"}))[0] == 201
    assert served.ask("GET", FLAGS + "?personal_api_key=phx_leak&search=x")[0] == 200
    assert served.ask("DELETE", FLAGS + "1/") == (405, b"")
    assert served.ask("GET", "/api/%0A%1b[31m/")[0] == 404
    lines = served.stop().splitlines()
    assert served.process.returncode == 0
    patterns = [
        r"POST /api/projects/1/feature_flags/ 201 \d+\.\d ms",
        r"GET /api/projects/1/feature_flags/ 200 \d+\.\d ms",
        r"DELETE /api/projects/1/feature_flags/1/ 405 \d+\.\d ms",
        r"GET /api/%0A%1b\[31m/ 404 \d+\.\d ms",
        r"stopped",
    ]
    assert len(lines) == len(patterns)
    for line, pattern in zip(lines, patterns, strict=True):
        assert re.fullmatch(pattern, line), line
    assert [file.name for file in tmp_path.iterdir()] == ["x.db"]


def test_unfinished_bodies_do_not_disturb_a_stop(served: Served) -> None:
    slow = []
    for key in ({}, {"Authorization": f"Bearer {KEY}"}):
        slow.append(socket.create_connection(("127.0.0.1", served.port), timeout=10))
        slow[-1].sendall(head("POST", FLAGS, **key, **UNFINISHED) + b"{")
    assert slow[0].recv(12) == b"HTTP/1.1 401"
    written = served.stop()
    assert served.process.returncode == 0
    assert "Traceback" not in written
    assert slow[1].recv(12) == b"HTTP/1.1 503"
    for connection in slow:
        connection.close()


def listens(port: int) -> bool:
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


def test_second_interrupt_stops_it_like_the_first(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as slow:
        slow.sendall(head("POST", FLAGS, Authorization=f"Bearer {KEY}", **UNFINISHED) + b"{")
        assert served.ask("GET", "/api/projects/")[0] == 200
        served.process.send_signal(signal.SIGINT)
        while listens(served.port):
            pass
        served.process.send_signal(signal.SIGINT)
        written, _ = served.process.communicate(timeout=20)
    assert served.process.returncode == 0
    assert written.endswith("\nstopped\n")
    assert "Traceback" not in written


def test_two_host_headers_and_other_origins_are_refused(served: Served) -> None:
    for headers, status in (({"Host": "localhost"}, 400), ({"Origin": "https://evil.example"}, 403)):
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
            connection.sendall(head("GET", "/api/projects/", **headers))
            assert connection.recv(12) == f"HTTP/1.1 {status}".encode()


MALFORMED_HOSTS = (
    *("localhost:evil.com", "localhost:80:80", "localhost:80@evil.com", "localhost:", "localhost:-1"),
    *("localhost:+1", "localhost:8_0", "localhost:٣", "localhost:65536", "localhost:80\n", "[::1]:x"),
    *("[::1]evil.com", "[::1", "::1", "[localhost]", "[127.0.0.1]", "[::1%25lo]", ":80", ""),
)


@pytest.mark.parametrize(("header", "name"), [
    ("localhost", "localhost"),
    ("LocalHost:8010", "localhost"),
    ("127.0.0.1:0", "127.0.0.1"),
    ("[::1]", "::1"),
    ("[::1]:8010", "::1"),
    ("localhost:65535", "localhost"),
    ("localhost.", "localhost."),
    *((header, "") for header in MALFORMED_HOSTS),
])  # fmt: skip
def test_a_host_header_is_a_name_and_a_port(header: str, name: str) -> None:
    assert host_name(header) == name


@pytest.mark.parametrize(("header", "status"), [
    *[(name, 200) for name in ("localhost:1", "[::1]:1", "127.0.0.1:80")],
    *[(name, 400) for name in ("evil.example", "evil.example:80", "localhost.", "evil.localhost")],
    *[(name, 400) for name in ("localhost@evil.com", "127.0.0.1.evil.com", "localhost:evil.com", "")],
])  # fmt: skip
async def test_only_names_of_this_machine_are_answered(header: str, status: int) -> None:
    guard = Guard(JSONResponse([]), Place(), None)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guard)) as client:
        response = await client.get("http://127.0.0.1/", headers={"Host": header})
    assert response.status_code == status


PAGE = "http://localhost:3000"


async def ask_as_page(method: str, **headers: str) -> httpx.Response:
    guard = Guard(JSONResponse([]), Place(origins=(PAGE,)), None)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(guard)) as client:
        return await client.request(method, "http://127.0.0.1/", headers=named)


async def test_page_of_an_allowed_origin_may_ask_and_read() -> None:
    asks = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "x-api-key"}
    before = await ask_as_page("OPTIONS", Origin=PAGE, **asks)
    assert before.status_code == 204
    assert before.headers["access-control-allow-headers"] == "x-api-key"
    assert "POST" in before.headers["access-control-allow-methods"]
    response = await ask_as_page("GET", Origin=PAGE)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == PAGE
    assert "ETag" in response.headers["access-control-expose-headers"]
    assert response.headers["vary"] == "Origin"


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
@pytest.mark.parametrize(("headers", "status"), [
    ({"Origin": "http://localhost:3001"}, 403),
    ({"Origin": "https://localhost:3000"}, 403),
    ({"Origin": f"{PAGE}.evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": PAGE, "Host": "evil.example"}, 400),
])  # fmt: skip
async def test_other_pages_and_other_hosts_stay_out(
    method: str, headers: dict[str, str], status: int
) -> None:
    assert (await ask_as_page(method, **headers)).status_code == status


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_other_machines_need_an_explicit_option(host: str) -> None:
    with pytest.raises(CannotListen, match="--allow-remote"):
        listen(Place(host=host, port=0))


def test_an_address_of_another_machine_is_a_sentence() -> None:
    with pytest.raises(CannotListen, match=r"Cannot listen on 192\.0\.2\.1"):
        listen(Place(host="192.0.2.1", port=0, allow_remote=True))
    listen(Place(host="0.0.0.0", port=0, allow_remote=True)).close()
