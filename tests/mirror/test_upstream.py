"""Where definitions come from: a server that is only read, or a file."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client
from flagtui.api.errors import Invalid
from flagtui.evaluate.definitions import used_cohorts
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.upstream import FileUpstream, ServerUpstream, UpstreamError

DOCUMENT = {"flags": [{"id": 1, "key": "a", "active": True, "filters": {"groups": [{}]}}], "cohorts": {}}
Respond = Callable[[httpx.Request], httpx.Response]


class CountingServer:
    """Counts requests; definitions carry a tag until a test changes the response."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.respond: Respond = lambda _request: httpx.Response(200, json=DOCUMENT, headers={"ETag": '"1"'})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if not request.url.path.endswith("/local_evaluation/"):
            return httpx.Response(200, json={"id": 1, "result": True, "timezone": "America/New_York"})
        if request.headers.get("if-none-match") == '"1"':
            return httpx.Response(304)
        return self.respond(request)


@pytest.fixture
def server() -> CountingServer:
    return CountingServer()


def client_of(server: Respond) -> Client:
    transport, clock = httpx.MockTransport(server), SteadyClock()
    return Client("https://flags.example.com", "phx_k", 1, transport=transport, clock=clock, read_only=True)


async def start(client: Client, lines: list[str]) -> Mirror:
    mirror = Mirror(ServerUpstream(client, "prod"), MirroredFlags(), lines.append, clock=SteadyClock())
    await mirror.start()
    return mirror


async def test_definitions_but_an_empty_list_are_requested_by_tag(server: CountingServer) -> None:
    async with client_of(server) as client:
        mirror = await start(client, [])
        for _ in range(3):
            await mirror.refresh()
    definitions = [each for each in server.requests if each.url.path.endswith("/local_evaluation/")]
    assert [each.headers.get("if-none-match") for each in definitions] == [None, *['"1"'] * 3]
    assert {each.method for each in server.requests} == {"GET"}
    assert mirror.flags.time_zone == "America/New_York"
    server.respond = lambda _request: httpx.Response(200, json={"flags": []}, headers={"ETag": '"1"'})
    async with client_of(server) as client:
        upstream = ServerUpstream(client, "prod")
        assert [(await upstream.fetch() or {})["flags"] for _ in range(2)] == [[], []]


async def test_read_only_client_sends_only_what_reads(server: CountingServer) -> None:
    async with client_of(server) as client:
        for each in (client, client.for_project(2)):
            with pytest.raises(Invalid, match="only reads"):
                await each.flags.update(7, {"active": False})
        assert client.at("https://eu.example.com").connection.is_read_only
        assert server.requests == []
        await client.evaluation.test_evaluation(7, "a", "ann")
    assert [each.method for each in server.requests] == ["POST"]


def refuse(status: int, html: str = "", **headers: str) -> Respond:
    body: Any = {"html": html} if html else {"json": {"detail": "no"}}
    return lambda _request: httpx.Response(status, headers=headers, **body)


