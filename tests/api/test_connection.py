"""Between a request and its response: repeats, pauses, deadlines, proxies and the log."""

import asyncio
import json
import socket
from pathlib import Path

import httpx
import pytest
from tests.doubles.servers import KEY, Dripping, MakeClient, StillClock, always, in_turn

from flagtui.api import Client, Deadlines, errors
from flagtui.api.errors import ApiError
from flagtui.api.request_log import log_to

FLAG = {"id": 5, "key": "a"}
SHORT = Deadlines(read=0.02, write=0.02)


async def test_a_read_survives_two_bad_gateways(make_client: MakeClient, clock: StillClock) -> None:
    busy = httpx.Response(503, headers={"Retry-After": "7"})
    client = make_client(in_turn(httpx.Response(502, html="<html>"), busy, httpx.Response(200, json=FLAG)))
    link, retries = client.link, list[tuple[float, float]]()
    link.watch(lambda: retries.append((link.retry[0], link.retrying)) if link.retry else None)
    assert (await client.flags.get(5)).key == "a"
    assert (link.requests, len(clock.waits)) == (3, 2)
    assert retries == [(clock.waits[0], 0.0), (7.0, 7.0)], "only a long wait is shown"
    assert link.retrying == 0.0


async def test_rate_limit_of_the_server_pauses_everything_then_resumes(
    make_client: MakeClient, clock: StillClock
) -> None:
    pause = httpx.Response(429, headers={"Retry-After": "6"})
    client = make_client(in_turn(pause, httpx.Response(200, json=FLAG)))
    waits: list[float] = []
    client.link.watch(lambda: waits.append(client.link.waiting))
    assert (await client.flags.get(5)).key == "a"
    assert clock.waits == [6.0]
    assert 6.0 in waits
    assert (client.link.waiting, client.link.is_offline) == (0.0, False)
    assert client.link.last_answer is not None


@pytest.mark.parametrize(("longest", "waits"), [(5.9, []), (6.0, [6.0]), (12.0, [6.0, 6.0])])
async def test_read_waits_no_longer_than_its_limit(
    make_client: MakeClient, clock: StillClock, longest: float, waits: list[float]
) -> None:
    client = make_client(always(429, **{"Retry-After": "6"}))
    client.connection.longest_wait = longest
    for _ in range(2):
        with pytest.raises(errors.RateLimited) as caught:
            await client.flags.get(5)
        assert (clock.waits, caught.value.retry_after) == (waits, 6.0)
        client.connection.longest_wait = 0.0
    assert client.link.requests == len(waits) + 1


@pytest.mark.parametrize(("stated", "held"), [(21, 21.0), (86_400, 120.0)])
async def test_a_limited_write_is_not_repeated_but_holds_the_rest(
    make_client: MakeClient, stated: int, held: float
) -> None:
    client = make_client(always(429, {"detail": f"Expected available in {stated} seconds."}))
    with pytest.raises(errors.RateLimited) as caught:
        await client.flags.update(5, {"active": True})
    assert (client.link.requests, caught.value.retry_after, client.link.waiting) == (1, stated, held)


async def test_hanging_responses_are_given_up_at_the_deadline(make_client: MakeClient) -> None:
    body = Dripping(b'{"id"', b":", hangs=True)
    client = make_client(lambda request: httpx.Response(200, stream=body), deadlines=SHORT)
    with pytest.raises(errors.Unanswered):
        await client.flags.get(5)
    assert body.is_closed

    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        return httpx.Response(200)

    client = make_client(hang, deadlines=SHORT)
    with pytest.raises(errors.Unanswered):
        await client.flags.get(5)


async def test_a_cancelled_request_lets_go_of_everything(make_client: MakeClient) -> None:
    body = Dripping(b"{", hangs=True)
    client = make_client(lambda request: httpx.Response(200, stream=body))
    task = asyncio.ensure_future(client.flags.get(5))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert body.is_closed


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 500])
async def test_key_echoed_by_the_server_is_never_shown(make_client: MakeClient, status: int) -> None:
    body = {"detail": f"No: Authorization: Bearer {KEY}", "attr": KEY, "code": KEY, "echo": {"header": KEY}}
    client = make_client(always(status, body, Location=f"https://evil.test/?{KEY}"))
    with pytest.raises(ApiError) as caught:
        await client.flags.get(5)
    error = caught.value
    assert KEY not in f"{error} {error!r} {error.detail} {error.facts!r} {client.link!r}"


