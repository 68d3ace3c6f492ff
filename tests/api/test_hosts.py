"""Addresses of servers, and the hosts to which the key may be sent."""

import pytest

from flagtui.api.errors import BadHost, PlainHttpRefused
from flagtui.api.hosts import read_host


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("us", "https://us.posthog.com"),
        (" EU ", "https://eu.posthog.com"),
        ("https://eu.posthog.com/", "https://eu.posthog.com"),
        ("https://eu.posthog.com/api", "https://eu.posthog.com"),
        ("https://flags.example.test/project/123/feature_flags?x=1#y", "https://flags.example.test"),
        ("flags.example.test", "https://flags.example.test"),
        ("https://FLAGS.example.test.:8443", "https://flags.example.test:8443"),
        ("https://flags.example.test:443", "https://flags.example.test"),
        ("localhost:8010", "http://localhost:8010"),
        ("http://127.0.0.1:8010", "http://127.0.0.1:8010"),
        ("http://[::1]:8010/", "http://[::1]:8010"),
        ("https://us.i.posthog.com", "https://us.posthog.com"),
    ],
)
def test_a_host_is_read_however_it_was_copied(text: str, origin: str) -> None:
    assert read_host(text).origin == origin


def test_an_ingestion_host_is_replaced_and_that_is_said() -> None:
    host = read_host("eu.i.posthog.com")
    assert host.notice == "eu.i.posthog.com only takes events in; using eu.posthog.com."
    assert (host.region, host.other_region) == ("eu", "us")


@pytest.mark.parametrize(
    "text",
    ["", " ", "ftp://x", "https://", "https://a b", "https://x:99999", "https://x:0", "javascript:alert(1)",
     "https://user:word@host", "https://h\x1bst", "https://höst", "file:///etc/passwd", "https://x\\@y",
     "https://[::1"],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(BadHost) as caught:
        read_host(text)
    assert "us, eu" in caught.value.next
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["http://flags.example.test", "http://127.0.0.1.nip.io", "http://10.0.0.1"])
def test_plain_http_is_for_this_machine_only(text: str) -> None:
    with pytest.raises(PlainHttpRefused):
        read_host(text)
    assert read_host(text, allow_plain_http=True).scheme == "http"


@pytest.mark.parametrize("text", ["http://127.0.0.1", "http://127.9.9.9", "http://[::1]", "http://localhost"])
def test_loopback_is_loopback(text: str) -> None:
    assert read_host(text).is_loopback