def cut(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("no route", request=request)


@pytest.mark.parametrize(
    "fault",
    [cut, refuse(401), refuse(403), refuse(429, Retry_After="1"), refuse(500), refuse(502)],
    ids=("cut", "401", "403", "429", "500", "502"),
)
async def test_each_fault_is_one_line_and_the_last_flags_stay(server: CountingServer, fault: Respond) -> None:
    lines: list[str] = []
    async with client_of(server) as client:
        mirror = await start(client, lines)
        mirror.upstream._etag = ""  # type: ignore[attr-defined]  # as after a restart of the server
        respond, server.respond = server.respond, fault
        await mirror.refresh()
        (line,) = lines
        assert line.startswith("upstream: ")
        assert line.endswith(" Serving the definitions read just now.")
        assert "\n" not in line
        assert mirror.flags.flag_set().records.keys() == {"a"}
        server.respond = respond
        await client.connection.clock.sleep(60)
        await mirror.refresh()
    assert lines[1:] == ["upstream responds again; serving 1 flag as they are now"]


@pytest.mark.parametrize(("fault", "is_passing"), [
    pytest.param(cut, True, id="cut"),
    pytest.param(refuse(429), True, id="429"),
    pytest.param(refuse(200, "<html>sign in"), True, id="web page"),
    pytest.param(refuse(404, "<html>back soon"), True, id="page 404"),
    *(pytest.param(refuse(status), False, id=str(status)) for status in (401, 403, 404)),
])  # fmt: skip
async def test_kept_definitions_replace_what_may_pass(fault: Respond, is_passing: bool) -> None:
    async with client_of(fault) as client:
        with pytest.raises(UpstreamError) as error:
            await ServerUpstream(client, "prod").fetch()
    assert error.value.is_passing == is_passing


Write = Callable[[Any], FileUpstream]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(content: Any) -> FileUpstream:
        """Write bytes as they are, and the rest as JSON."""
        path = tmp_path / "flags.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        os.utime(path, (0, 1_780_000_000 - 7200))
        return FileUpstream(path)

    return write_file


FLAG = {"key": "a", "active": True, "filters": {}}
PARTS = {"cohorts": {"7": {"type": "AND", "values": []}}, "group_types": {"0": "company"}}


async def test_file_is_what_the_command_prints_with_its_age(write: Write, tmp_path: Path) -> None:
    upstream = write({"schema": "flag-definition", "records": [{"definition": FLAG, **PARTS}]})
    expected = {"flags": [FLAG], "cohorts": PARTS["cohorts"], "group_type_mapping": PARTS["group_types"]}
    assert await upstream.fetch() == expected
    mirror = Mirror(upstream, MirroredFlags(), print, clock=SteadyClock(1_780_000_000))
    await mirror.start()
    assert mirror.age == "2 h ago"
    with pytest.raises(UpstreamError, match="cannot be read"):
        await FileUpstream(tmp_path / "none.json").fetch()


@pytest.mark.parametrize("document", [DOCUMENT, DOCUMENT["flags"]])
async def test_file_is_a_document_or_a_list_of_flags(write: Write, document: Any) -> None:
    definitions = await write(document).fetch() or {}
    assert [each["key"] for each in definitions["flags"]] == ["a"]


WITHOUT_DEFINITIONS = [
    *(b"", b"{", b"[" * 5000, b"\xed\xa0\x80", b'[{"key": "a", "filters": NaN}]'),
    *(7, {"flags": 1}, [{"id": 1}], [[]], {"records": [1]}),
]


@pytest.mark.parametrize("content", WITHOUT_DEFINITIONS)
async def test_file_without_definitions_is_an_error_with_next_step(write: Write, content: Any) -> None:
    with pytest.raises(UpstreamError) as error:
        await write(content).fetch()
    assert error.value.advice == "Write them with: flagtui flags definitions --json"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
async def test_file_with_half_a_character_is_served(write: Write, encoding: str) -> None:
    mirror = Mirror(
        write(json.dumps([{"key": "a", "name": "\ud83d"}]).encode(encoding)), MirroredFlags(), print
    )
    await mirror.start()
    assert "\ufffd".encode() in mirror.flags.definitions


def test_cohorts_of_a_flag_are_those_it_uses_through_others() -> None:
    def cohort(*members: int) -> dict[str, Any]:
        return {"type": "AND", "values": [{"type": "cohort", "key": "id", "value": each} for each in members]}

    cohorts = {"1": cohort(2), "2": cohort(1, 3), "3": cohort(), "4": cohort(1)}
    flag = {"filters": {"groups": [{"properties": [{"type": "cohort", "value": 1}]}]}}
    assert used_cohorts(flag["filters"], cohorts).keys() == {"1", "2", "3"}
    assert used_cohorts(None, cohorts) == {}
