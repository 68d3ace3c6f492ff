"""Where the key goes when the server points elsewhere: nowhere."""

import httpx
import pytest
from tests.doubles.servers import MakeClient, always, serve_flags

from flagtui.api import errors

FLAG = {"id": 5, "key": "a"}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_read_follows_a_redirect_on_its_own_host_only(make_client: MakeClient, status: int) -> None:
    hosts: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append(f"{request.url.scheme}://{request.url.host}")
        if request.url.path.startswith("/api/projects/1/"):
            return httpx.Response(status, headers={"Location": "/moved/"})
        return httpx.Response(200, json=FLAG)

    assert (await make_client(answer).flags.get(5)).id == 5
    assert hosts == ["https://flags.example.test"] * 2


@pytest.mark.parametrize(
    "place",
    ["https://evil.test/", "http://flags.example.test/", "https://flags.example.test:8443/", "//evil.test/x",
     "", "https://[", "javascript:x"],
)  # fmt: skip
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_key_never_follows_redirect_elsewhere(make_client: MakeClient, place: str, status: int) -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(status, headers={"Location": place})

    with pytest.raises(errors.Redirected):
        await make_client(answer).flags.get(5)
    assert {request.url.host for request in requests} == {"flags.example.test"}
    assert {request.url.scheme for request in requests} == {"https"}


@pytest.mark.parametrize("place", ["/elsewhere/", "javascript:x", "https://[", ""])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_write_is_never_redirected(make_client: MakeClient, status: int, place: str) -> None:
    client = make_client(always(status, None, Location=place))
    with pytest.raises(errors.Redirected) as caught:
        await client.flags.update(5, {"active": True})
    assert client.link.requests == 1
    assert caught.value.now == "Nothing was changed."


async def test_a_next_page_on_another_host_is_never_followed(make_client: MakeClient) -> None:
    hosts: set[str] = set()
    inner = serve_flags(250)

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.add(request.url.host)
        response = inner(request)
        assert isinstance(response, httpx.Response)
        return httpx.Response(200, json=response.json() | {"next": "https://evil.test/?limit=100&offset=100"})

    client = make_client(answer)
    assert sum([len(page.rows) async for page in client.flags.pages()]) == 250
    assert hosts == {"flags.example.test"}
