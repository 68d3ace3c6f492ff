"""How much work a mirror does for a request of a new person: 100 flags at once, and one flag.

    python benchmarks/mirror.py

Both are requested over HTTP from a server in another process, beside an endpoint that reads the body and
encodes the same response from ready values. Half the flags
ask for a property, all of them draw. Time is processor time of the server: the caller does not count.
"""

import json
import multiprocessing
import socket
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.service.responses import Response, respond
from flagtui.service.sdk.endpoints import ENDPOINTS, Endpoint
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.sdk.sdk_call import SdkCall
from flagtui.service.server import Place, listen, run

ROUNDS: Final = 7
REQUESTS: Final = 400
BULK: Final = "/ofrep/v1/evaluate/flags"
SINGLE: Final = f"{BULK}/flag-7"
GOALS: Final = {BULK: 5.0, SINGLE: 2.0}
"""Times the work of encoding the same response."""
_FILTER: Final = {"key": "plan", "type": "person", "operator": "exact", "value": ["pro"]}
_FLAGS: Final = [
    {
        **{"key": f"flag-{number}", "id": number, "active": True},
        "filters": {"groups": [{"properties": [_FILTER] * (number % 2), "rollout_percentage": 50}]},
    }
    for number in range(100)
]


def serve(listener: socket.socket) -> None:
    """Serve a mirror of 100 flags, and `/only` before each path for the comparison."""
    only = [Endpoint("POST", f"/only{path}", _encoding(_example(path)), "For comparison") for path in GOALS]
    source = MirroredFlags({"flags": _FLAGS})
    application = make_sdk_application(source, (*ENDPOINTS, *only), nullcontext)
    run(application, listener, Place())


def _encoding(value: Any) -> Callable[[SdkCall], Response]:
    def encode_again(call: SdkCall) -> Response:
        call.body()
        return respond(value)

    return encode_again


def _example(path: str) -> Any:
    item = {"key": "flag-7", "reason": "SPLIT", "variant": "off", "value": False}
    item |= {"metadata": {"reason": "out_of_rollout_bound", "description": "Out of rollout bound"}}
    return item if path == SINGLE else {"flags": [{**item, "key": flag["key"]} for flag in _FLAGS]}


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used, as Linux counts it."""
    values = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) / 100


def request(connection: socket.socket, path: str, person: str) -> None:
    """Post one request and read its response."""
    body = json.dumps({"context": {"targetingKey": person, "plan": "pro"}}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head_lines, _, content = data.partition(b"\r\n\r\n")
    assert b" 200 " in head_lines.splitlines()[0], head_lines
    lengths = [line for line in head_lines.lower().split(b"\r\n") if line.startswith(b"content-length")]
    missing = int(lengths[0].split(b":")[1]) - len(content)
    while missing > 0:
        missing -= len(connection.recv(65536))


def main() -> int:
    listener = listen(Place(port=0))
    server = multiprocessing.get_context("fork").Process(target=serve, args=(listener,), daemon=True)
    server.start()
    with socket.create_connection(listener.getsockname()) as connection:
        assert server.pid is not None
        missed = _measure(connection, server.pid)
    server.terminate()
    listener.close()
    return missed


def _measure(connection: socket.socket, process: int) -> int:
    people = iter(range(10**9))
    missed = 0
    for path, goal in GOALS.items():
        best = {path: 1e9, f"/only{path}": 1e9}
        for _ in range(ROUNDS):
            for each in best:
                before = processor_seconds(process)
                for _ in range(REQUESTS):
                    request(connection, each, f"person-{next(people)}")
                spent = (processor_seconds(process) - before) / REQUESTS * 1000
                best[each] = min(best[each], spent)
        ratio = best[path] / best[f"/only{path}"]
        missed += ratio > goal
        print(
            f"{path:32} {best[path]:.2f} ms, only encoding {best[f'/only{path}']:.2f} ms:"
            f" {ratio:.1f} x (goal {goal:.0f} x)"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
