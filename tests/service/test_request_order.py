"""Checks before the first byte of a body is read, and the order of waiting requests."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx
from tests.doubles.service_world import FLAGS, PLANS, World

from flagtui.evaluate.pattern_budget import RESERVE_SECONDS, TOTAL_SECONDS, current_budget
from flagtui.service.call import Call
from flagtui.service.dispatch import Dispatcher
from flagtui.service.operations import Operation, Routes
from flagtui.service.responses import Response, respond
from flagtui.service.settings import Settings

Receive = Callable[[], Awaitable[dict[str, Any]]]
Asked = tuple[int, Any]
"""A status and a decoded body."""
CHANGED = json.dumps({"name": "changed"}).encode()


async def ask(world: World, method: str, path: str, receive: Receive, **headers: str) -> Asked:
    """One request straight into the application."""
    sent: list[Any] = []
    named = {"host": "127.0.0.1", "content-type": "application/json", **world.headers, **headers}
    scope = {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items() if value],
        "server": ("127.0.0.1", 80),
    }

    async def send(message: Any) -> None:
        sent.append(message)

    transport = world.client._transport
    assert isinstance(transport, httpx.ASGITransport)
    await transport.app(scope, receive, send)
    return sent[0]["status"], json.loads(sent[1]["body"] or b"null")


async def receive_nothing() -> dict[str, Any]:
    """A body that never arrives."""
    await asyncio.Event().wait()
    raise AssertionError


async def start(requests: Iterable[Coroutine[Any, Any, Asked]]) -> list[asyncio.Task[Asked]]:
    """Let each of them run until it waits."""
    tasks = [asyncio.create_task(request) for request in requests]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


def whole(body: bytes) -> Receive:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


UNREAD: list[tuple[str, str, dict[str, str], int]] = [
    ("PATCH", f"{FLAGS}1/", {"Authorization": ""}, 401),
    ("PATCH", f"{FLAGS}1/", {"Authorization": "Bearer phx_unknown"}, 401),
    ("PATCH", "/api/projects/99/feature_flags/1/", {}, 404),
    ("PATCH", "/api/nothing/", {}, 404),
    ("PATCH", FLAGS, {}, 405),
    ("PATCH", f"{FLAGS}1/", {"content-length": str(2**40)}, 413),
    ("PATCH", f"{FLAGS}1/", {"content-length": "5", "content-type": "text/plain"}, 415),
    ("GET", FLAGS, {"content-length": "5"}, 200),
]


async def test_refusals_and_missing_scopes_wait_for_no_body(world: World) -> None:
    async with asyncio.timeout(5):
        for method, path, headers, status in UNREAD:
            assert (await ask(world, method, path, receive_nothing, **headers))[0] == status
        reader = world.with_key("feature_flag:read")
        status, body = await ask(reader, "PATCH", f"{FLAGS}1/", receive_nothing)
    assert (status, body["detail"]) == (403, "API key missing required scope 'feature_flag:write'")


async def test_slow_bodies_leave_turns_to_other_keys(world: World) -> None:
    path = f"{FLAGS}{(await world.flag('a'))['id']}/"
    # Without a key they take no turn at all.
    for asking, headers in ((world, {"Authorization": ""}), (world.with_key("*"), {})):
        slow = await start(ask(asking, "PATCH", path, receive_nothing, **headers) for _ in range(50))
        async with asyncio.timeout(5):
            assert (await ask(world, "PATCH", path, whole(CHANGED)))[0] == 200
            if headers:
                assert {status for status, _ in await asyncio.gather(*slow)} == {401}
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


async def test_a_key_revoked_during_its_body_changes_nothing(world: World) -> None:
    flag = await world.flag("a")
    other = world.with_key("*")

    async def receive() -> dict[str, Any]:
        world.write("DELETE FROM api_keys WHERE label = 'test'")
        world.clock.pass_(seconds=2)
        return {"type": "http.request", "body": CHANGED, "more_body": False}

    assert (await ask(other, "PATCH", f"{FLAGS}{flag['id']}/", receive))[0] == 401
    assert (await world.get(f"{flag['id']}/"))["name"] == ""


async def test_key_revoked_while_waiting_for_its_turn_changes_nothing(world: World) -> None:
    flag = await world.flag("a")
    made = await world.plan(flag)
    other, path = world.with_key("*"), f"{PLANS}{made['id']}/"
    slow = await start(ask(other, "PATCH", f"{FLAGS}{flag['id']}/", receive_nothing) for _ in range(4))
    [waiting] = await start([ask(other, "DELETE", path, receive_nothing)])
    world.write("DELETE FROM api_keys WHERE label = 'test'")
    world.clock.pass_(seconds=2)
    for task in slow:
        task.cancel()
    assert (await waiting)[0] == 401
    assert (await world.get(path))["id"] == made["id"]
    await asyncio.gather(*slow, return_exceptions=True)


PATHS: list[tuple[str, str | None]] = [
    ("/api/projects{}/", "Endpoint not found."),
    ("/api{}/projects/", "Endpoint not found."),
    ("{}/api/projects/", "Endpoint not found."),
    ("/api/projects/1{}/feature_flags/", "Project not found."),
    ("/api/projects/{}1/feature_flags/", "Project not found."),
    ("/api/projects/@current{}/", "Project not found."),
    ("/api/projects/1/feature_flags/1{}/", "Not found."),
    ("/api/projects/1/event_definitions/{}/", "Not found."),
    ("/api/organizations/@current{}/", "Not found."),
    ("/api/users/@me{}/", None),
    ("/api/personal_api_keys/@current{}/", None),
]


async def test_line_breaks_in_a_path_name_nothing_else(world: World) -> None:
    await world.flag("a")
    for path, detail in PATHS:
        for sign in ("%0a", "%0A", "%0d", "%09", "%0d%0a"):
            refusal = await world.refused("GET", path.format(sign))
            assert 400 <= refusal.status < 500
            assert detail in (None, refusal.detail)


@asynccontextmanager
async def serving(
    world: World, path: str, handler: Callable[[Call], Response]
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service with this operation alone."""
    operation = Operation("GET", path, handler, "", public=True)
    dispatcher = Dispatcher(world.database, Routes([operation]), Settings())
    transport = httpx.ASGITransport(dispatcher)
    async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
        yield client


