"""Requests and responses of the client, seen from outside."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles.servers import KEY, MakeClient, StillClock, always, serve_flags

from flagtui.api import errors


async def test_every_flag_arrives_once_and_the_first_page_first(make_client: MakeClient) -> None:
    client = make_client(serve_flags(1_234))
    pages = [page async for page in client.flags.pages()]
    assert [row.id for row in pages[0].rows] == list(range(1, 101))
    assert sorted(row.id for page in pages for row in page.rows) == list(range(1, 1_235))
    assert {page.total for page in pages} == {1_234}


async def test_the_key_is_in_the_header_and_nowhere_else(make_client: MakeClient) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"id": 5, "key": "a"})

    client = make_client(answer)
    await client.flags.update(5, {"active": False}, version=4, original={"active": True, "tags": ["x"]})
    [request] = seen
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(request.url)
    assert KEY.encode() not in request.content
    assert KEY not in repr(client) + repr(client.connection) + repr(client.connection.auth)


async def test_an_update_sends_the_changes_and_what_was_read(make_client: MakeClient) -> None:
    sent: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.method == "PATCH"
        assert request.url.path == "/api/projects/1/feature_flags/5/"
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={"id": 5, "key": "a", "version": 5})

    groups = [{"properties": [{"key": "id", "type": "cohort", "value": 3, "cohort_name": "Beta"}]}]
    flag = await make_client(answer).flags.update(
        5, {"filters": {"groups": []}}, version=4, original={"filters": {"groups": groups}, "tags": ["x"]}
    )
    stored = [{"properties": [{"key": "id", "type": "cohort", "value": 3}]}]
    assert sent == [
        {"filters": {"groups": []}, "version": 4, "original_flag": {"filters": {"groups": stored}}}
    ]
    assert flag.version == 5


async def test_unanswered_write_is_sent_once_and_not_known(
    make_client: MakeClient, clock: StillClock
) -> None:
    requests = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        raise httpx.ReadTimeout("late", request=request)

    with pytest.raises(errors.Unanswered) as caught:
        await make_client(answer).flags.update(5, {"active": False})
    assert requests == 1
    assert caught.value.sent
    assert caught.value.now == "Whether the server made the change is not known."
    assert clock.waits == []


async def test_another_flag_in_the_answer_is_not_taken_for_ours(make_client: MakeClient) -> None:
    with pytest.raises(errors.Unreadable):
        await make_client(always(200, {"id": 6, "key": "b"})).flags.get(5)


async def test_projects_share_the_connection(make_client: MakeClient) -> None:
    paths: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json={"id": 5, "key": "a"})

    client = make_client(answer)
    other = client.for_project(2)
    await client.flags.get(5)
    await other.flags.get(5)
    assert paths == ["/api/projects/1/feature_flags/5/", "/api/projects/2/feature_flags/5/"]
    assert other.connection is client.connection
    assert client.link.requests == 2


@pytest.mark.parametrize("project", ["1/../2", "", "abc", "-1", 0, "@currents", "１"])
def test_what_is_no_project_is_refused_before_anything_is_sent(
    make_client: MakeClient, project: int | str
) -> None:
    with pytest.raises(errors.ProjectNotFound):
        make_client(always(200), project=project)


async def test_the_same_key_can_be_tried_in_the_other_region(make_client: MakeClient) -> None:
    hosts: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        assert request.headers["authorization"] == f"Bearer {KEY}"
        here = request.url.host == "eu.posthog.com"
        return httpx.Response(200, json={"scopes": ["*"]}) if here else httpx.Response(401)

    client = make_client(answer, host="us")
    with pytest.raises(errors.NotSignedIn) as caught:
        await client.people.key()
    assert "eu" in caught.value.next
    other = client.at(caught.value.facts.other_region)
    assert (await other.people.key()).allows("feature_flag:write")
    assert hosts == ["us.posthog.com", "eu.posthog.com"]
    assert other.connection is not client.connection
