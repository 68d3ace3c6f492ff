"""The key: recognised, never shown, and sent to one host only, also when the server redirects."""

import httpx
import pytest
from tests.doubles.servers import KEY, MakeClient, Recording, always, in_turn, serve_flags

from flagtui.api import errors
from flagtui.api.errors import BadHost, BadKey
from flagtui.api.hosts import KeyAuth, read_host, read_key


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


@pytest.mark.parametrize("url", [
    "http://flags.example.test/", "https://flags.example.test:8443/", "https://evil.test/",
    "https://flags.example.test.evil.test/", "https://flags.example.test@evil.test/",
])  # fmt: skip
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


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_read_follows_a_redirect_on_its_own_host_only(make_client: MakeClient, status: int) -> None:
    moved = httpx.Response(status, headers={"Location": "/moved/"})
    server = Recording(in_turn(moved, httpx.Response(200, json={"id": 5, "key": "a"})))
    assert (await make_client(server).flags.get(5)).id == 5
    paths = ("/api/projects/1/feature_flags/5/", "/moved/")
    assert server.urls == [f"https://flags.example.test{path}" for path in paths]


@pytest.mark.parametrize("place", [
    "https://evil.test/", "http://flags.example.test/", "https://flags.example.test:8443/", "//evil.test/x",
    "", "https://[", "javascript:x",
])  # fmt: skip
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_key_never_follows_redirect_elsewhere(make_client: MakeClient, place: str, status: int) -> None:
    server = Recording(always(status, Location=place))
    with pytest.raises(errors.Redirected):
        await make_client(server).flags.get(5)
    assert {*server.urls} == {"https://flags.example.test/api/projects/1/feature_flags/5/"}


async def test_a_next_page_on_another_host_is_never_followed(make_client: MakeClient) -> None:
    server = Recording(serve_flags(250, next_page="https://evil.test/?limit=100&offset=100"))
    pages = [page async for page in make_client(server).flags.pages()]
    assert [row.id for row in pages[0].rows] == list(range(1, 101))
    assert sorted(row.id for page in pages for row in page.rows) == list(range(1, 251))
    assert {page.total for page in pages} == {250}
    assert {url.host for url in server.urls} == {"flags.example.test"}
