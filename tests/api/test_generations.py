"""Servers of other generations: missing operations are replaced once, and remembered."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles.old_servers import CLOSED, EXPERIMENT, FLAG, PAUSED, RUNNING, STOPPED, Old
from tests.doubles.servers import MakeClient, always, in_turn

from flagtui.api import errors


async def test_flag_is_switched_by_patch_where_the_endpoint_is_missing(make_client: MakeClient) -> None:
    for word, active in (("enable", True), ("disable", False)):
        server = Old()
        switch = getattr(make_client(server).flags, word)
        for _ in range(2):
            await switch(5)
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
    reasons = {error.id: error.reason for error in outcome.errors}
    assert [reasons[8], reasons[9]] == ["Not tried."] * 2
    assert "depend on it" in reasons[6]
    assert "not known" in reasons[7]
    assert {error.id: error.is_sent for error in outcome.errors} == {6: False, 7: True, 8: False, 9: False}


async def test_missing_endpoint_is_remembered_and_a_gateway_page_not(make_client: MakeClient) -> None:
    page, status = httpx.Response(404, html="<html>"), httpx.Response(200, json={"status": "active"})
    client = make_client(in_turn(page, status))
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


UUID = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"


@pytest.mark.parametrize("status", [404, 500])
async def test_event_definition_with_a_server_error_may_be_deleted(
    make_client: MakeClient, status: int
) -> None:
    id, refused = UUID, {"code": "error", "detail": "A server error occurred."}
    with pytest.raises(errors.NotFound):
        await make_client(always(status, refused)).event_definitions.get(id)
    with pytest.raises((errors.ServerFault, errors.EndpointNotFound)):
        await make_client(always(status, b"<p>")).event_definitions.get(id)


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


NOW = "2023-11-14T22:13:20Z"


NO_CONCLUSION = {"conclusion": None}
EMPTIED = {"start_date": None, "end_date": None, "archived": False} | NO_CONCLUSION


@pytest.mark.parametrize(("word", "before", "write"), [
    ("launch", EXPERIMENT, ("experiments", "12", {"start_date": NOW})),
    ("end", RUNNING, ("experiments", "12", {"end_date": NOW})),
    (
        "end",
        {**RUNNING, "conclusion": "won"},
        ("experiments", "12", {"end_date": NOW, "conclusion": None}),
    ),
    ("archive", STOPPED, ("experiments", "12", {"archived": True})),
    ("unarchive", STOPPED, ("experiments", "12", {"archived": False})),
    ("reset", {**STOPPED, "conclusion": "won"}, ("experiments", "12", EMPTIED)),
    ("pause", RUNNING, ("feature_flags", "5", {"active": False})),
    ("resume", PAUSED, ("feature_flags", "5", {"active": True})),
])  # fmt: skip
async def test_experiment_steps_are_patches_where_endpoints_are_missing(
    make_client: MakeClient, word: str, before: dict[str, Any], write: object
) -> None:
    server = Old(experiment=before)
    await getattr(make_client(server).experiments, word)(12)
    assert server.writes == [write]


@pytest.mark.parametrize(("word", "before"), [
    ("launch", RUNNING), ("end", STOPPED), ("end", EXPERIMENT), ("archive", RUNNING), ("pause", PAUSED),
    ("resume", RUNNING), ("reset", EXPERIMENT),
])  # fmt: skip
async def test_the_state_is_checked_where_the_server_would_not(
    make_client: MakeClient, word: str, before: dict[str, Any]
) -> None:
    server = Old(experiment=before)
    with pytest.raises(errors.Invalid) as caught:
        await getattr(make_client(server).experiments, word)(12)
    assert server.writes == []
    assert not caught.value.sent


async def test_shipping_changes_the_flag_where_the_endpoint_is_missing(make_client: MakeClient) -> None:
    shares = (("control", 50), ("test", 50), (["odd"], 0))
    variants = [{"key": key, "rollout_percentage": share} for key, share in shares]
    condition = {"rollout_percentage": 20}
    filters = {"groups": [condition], "multivariate": {"variants": variants}, "x": 1}
    flag = FLAG | {"filters": filters}
    server = Old(flag=flag, experiment=RUNNING)
    experiments = make_client(server).experiments
    with pytest.raises(errors.Invalid):
        await experiments.ship_variant(12, "zzz")
    assert server.writes == []
    await experiments.ship_variant(12, "test", everyone=True, conclusion="won")
    shipped = [
        {**variant, "rollout_percentage": share} for variant, share in zip(variants, (0, 100, 0), strict=True)
    ]
    groups = [{"properties": [], "rollout_percentage": 100}, condition]
    written = {"groups": groups, "multivariate": {"variants": shipped}, "x": 1}
    assert server.writes == [
        ("feature_flags", "5", {"filters": written, "version": 3, "original_flag": {"filters": filters}}),
        ("experiments", "12", {"end_date": NOW, "conclusion": "won"}),
    ]


@pytest.mark.parametrize(("everyone", "parameter"), [(True, "POST"), (False, "PATCH")])
async def test_variant_for_everyone_omits_targeting_where_the_server_allows(
    make_client: MakeClient, everyone: bool, parameter: str
) -> None:
    shared = {"variants": [{"key": key, "rollout_percentage": 50} for key in ("control", "test")]}
    flag = FLAG | {"filters": {"groups": [], "multivariate": shared}}
    old = Old(flag=flag, experiment=STOPPED)
    bodies: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if "/feature_flags/" in request.url.path and request.method != "GET":
            bodies.append((request.method, json.loads(request.content)))
            return httpx.Response(200, json=flag)
        return old(request)

    await make_client(answer).experiments.ship_variant(12, "test", everyone=everyone)
    [(method, body)] = bodies
    assert method == parameter
    assert ("filters" in body) is not everyone
    if everyone:
        assert body == {"version": 3, "variant_key": "test"}
