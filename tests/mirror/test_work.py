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
from flagtui.service.responses import Response
from flagtui.service.sdk.endpoints import ENDPOINTS, Endpoint
from flagtui.service.sdk.sdk_application import SdkApplication
from flagtui.service.sdk.sdk_call import SdkCall

FLAGS = [flag(f"flag-{number}") for number in range(100)]


def body_of(person: str) -> bytes:
    return json.dumps({"context": {"targetingKey": person, "plan": "pro"}}).encode()


def encoding(value: Any) -> Callable[[SdkCall], Response]:
    """Read the body and encode a response that is ready."""

    def respond(call: SdkCall) -> Response:
        call.body()
        return respond(value)

    return respond


def application_of(value: Any) -> SdkApplication:
    only_encodes = Endpoint("POST", "/only/encodes", encoding(value), "For comparison")
    return SdkApplication(MirroredFlags({"flags": FLAGS}), (*ENDPOINTS, only_encodes))


def request(application: SdkApplication, path: str, person: str = "ann") -> bytes:
    body = body_of(person)
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


@pytest.mark.parametrize(
    ("path", "most"), [("/ofrep/v1/evaluate/flags", 5.0), ("/ofrep/v1/evaluate/flags/flag-7", 2.0)]
)
def test_repeated_request_takes_little_more_than_encoding(path: str, most: float) -> None:
    application = application_of({})
    response = json.loads(request(application, path))
    application = application_of(response)
    for each in (path, "/only/encodes"):
        request(application, each)
    repeated = calls_of(lambda: request(application, path))
    encoded = calls_of(lambda: request(application, "/only/encodes"))
    assert repeated <= most * encoded


def test_new_person_costs_nine_times_the_calls_of_encoding() -> None:
    """By time it is half of that: `benchmarks/mirror.py` measures it."""
    path = "/ofrep/v1/evaluate/flags"
    response = json.loads(request(application_of({}), path))
    application = application_of(response)
    for number in range(30):
        request(application, path, person=f"person-{number}")
    request(application, "/only/encodes")
    new = calls_of(lambda: request(application, path, person="new"))
    encoded = calls_of(lambda: request(application, "/only/encodes"))
    assert new <= 9 * encoded, (new, encoded)


def test_first_request_for_a_flag_costs_twice_the_encoding() -> None:
    path = "/ofrep/v1/evaluate/flags/flag-7"
    response = json.loads(request(application_of({}), path))
    application = application_of(response)
    request(application, "/only/encodes")
    first = calls_of(lambda: request(application, path))
    encoded = calls_of(lambda: request(application, "/only/encodes"))
    assert first <= 2 * encoded, (first, encoded)
