"""How a question becomes an address, whatever is asked for."""

import json
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.servers import MakeClient

from flagtui.api.errors import Invalid
from flagtui.api.operations import OPERATIONS
from flagtui.api.resource import pairs


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
    seen: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url)
        return httpx.Response(200, json={"count": 0, "results": []})

    await make_client(answer).flags.page({"search": words, "limit": 100})
    [url] = seen
    assert dict(url.params) == {"search": words, "limit": "100"}
    assert url.host == "flags.example.test"
