"""How much work a response takes, counted in calls: the same on every machine."""

import asyncio
import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from tests.mirror.conftest import flag

from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.service.responses import Response, respond
from flagtui.service.sdk.endpoints import ENDPOINTS, Endpoint
from flagtui.service.sdk.sdk_application import SdkApplication
from flagtui.service.sdk.sdk_call import SdkCall

FLAGS = [flag(f"flag-{number}") for number in range(100)]
ALL, ONE, ENCODES = "/ofrep/v1/evaluate/flags", "/ofrep/v1/evaluate/flags/flag-7", "/only/encodes"


def application_of(value: Any) -> SdkApplication:
    """The application, with an endpoint that reads the body and encodes a response that is ready."""

    def encode(call: SdkCall) -> Response:
        call.body()
        return respond(value)

    only_encodes = Endpoint("POST", ENCODES, encode, "For comparison")
    return SdkApplication(MirroredFlags({"flags": FLAGS}), (*ENDPOINTS, only_encodes))


def request(application: SdkApplication, path: str, person: str = "ann") -> bytes:
    body = json.dumps({"context": {"targetingKey": person, "plan": "pro"}}).encode()
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        **{"type": "http", "method": "POST", "path": path, "query_string": b"", "scheme": "http"},
        "headers": [(b"host", b"localhost"), (b"content-length", str(len(body)).encode())],
    }
    asyncio.run(application(scope, receive, send))
    content: bytes = sent[1]["body"]
    return content


def calls_of(work: Callable[[], object]) -> int:
    """Count calls of Python and C functions."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(("path", "before", "most"), [
    pytest.param(ALL, ["ann"], 1.5, id="all flags again"),
    pytest.param(ONE, ["ann"], 1.5, id="one flag again"),
    pytest.param(ONE, [], 2, id="one flag for the first time"),
    # By time it is half of that: `benchmarks/mirror.py` measures it.
    pytest.param(ALL, [f"person-{number}" for number in range(30)], 9, id="all flags of a new person"),
])  # fmt: skip
def test_request_takes_few_calls_beside_encoding(path: str, before: list[str], most: float) -> None:
    response = json.loads(request(application_of({}), path))
    application = application_of(response)
    for person in before:
        request(application, path, person)
    assert json.loads(request(application, ENCODES)) == response
    calls = calls_of(lambda: request(application, path))
    encoding = calls_of(lambda: request(application, ENCODES))
    assert calls <= most * encoding, (calls, encoding)
