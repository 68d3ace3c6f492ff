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

import pytest

from flagtui.service.server import CannotListen, Place, PortInUse, RemoteRefused, listen

KEY = "phx_served"
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
    with serving(tmp_path) as found:
        yield found


def test_it_serves_logs_and_stops_cleanly(served: Served, tmp_path: Path) -> None:
    flags = "/api/projects/1/feature_flags/"
    assert served.ask("POST", flags, json.dumps({"key": "secret-name"}))[0] == 201
    assert served.ask("GET", flags + "?personal_api_key=phx_leak&search=x")[0] == 200
    assert served.ask("DELETE", flags + "1/") == (405, b"")
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


def test_browsers_and_strange_names_are_kept_out(served: Served) -> None:
    for headers, status in (
        ({"Host": "evil.example"}, 400),
        ({"Host": f"evil.example:{served.port}"}, 400),
        ({"Host": ""}, 400),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": f"localhost:{served.port}"}, 200),
        ({"Host": f"[::1]:{served.port}"}, 200),
    ):
        found, _ = served.ask("GET", "/api/projects/", **headers)
        assert found == status, headers


def test_a_port_in_use_is_a_sentence() -> None:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port = taken.getsockname()[1]
    with pytest.raises(PortInUse, match=f"Port {port} of 127.0.0.1 is in use"):
        listen(Place(port=port))
    taken.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_other_machines_are_let_in_only_on_purpose(host: str) -> None:
    with pytest.raises(RemoteRefused, match="--allow-remote"):
        listen(Place(host=host, port=0))


def test_an_address_of_another_machine_is_a_sentence() -> None:
    with pytest.raises(CannotListen, match=r"Cannot listen on 192\.0\.2\.1"):
        listen(Place(host="192.0.2.1", port=0, allow_remote=True))
    listen(Place(host="0.0.0.0", port=0, allow_remote=True)).close()