async def test_a_part_of_a_path_reaches_the_handler_intact(world: World) -> None:
    async with serving(world, "/api/echo/{name}", lambda call: respond([call.params, call.path])) as client:
        for name in ("a\nb", "\n", "a\r", "\tb\r\n", "a?b#c\\d;e"):
            response = await client.get(f"/api/echo/{quote(name)}/")
            assert response.json() == [{"name": name}, f"/api/echo/{name}/"]


async def test_patterns_of_a_request_share_one_budget(world: World) -> None:
    def spend(_call: Call) -> Response:
        has_rest = [current_budget().has_rest]
        for seconds in (TOTAL_SECONDS, RESERVE_SECONDS):
            current_budget().charge(seconds, free=0)
            has_rest.append(current_budget().has_rest)
        return respond(has_rest)

    async with serving(world, "/api/budget", spend) as client:
        for _ in range(2):
            assert (await client.get("/api/budget/")).json() == [True, True, False]


async def test_line_breaks_reach_the_handler_and_name_no_record(world: World) -> None:
    path = "/api/projects/1/event_definitions/by_name/?name=a%0Ab%0D%09"
    world.write("INSERT INTO event_definitions (id, project_id, name) VALUES ('x', 1, 'ab')")
    await world.refuses("GET", path, status=404)
    world.write("INSERT INTO event_definitions (id, project_id, name) VALUES ('y', 1, ?)", "a\nb\r\t")
    assert (await world.get(path))["name"] == "a\nb\r\t"
    made = await world.post("/api/projects/1/event_definitions/", {"name": "a"}, 201)
    digits = made["id"].replace("-", "")
    assert digits[0] == "0"
    assert (await world.get(f"/api/projects/1/event_definitions/{digits}/"))["name"] == "a"
    # Python's UUID() reads this as the same number.
    await world.refuses("GET", f"/api/projects/1/event_definitions/{digits[1:]}%0A/", status=404)
