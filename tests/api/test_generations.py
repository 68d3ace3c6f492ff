"""Servers of other generations: missing operations are replaced once, and remembered."""

import httpx
import pytest
from tests.doubles.old_servers import CLOSED, FLAG, Old
from tests.doubles.servers import MakeClient

from flagtui.api import errors


@pytest.mark.parametrize(("word", "active"), [("enable", True), ("disable", False)])
async def test_flag_is_switched_by_patch_where_the_endpoint_is_missing(
    make_client: MakeClient, word: str, active: bool
) -> None:
    server = Old()
    client = make_client(server)
    for _ in range(2):
        await getattr(client.flags, word)(5)
    assert server.writes == [("feature_flags", "5", {"active": active})] * 2
    assert len(server.asked) == 3


async def test_archives_and_bulk_are_replaced_only_where_possible(make_client: MakeClient) -> None:
    server = Old()
    with pytest.raises(errors.EndpointNotFound):
        await make_client(server).flags.archive(5)
    assert server.writes == []
    server = Old(flag=FLAG | {"archived": False})
    await make_client(server).flags.archive(5)
    assert server.writes == [("feature_flags", "5", {"archived": True, "active": False})]
    server = Old(flag=FLAG | {"tags": ["ops"]})
    flags = make_client(server).flags
    assert [flag.key for flag in (await flags.bulk_delete([5])).deleted] == ["a"]
    await flags.bulk_update_tags([5], "add", ["Web"])
    deleted, tagged = {"deleted": True}, {"tags": ["ops", "web"]}
    assert server.writes == [("feature_flags", "5", deleted), ("feature_flags", "5", tagged)]


async def test_bulk_stops_at_a_lost_link_and_lists_the_untried(make_client: MakeClient) -> None:
    patched: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return httpx.Response(403, json=CLOSED)
        patched.append(request.url.path)
        if "/6/" in request.url.path:
            return httpx.Response(400, json={"detail": "Other flags depend on it."})
        if "/7/" in request.url.path:
            raise httpx.ReadError("gone")
        return httpx.Response(200, json=FLAG)

    outcome = await make_client(answer).flags.bulk_delete([5, 6, 7, 8, 9])
    assert len(patched) == 3
    assert [(error.id, error.reason) for error in outcome.errors[2:]] == [
        (8, "Not tried."),
        (9, "Not tried."),
    ]
    assert "depend on it" in outcome.errors[0].reason
    assert "not known" in outcome.errors[1].reason


@pytest.mark.parametrize("id", ["../../users/@me", "a/b", "", "..", "x" * 500, "a?b", "a%2fb", "ö"])
async def test_an_id_stays_one_step_of_the_path(make_client: MakeClient, id: str) -> None:
    client = make_client(lambda request: httpx.Response(200))
    with pytest.raises(errors.Invalid):
        await client.event_definitions.get(id)
    assert client.link.requests == 0


async def test_missing_endpoint_is_remembered_and_a_gateway_page_not(make_client: MakeClient) -> None:
    answers = iter([httpx.Response(404, html="<html>"), httpx.Response(200, json={"status": "active"})])
    client = make_client(lambda request: next(answers))
    with pytest.raises(errors.EndpointNotFound):
        await client.flags.status(5)
    assert (await client.flags.status(5)).status == "active"
    server = Old()
    client = make_client(server)
    for _ in range(2):
        with pytest.raises(errors.EndpointNotFound):
            await client.flags.set_rollout(5, 0, 50, version=3)
        with pytest.raises(errors.EndpointNotFound):
            await client.flags.roll_out_to_everyone(5, version=3)
    assert server.asked == ["POST /api/projects/1/feature_flags/5/set_release_condition_rollout/"]