async def test_what_the_server_does_not_offer_is_asked_once(make_client: MakeClient) -> None:
    client = make_client(always(403, {"detail": "This action does not support personal API key access"}))
    for _ in range(2):
        with pytest.raises(errors.ClosedToKeys):
            await client.flags.dashboard(5)
    assert client.link.requests == 1
    assert client.capabilities.why_not("flags.dashboard") == "This server does not offer this to API keys."
    assert client.for_project(2).capabilities is client.capabilities
    client.capabilities.forget()
    with pytest.raises(errors.ClosedToKeys):
        await client.flags.dashboard(5)
    assert client.link.requests == 2


@pytest.mark.parametrize("value", [float("nan"), object(), {1: {2, 3}}])
async def test_what_cannot_be_json_is_not_sent(make_client: MakeClient, value: object) -> None:
    client = make_client(always(200, FLAG))
    with pytest.raises(errors.Invalid):
        await client.flags.update(5, {"filters": value})
    assert client.link.requests == 0


async def test_the_log_names_the_request_and_no_secret(make_client: MakeClient, tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    client = make_client(always(502, b"secret body"), log=log_to(path))
    with pytest.raises(errors.ServerFault):
        await client.flags.page({"search": "private\nwords"})
    text = path.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    request = {"method": "GET", "path": "/api/projects/1/feature_flags/", "attempt": 1}
    response = {"status": 502, "milliseconds": 0, "size": 11, "fault": "ServerFault"}
    assert lines[0] | {"milliseconds": 0} == request | response
    assert [line["attempt"] for line in lines] == [1, 2, 3]
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(word in text for word in (KEY, "secret", "private", "Bearer"))


@pytest.mark.parametrize(("name", "value", "kind", "words"), [
    ("HTTPS_PROXY", "gopher://proxy.example.test", errors.ProxyFailed, "HTTPS_PROXY"),
    ("HTTPS_PROXY", "http://[::1", errors.ProxyFailed, "HTTPS_PROXY"),
    ("HTTPS_PROXY", "http://127.0.0.1:1", errors.ProxyFailed, "The proxy cannot be reached"),
    ("SSL_CERT_FILE", "/nonexistent/bundle.pem", errors.TlsFailed, "SSL_CERT_FILE"),
])  # fmt: skip
async def test_a_variable_that_cannot_work_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, kind: type[ApiError], words: str
) -> None:
    monkeypatch.setenv(name, value)
    async with Client("https://flags.example.test", KEY, 1) as client:
        with pytest.raises(kind, match=words) as caught:
            await client.flags.get(5)
    assert not caught.value.sent


@pytest.mark.parametrize("bundle", ["/nonexistent/acme.pem", "~no-such-user/acme.pem"])
async def test_an_unreadable_bundle_of_a_profile_is_named(bundle: str) -> None:
    async with Client("https://flags.example.test", KEY, 1, ca_bundle=bundle) as client:
        with pytest.raises(errors.TlsFailed, match=bundle) as caught:
            await client.flags.get(5)
    assert not caught.value.sent


async def test_a_closed_port_of_this_machine_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    async with Client(f"http://127.0.0.1:{port}", KEY, 1) as client:
        with pytest.raises(errors.Refused) as caught:
            await client.flags.update(5, {"active": True})
    assert not caught.value.sent


async def test_read_that_used_up_its_time_is_not_retried(make_client: MakeClient, clock: StillClock) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        clock.now += 15.0
        raise httpx.ReadTimeout("late")

    client = make_client(answer)
    with pytest.raises(errors.Unanswered):
        await client.flags.get(5)
    assert client.link.requests == 1
