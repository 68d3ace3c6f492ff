"""The client sends the requests of the examples and reads their responses."""

import json
from typing import Any, Final

import httpx
import pytest
from tests.doubles.every_operation import CALLS, NAMES, Example, example
from tests.doubles.servers import KEY, Answering, MakeClient

from flagtui.api import errors
from flagtui.api.errors import ApiError
from flagtui.api.operations import OPERATIONS, SEED
from flagtui.models.record import Record
from flagtui.models.rows import RowPage

REFUSALS: Final[dict[int, type[ApiError] | tuple[type[ApiError], ...]]] = {
    400: errors.Invalid,
    401: errors.NotSignedIn,
    403: errors.ClosedToKeys,
    404: (errors.NotFound, errors.EndpointNotFound),
    405: errors.NotOffered,
    409: errors.Conflict,
}
"""What the error examples are called here."""


def serve(stored: Example, requests: list[httpx.Request]) -> Answering:
    """Answers the example's request with its answer, and what the client asks on the way with the basics."""
    path = stored["path"].format_map(stored["ids"])

    def answer(request: httpx.Request) -> httpx.Response:
        if (request.method, request.url.path) == (stored["method"], path):
            requests.append(request)
            content = b"" if stored["answer"] is None else json.dumps(stored["answer"]).encode()
            return httpx.Response(stored["status"], content=content)
        on_the_way = {"/api/projects/1/": "projects.get", "/api/personal_api_keys/@current/": "people.key"}
        name = on_the_way.get(request.url.path)
        if name:
            return httpx.Response(200, json=example(name)["answer"])
        return httpx.Response(404, json={"detail": "Endpoint not found."})

    return answer


async def outcome(client: Any, stored: Example) -> Any:
    try:
        return await CALLS[stored["operation"]](client, stored)
    except ApiError as error:
        return error


@pytest.mark.parametrize("name", NAMES)
async def test_the_client_sends_and_understands_the_example(make_client: MakeClient, name: str) -> None:
    stored = example(name)
    requests: list[httpx.Request] = []
    result = await outcome(make_client(serve(stored, requests)), stored)
    [request] = requests
    query = stored["request"]["query"].items()
    params = request.url.params
    expected = {name: value if isinstance(value, list) else [value] for name, value in query}
    assert {name: params.get_list(name) for name in params} == expected
    assert (json.loads(request.content) if request.content else None) == stored["request"]["body"]
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept"] == "application/json"
    if request.content:
        assert request.headers["content-type"] == "application/json"
    if stored["status"] >= 300:
        assert isinstance(result, REFUSALS[stored["status"]])
        assert result.detail == (stored["answer"] or {}).get("detail", "")
        return
    assert not isinstance(result, ApiError)
    if isinstance(result, Record):
        answer = stored["answer"]
        assert result.raw.items() >= answer.get("cohort", answer).items()
    if isinstance(result, RowPage):
        assert result.total == stored["answer"]["count"]
        assert not result.unreadable


def test_every_operation_has_an_example_and_a_call() -> None:
    assert {name.split("--")[0] for name in NAMES} == set(OPERATIONS) == set(CALLS)
    # As many as the specification has.
    assert len(SEED) == 31


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_filed_under_its_operation(name: str) -> None:
    stored = example(name)
    operation = OPERATIONS[stored["operation"]]
    assert name.split("--")[0] == operation.name
    for field in ("method", "path", "scope"):
        assert stored[field] == getattr(operation, field)
