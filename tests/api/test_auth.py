"""The key: recognised, never shown, and sent to one place only."""

import httpx
import pytest

from flagtui.api.auth import KeyAuth, read_key
from flagtui.api.errors import BadHost, BadKey
from flagtui.api.hosts import read_host

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
