"""The key: recognised, never shown, and sent to one host only, also when the server redirects."""

import httpx
import pytest
from tests.doubles.servers import MakeClient, always, serve_flags

from flagtui.api import errors
from flagtui.api.errors import BadHost, BadKey
from flagtui.api.hosts import KeyAuth, read_host, read_key

KEY = "phx_canary_7f3a9c51d2"


@pytest.mark.parametrize(
    "text", ["", "  ", "ab", "phx_ä1234567", "phx_1234 5678", "phx_\n1234567", "x" * 513]
)
def test_what_cannot_be_a_key_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(BadKey) as caught:
        read_key(text)
    assert not text.strip() or text not in str(caught.value)


def test_the_public_project_token_is_recognised_and_explained() -> None:
    with pytest.raises(BadKey) as caught:
        read_key("phc_abcdefghijkl")
    assert "public project token" in caught.value.what
    assert "phx_" in caught.value.next


@pytest.mark.parametrize(
    "url",
    ["http://flags.example.test/", "https://flags.example.test:8443/", "https://evil.test/",
     "https://flags.example.test.evil.test/", "https://flags.example.test@evil.test/"],
)  # fmt: skip
def test_key_goes_only_to_the_confirmed_scheme_host_and_port(url: str) -> None:
    auth = KeyAuth(read_host("https://flags.example.test"), KEY)
    request = httpx.Request("GET", url)
    with pytest.raises(BadHost):
        auth(request)
    assert KEY not in str(request.headers.raw)


def test_key_goes_to_its_host_however_it_was_pasted() -> None:
    auth = KeyAuth(read_host("https://flags.example.test"), KEY)
    request = auth(httpx.Request("GET", "https://flags.example.test:443/api/"))
    assert request.headers["Authorization"] == f"Bearer {KEY}"

    class Kept:
        def get_secret_value(self) -> str:
            return KEY

    assert read_key(f"  {KEY}\r\n") == read_key(Kept()) == KEY


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
