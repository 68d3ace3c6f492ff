"""Every error of the API has one shape, and no body or path can make the service fail."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.doubles.service_world import Refusal, Start, World

from flagtui.service.application import OPERATIONS
from flagtui.service.errors import database_unavailable, payment_required, server_error, throttle_fault
from flagtui.service.operations import Operation

KEYS = ["type", "code", "detail", "attr"]


def reachable() -> Iterator[Operation]:
    return (operation for operation in OPERATIONS if not operation.public)


async def test_every_operation_refuses_a_stranger_in_the_same_words(world: World) -> None:
    for operation in reachable():
        path = operation.path.replace("{project_id}", "1").replace("{", "").replace("}", "") + "/"
        response = await world.client.request(operation.method, path)
        assert (response.status_code, list(response.json())) == (401, KEYS), operation.path


async def test_no_operation_fails_on_an_empty_database_or_malformed_body(world: World) -> None:
    bodies: list[Any] = [None, {"name": {"a": []}, "ids": "x", "filters": 7, "key": None}, [1]]
    for operation in reachable():
        path = operation.path.replace("{project_id}", "1").replace("{organization_id}", "@current")
        for name in ("7", "99999999999999999999", "%00é"):
            url = path.replace("{id}", name).replace("{version}", name) + "/"
            for body in bodies if operation.method in ("POST", "PATCH") else [None]:
                response = await world.ask(operation.method, url, body)
                assert response.status_code < 500, (operation.method, url, body, response.text)
                if response.content:
                    response.json()


async def test_an_unknown_path_is_no_endpoint(world: World) -> None:
    for path in ("/", "/api", "/api/nothing/", "/api/projects/1/nothing/", "/api//projects/", "/a%0Ab/"):
        await world.refuses("GET", path, status=404, detail="Endpoint not found.")


def nested(levels: int) -> bytes:
    return b'{"key": "k%d", "x": %s%s}' % (levels, b"[" * levels, b"]" * levels)


HOSTILE: list[tuple[bytes, str]] = [
    (b"\xff\xfe", "…"),
    (b"NaN", "…"),
    (b'{"key": 1e999}', "…"),
    (b'{"key": "\\ud800"}', "…"),
    (b"[" * 100_000, "…"),
    (b'{"a":' * 100_000, "…"),
    (b'{"a":' * 100 + b"1" + b"}" * 100, "…"),
    (b"[]", "…"),
    (b'"text"', "…"),
    (b"null", "…"),
    (b'{"key": "a\\u0000b"}', "…"),
    (b'{"key": "ok", "version": 1180591620717411303424}', "…"),
    (b'{"key": "ok", "filters": {"groups": [{"rollout_percentage": 1e400}]}}', "…"),
    (b'{"key": "ok", "filters": {"groups": [{"rollout_percentage": 1%s}]}}' % (b"0" * 400), "…"),
    (b"", "…"),
    (b'\xef\xbb\xbf{"key": "a"}', "JSON parse error - Unexpected UTF-8 BOM…"),
    (b"\xff\xfe{", "JSON parse error - 'utf-8' codec can't decode byte 0xff in position 0…"),
    (b'{"key": NaN}', "JSON parse error - Out of range float values…"),
    (b'{"key":', "JSON parse error - Expecting value: line 1…"),
    (nested(65), "JSON parse error - nested deeper than 64 levels"),
]
"""Bodies, and what of the refusal they must lead to."""


async def test_hostile_bodies_are_400_and_named(world: World) -> None:
    media = {"Content-Type": "application/json"}
    for content, detail in HOSTILE:
        response = await world.ask("POST", "", content=content, headers=media)
        assert (response.status_code, list(response.json())) == (400, KEYS)
        expected = {"detail": detail, **({} if detail == "…" else {"code": "parse_error"})}
        Refusal.of(response).check(expected, content[:80])
    assert (await world.ask("POST", "", content=nested(63), headers=media)).status_code == 201


async def test_a_body_that_is_too_large_is_not_read(start_world: Start) -> None:
    world = await start_world(max_body_bytes=1000)
    fits = {"key": "a", "name": "x" * 900}
    await world.post("", fits, 201)
    assert (await world.refused("POST", "", {"key": "b", "name": "x" * 1000})).status == 413

    async def chunks() -> Any:
        for _ in range(10):
            yield b" " * 200

    response = await world.ask("POST", "", content=chunks(), headers={"Content-Type": "application/json"})
    assert response.status_code == 413
    world = await start_world(max_filters_bytes=2048)
    filters = {"groups": [{"description": "x" * 3000}]}
    detail = (
        "Feature flag filters exceed maximum size of 2.0 KB. Current size: 3.0 KB. "
        "Please simplify conditions or reduce payload sizes."
    )
    await world.refuses("POST", "", {"key": "a", "filters": filters}, attr="filters", detail=detail)


async def test_a_refused_change_leaves_nothing_behind(world: World) -> None:
    flag = await world.flag("a")
    before = world.rows("SELECT * FROM flags"), world.rows("SELECT * FROM activity")
    for body in ({"key": "a b"}, {"archived": True}, {"filters": {"groups": [{"rollout_percentage": 101}]}}):
        await world.refused("PATCH", f"{flag['id']}/", body)
    assert (world.rows("SELECT * FROM flags"), world.rows("SELECT * FROM activity")) == before


async def test_a_damaged_record_fails_its_own_requests_alone(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    damaged, sound = await world.flag("damaged"), await world.flag("sound")
    world.write("UPDATE flags SET version = 'x' WHERE id = ?", damaged["id"])
    for method, body in (("GET", None), ("PATCH", {"name": "x"})):
        response = await world.ask(method, f"{damaged['id']}/", body)
        assert (response.status_code, response.content) == (500, server_error().content)
    assert [(each.getMessage(), each.exc_info is not None) for each in caplog.records] == [
        (f"{method} '{world.url_of(str(damaged['id']))}/' failed", True) for method in ("GET", "PATCH")
    ]
    assert (await world.patch(f"{sound['id']}/", {"name": "x"}))["version"] == 2


def test_faults_of_a_server_have_their_bodies() -> None:
    for fault, status, code in (
        (server_error(), 500, "error"),
        (database_unavailable(), 503, "database_unavailable"),
        (payment_required("Pay."), 402, "payment_required"),
        (throttle_fault(1), 429, "throttled"),
    ):
        body = json.loads(fault.content)
        assert (fault.status, body["code"], list(body)) == (status, code, KEYS)
    assert database_unavailable().headers["Retry-After"] == "1"
    assert json.loads(throttle_fault(1).content)["detail"].endswith("available in 1 second.")
    assert throttle_fault(21).headers["Retry-After"] == "21"
    assert json.loads(throttle_fault(21).content)["detail"].endswith("available in 21 seconds.")
