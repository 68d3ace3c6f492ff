"""Suggestions for names and values of properties: requests, merging and what is skipped."""

import json
from typing import Any

import httpx
import pytest
from tests.doubles.steady_clock import SteadyClock
from tests.doubles.whole_program import HOST, KEY

from flagtui.api import Client
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.suggestions import FRESH, PropertySuggestions, Suggestions

DETAIL = "API key missing required scope 'person:read'"
HOSTILE = ["\x1b]52;c;x\x07", "two\nlines", " edge", "", "x" * 300]


class Project(httpx.AsyncBaseTransport):
    """Responds with definitions, names and values; keeps the queries."""

    def __init__(self, *, names: Any = (), values: Any = (), uses: Any = ()) -> None:
        self.names, self.values, self.status, self.detail = list(names), values, 200, DETAIL
        exact = {"type": "person", "operator": "exact"}
        self.uses = [{**exact, "key": key, "value": value} for key, value in uses]
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/local_evaluation/"):
            flag = {"id": 1, "key": "a", "filters": {"groups": [{"properties": self.uses}]}}
            return httpx.Response(200, json={"flags": [flag], "group_type_mapping": {}})
        self.asked.append(str(request.url.query, "ascii"))
        if self.status != 200:
            return httpx.Response(self.status, json={"detail": self.detail})
        if path.endswith("/values/"):
            return httpx.Response(200, text=json.dumps(self.values))
        results = [{"name": name, "property_type": "String"} for name in self.names]
        return httpx.Response(200, json={"count": len(results), "next": None, "results": results})


async def suggest(project: Project, *typed: str) -> list[Suggestions]:
    async with Client(HOST, KEY, 1, transport=project, clock=SteadyClock()) as client:
        suggestions = PropertySuggestions(client, LocalDefinitions(client, ProjectCohorts(client)))
        return [await suggestions.values("plan", text) for text in typed]


async def names_of(project: Project) -> list[str]:
    async with Client(HOST, KEY, 1, transport=project) as client:
        suggestions = PropertySuggestions(client, LocalDefinitions(client, ProjectCohorts(client)))
        return [item.text for item in (await suggestions.names("person", "")).items]


async def test_conditions_come_first_and_newer_servers_are_read() -> None:
    project = Project(
        uses=[("plan", ["pro", "free"]), ("plan", "pro")],
        values=[{"name": "free", "count": 5}, {"name": "pro", "count": 1}, {"name": "big"}],
    )
    (suggested,) = await suggest(project, "")
    expected = [("pro", "1 user · in 2 conditions"), ("free", "5 users · in 1 condition"), ("big", "")]
    assert [(item.text, item.about) for item in suggested.items] == expected
    wrapped = Project(values={"results": [{"name": True, "count": 2}, {"name": 7}], "refreshing": True})
    (suggested,) = await suggest(wrapped, "")
    assert [item.text for item in suggested.items] == ["true", "7"]


@pytest.mark.parametrize("operator", ["regex", "not_regex", "is_date_before"])
async def test_patterns_and_dates_of_conditions_are_not_values(operator: str) -> None:
    project = Project(uses=[("plan", "^pro"), ("plan", "free")])
    project.uses[0]["operator"] = operator
    (suggested,) = await suggest(project, "")
    assert [item.text for item in suggested.items] == ["free"]


async def test_texts_that_no_line_can_hold_are_skipped() -> None:
    hostile = Project(names=[*HOSTILE, "plain"], uses=[(text, "v") for text in HOSTILE])
    assert await names_of(hostile) == ["plain"]
    values = Project(values=[{"name": text, "count": 1} for text in HOSTILE], uses=[("plan", HOSTILE)])
    (suggested,) = await suggest(values, "")
    assert suggested.items == ()


@pytest.mark.parametrize(("wait", "requests"), [(FRESH - 1, 1), (FRESH + 1, 2)])
async def test_values_are_asked_for_again_after_minutes(wait: float, requests: int) -> None:
    project, clock = Project(values=[{"name": "pro"}]), SteadyClock()
    async with Client(HOST, KEY, 1, transport=project, clock=clock) as client:
        suggestions = PropertySuggestions(client, LocalDefinitions(client, ProjectCohorts(client)))
        await suggestions.values("plan", "")
        clock.now += wait
        await suggestions.values("plan", "")
    assert len(project.asked) == requests


async def test_refusals_are_remembered_and_outages_are_not() -> None:
    project = Project(uses=[("plan", "pro")])
    project.status = 403
    first, second = await suggest(project, "", "p")
    assert first.note == "only what conditions use: the key lacks person:read"
    assert [item.text for item in second.items] == ["pro"]
    assert len(project.asked) == 1
    project = Project()
    project.status = 500
    before, after = await suggest(project, "", "p")
    assert "no suggestions from the server" in before.note
    assert "no suggestions from the server" in after.note
    assert len(project.asked) >= 2


@pytest.mark.parametrize(
    ("status", "detail", "reason"),
    [
        (404, "Endpoint not found.", "this server lists no others"),
        (403, "You do not have permission.", "the key may not list others"),
    ],
)
async def test_each_kind_of_refusal_has_its_reason(status: int, detail: str, reason: str) -> None:
    project = Project()
    project.status, project.detail = status, detail
    (suggested,) = await suggest(project, "")
    assert suggested.note == reason
