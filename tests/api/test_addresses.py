"""Addresses of servers and requests, and the hosts to which the key may be sent."""

import json
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.servers import HOST, MakeClient, Recording, always

from flagtui.api.errors import BadHost, EndpointNotFound, Invalid, PlainHttpRefused
from flagtui.api.hosts import is_loopback, read_host
from flagtui.api.operations import OPERATIONS
from flagtui.api.resource import pairs

EU = "https://eu.posthog.com"


@pytest.mark.parametrize(("text", "origin"), [
    *((text, "https://us.posthog.com") for text in ("us", "https://us.i.posthog.com")),
    *((text, EU) for text in (" EU ", f"{EU}/", f"{EU}/api")),
    *((text, HOST) for text in ("flags.example.test", f"{HOST}:443", f"{HOST}/project/1/flags?x=1#y")),
    ("https://FLAGS.example.test.:8443", f"{HOST}:8443"),
    ("localhost:8010", "http://localhost:8010"),
    ("http://127.0.0.1:8010", "http://127.0.0.1:8010"),
    ("http://[::1]:8010/", "http://[::1]:8010"),
])  # fmt: skip
def test_a_host_is_read_however_it_was_copied(text: str, origin: str) -> None:
    assert read_host(text).origin == origin


def test_replaced_host_and_unused_path_are_reported() -> None:
    ingestion, other = read_host("eu.i.posthog.com"), read_host("https://x.test/posthog/")
    assert ingestion.notice == "eu.i.posthog.com only takes events in; using eu.posthog.com."
    assert (ingestion.region, ingestion.other_region) == ("eu", "us")
    assert other.notice == "The path /posthog/ is not used; requests go to x.test/api/."
    assert read_host("https://eu.posthog.com/project/12/feature_flags").notice == ""


async def test_missing_page_names_the_path_that_is_not_used(make_client: MakeClient) -> None:
    client = make_client(always(404, b"<title>404</title>"), host="https://x.test/posthog/")
    for request in (client.flags.get(5), client.people.me()):
        with pytest.raises(EndpointNotFound) as caught:
            await request
        assert caught.value.next.startswith("The path /posthog/ is not used; requests go to x.test/api/.")


@pytest.mark.parametrize("text", [
    "", " ", "ftp://x", "https://", "https://a b", "https://x:99999", "https://x:0", "javascript:alert(1)",
    "https://user:word@host", "https://h\x1bst", "https://höst", "file:///etc/passwd", "https://x\\@y",
    "https://[::1",
])  # fmt: skip
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
    assert is_loopback(read_host(text).name)


@pytest.mark.parametrize("id", ["../../users/@me", "a/b", "", "..", "x" * 500, "a?b", "a%2fb", "ö"])
def test_an_id_of_several_steps_is_refused(id: str) -> None:
    with pytest.raises(Invalid):
        OPERATIONS["event_definitions.get"].at(project=1, id=id)


@given(st.text(max_size=30))
def test_an_id_is_one_step_of_the_path_or_refused(id: str) -> None:
    operation = OPERATIONS["event_definitions.get"]
    try:
        path = operation.at(project=1, id=id)
    except Invalid:
        return
    url = httpx.URL(f"https://h.test{path}")
    assert url.path == f"/api/projects/1/event_definitions/{id}/"
    assert path.count("/") == operation.path.count("/")
    assert (urlsplit(path).query, urlsplit(path).fragment) == ("", "")


@given(
    st.dictionaries(
        st.sampled_from(["search", "limit", "tags", "names", "active"]),
        st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(max_size=5), max_size=3),
    )
)
def test_a_query_says_what_was_asked_and_nothing_else(query: dict[str, object]) -> None:
    parameters = dict(pairs(query))
    assert parameters.keys() == {name for name, value in query.items() if value is not None}
    for name, value in query.items():
        match value:
            case bool():
                assert parameters[name] == str(value).lower()
            case list():
                assert json.loads(parameters[name]) == value
            case int() | str():
                assert parameters[name] == str(value)


def test_a_tuple_is_a_repeated_parameter() -> None:
    assert pairs({"names": ("a", "b"), "none": ()}) == (("names", "a"), ("names", "b"))


@pytest.mark.parametrize(
    "words", ["a&limit=1", "$pageview ü", "50%+", "#x", "a\r\nHost: evil", "\x00", "x" * 500]
)
async def test_words_arrive_as_they_were_typed(make_client: MakeClient, words: str) -> None:
    server = Recording(always(200, {"count": 0, "results": []}))
    await make_client(server).flags.page({"search": words, "limit": 100})
    [url] = server.urls
    assert dict(url.params) == {"search": words, "limit": "100"}
    assert url.host == "flags.example.test"
