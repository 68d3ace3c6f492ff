"""Suggestions for names and values of properties: requests, merging and what is skipped."""

from typing import Any

import pytest
from tests.app.flags.paths import Paths
from tests.doubles.servers import MakeClient, StillClock
from tests.doubles.targeting import asks, group

from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.suggestions import FRESH, PropertySuggestions, Suggestions

HOSTILE = ["\x1b]52;c;x\x07", "two\nlines", " edge", "", "x" * 300]
SCOPE = "API key missing required scope 'person:read'"
NO_SUGGESTIONS = "no suggestions from the server"


def project(values: Any = (200, []), names: Any = (), uses: Any = ()) -> Paths:
    """Responds with definitions, names and values; each use is a condition's key, operator and value."""
    flag = {"id": 1, "key": "a", "filters": {"groups": [group(100, *(asks(*use) for use in uses))]}}
    definitions = {"flags": [flag], "group_type_mapping": {}}
    results = [{"name": name, "property_type": "String"} for name in names]
    page = {"count": len(results), "next": None, "results": results}
    return Paths({"/local_evaluation/": definitions, "/values/": values, "": page})


def suggest_from(server: Paths, make_client: MakeClient) -> PropertySuggestions:
    client = make_client(server)
    return PropertySuggestions(client, LocalDefinitions(client, ProjectCohorts(client)))


def texts(suggested: Suggestions) -> list[str]:
    return [item.text for item in suggested.items]


async def test_conditions_come_first_and_newer_servers_are_read(make_client: MakeClient) -> None:
    listed = [{"name": "free", "count": 5}, {"name": "pro", "count": 1}, {"name": "big"}]
    server = project(listed, uses=[("plan", "exact", ["pro", "free"]), ("plan", "exact", "pro")])
    suggested = await suggest_from(server, make_client).values("plan", "")
    expected = [("pro", "1 user · in 2 conditions"), ("free", "5 users · in 1 condition"), ("big", "")]
    assert [(item.text, item.about) for item in suggested.items] == expected
    wrapped = project({"results": [{"name": True, "count": 2}, {"name": 7}], "refreshing": True})
    assert texts(await suggest_from(wrapped, make_client).values("plan", "")) == ["true", "7"]


@pytest.mark.parametrize("operator", ["regex", "not_regex", "is_date_before"])
async def test_patterns_and_dates_of_conditions_are_not_values(
    operator: str, make_client: MakeClient
) -> None:
    server = project(uses=[("plan", operator, "^pro"), ("plan", "exact", "free")])
    assert texts(await suggest_from(server, make_client).values("plan", "")) == ["free"]


async def test_texts_that_no_line_can_hold_are_skipped(make_client: MakeClient) -> None:
    server = project(names=[*HOSTILE, "plain"], uses=[(text, "exact", "v") for text in HOSTILE])
    assert texts(await suggest_from(server, make_client).names("person", "")) == ["plain"]
    server = project([{"name": text, "count": 1} for text in HOSTILE], uses=[("plan", "exact", HOSTILE)])
    assert texts(await suggest_from(server, make_client).values("plan", "")) == []


async def test_values_are_asked_for_again_after_minutes(make_client: MakeClient, clock: StillClock) -> None:
    server = project([{"name": "pro"}])
    suggestions = suggest_from(server, make_client)
    for wait, requests in ((0, 1), (FRESH - 1, 1), (2, 2)):
        clock.now += wait
        await suggestions.values("plan", "")
        assert server.counts["/values/"] == requests


async def test_refusals_are_remembered_and_outages_are_not(make_client: MakeClient) -> None:
    server = project((403, {"detail": SCOPE}), uses=[("plan", "exact", "pro")])
    suggestions = suggest_from(server, make_client)
    assert (
        await suggestions.values("plan", "")
    ).note == "only what conditions use: the key lacks person:read"
    assert texts(await suggestions.values("plan", "p")) == ["pro"]
    assert server.counts["/values/"] == 1
    server = project((500, {"detail": SCOPE}))
    suggestions = suggest_from(server, make_client)
    for typed in ("", "p"):
        assert NO_SUGGESTIONS in (await suggestions.values("plan", typed)).note
    assert server.counts["/values/"] >= 2


@pytest.mark.parametrize(("status", "detail", "reason"), [
    (404, "Endpoint not found.", "this server lists no others"),
    (403, "You do not have permission.", "the key may not list others"),
])  # fmt: skip
async def test_each_kind_of_refusal_has_its_reason(
    status: int, detail: str, reason: str, make_client: MakeClient
) -> None:
    server = project((status, {"detail": detail}))
    assert (await suggest_from(server, make_client).values("plan", "")).note == reason
