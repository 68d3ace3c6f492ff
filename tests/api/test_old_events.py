"""Event definitions on servers that lack the newer operations."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles.servers import MakeClient

from flagtui.api import errors


@pytest.mark.parametrize("status", [404, 500])
async def test_event_definition_with_a_server_error_may_be_deleted(
    make_client: MakeClient, status: int
) -> None:
    client = make_client(lambda request: httpx.Response(status, json={"detail": "A server error occurred."}))
    with pytest.raises(errors.NotFound):
        await client.event_definitions.get("0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f")


DEFINITION: dict[str, Any] = {"id": "u1", "name": "paid", "tags": ["revenue"], "verified": False}


class OldEvents:
    """A server that takes the words of newer ones for ids, and has no bulk."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.record = dict(DEFINITION)
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(f"{request.method} {request.url.path.removeprefix('/api/projects/1/')}")
        if request.url.path.endswith("/event_definitions/"):
            return httpx.Response(200, json={"count": 1, "results": [self.record]})
        if not request.url.path.endswith("/u1/"):
            status = 405 if request.method == "POST" else self.status
            return httpx.Response(status, json={"code": "not_found", "detail": "Not found."})
        if request.method == "PATCH":
            self.record |= json.loads(request.content)
        return httpx.Response(200, json=self.record)


@pytest.mark.parametrize("status", [404, 500])
async def test_endpoint_read_as_an_id_means_an_older_server(make_client: MakeClient, status: int) -> None:
    server = OldEvents(status)
    events = make_client(server).event_definitions
    for _ in range(2):
        with pytest.raises(errors.EndpointNotFound):
            await events.primary_properties()
    assert len(server.asked) == (1 if status == 404 else 2)
    assert (await events.by_name("paid")).id == "u1"
    with pytest.raises(errors.NotFound):
        await events.by_name("unpaid")


async def test_a_language_that_is_missing_leaves_the_others(make_client: MakeClient) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/typescript/"):
            return httpx.Response(200, json={"content": "export {}", "event_count": 0})
        return httpx.Response(404, json={"code": "not_found", "detail": "Not found."})

    events = make_client(answer).event_definitions
    with pytest.raises(errors.EndpointNotFound):
        await events.code("python")
    assert (await events.code("typescript")).content == "export {}"


async def test_event_definitions_change_singly_where_bulk_is_missing(make_client: MakeClient) -> None:
    server = OldEvents(404)
    events = make_client(server).event_definitions
    tagged = await events.bulk_update_tags(["u1", "u2"], "add", [" Ops", "revenue"])
    assert server.record["tags"] == ["revenue", "ops"]
    assert [now.tags for now in tagged.updated] == [("revenue", "ops")]
    assert [left.id for left in tagged.skipped] == ["u2"]
    await events.bulk_update_tags(["u1"], "remove", ["OPS"])
    assert server.record["tags"] == ["revenue"]
    verified = await events.bulk_update_verified(["u1"], True)
    assert (verified.updated[0].id, server.record["verified"]) == ("u1", True)
