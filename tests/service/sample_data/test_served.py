"""The sample behind the service: every record is one that the service itself would have let in."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from tests.doubles.slices import one_in

from flagtui.service.sample_data.definitions import Definition, mobile_definitions, web_definitions
from flagtui.service.sample_data.events import DEEDS
from flagtui.service.sample_data.experiments import Metric, catalogue
from flagtui.service.sample_data.nasty import HOSTILE, MODEST

PROJECTS = (1, 2, 3)
Exchange = Callable[[httpx.AsyncClient], Awaitable[Any]]


@asynccontextmanager
async def client_of(application: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application)
    headers = {"Authorization": "Bearer phx_k"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://service/api", headers=headers
    ) as client:
        yield client


def run_in(application: Starlette, exchange: Exchange) -> Any:
    async def tell() -> Any:
        async with client_of(application) as client:
            return await exchange(client)

    return asyncio.run(tell())


async def rows(client: httpx.AsyncClient, path: str, **query: Any) -> list[Any]:
    response = await client.get(path, params={"limit": 3_000, **query})
    assert response.status_code == 200, response.text
    results: list[Any] = response.json()["results"]
    return results


@pytest.mark.parametrize("project", PROJECTS)
def test_every_flag_can_be_saved_as_it_is(served: Starlette, project: int) -> None:
    path = f"/projects/{project}/feature_flags/"

    async def save_all(client: httpx.AsyncClient) -> list[Any]:
        results = await rows(client, path) + await rows(client, path, archived="true")
        answers = [
            await client.patch(f"{path}{row['id']}/", json={"filters": row["filters"]})
            for row in one_in(3, results)
        ]
        return [answer.text for answer in answers if answer.status_code != 200]

    assert run_in(served, save_all) == []


@pytest.mark.parametrize("project", PROJECTS)
def test_every_first_version_can_be_shown(served: Starlette, project: int) -> None:
    path = f"/projects/{project}/feature_flags/"

    async def show_all(client: httpx.AsyncClient) -> list[Any]:
        kept = [
            row for row in await rows(client, path) if row["version"] and not row["has_encrypted_payloads"]
        ]
        answers = [await client.get(f"{path}{row['id']}/versions/1/") for row in kept]
        return [answer.text for answer in answers if answer.status_code != 200]

    assert run_in(served, show_all) == []


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("kind", ["experiments", "event_definitions"])
def test_every_other_record_can_be_opened(served: Starlette, project: int, kind: str) -> None:
    path = f"/projects/{project}/{kind}/"

    async def open_some(client: httpx.AsyncClient) -> list[Any]:
        results = (await rows(client, path))[:60]
        answers = [await client.get(f"{path}{row['id']}/") for row in results]
        return [answer.text for answer in answers if answer.status_code != 200]

    assert run_in(served, open_some) == []


def test_experiments_are_in_every_state(served: Starlette) -> None:
    async def states(client: httpx.AsyncClient) -> set[str]:
        return {row["status"] for row in await rows(client, "/projects/1/experiments/")}

    assert run_in(served, states) == {"draft", "running", "paused", "stopped"}


def test_results_are_computed_from_the_stored_events(served: Starlette) -> None:
    async def result(client: httpx.AsyncClient) -> Any:
        experiment = (await client.get("/projects/1/experiments/31/")).json()
        query = {"kind": "ExperimentQuery", "experiment_id": 31, "metric": experiment["metrics"][0]}
        answer = await client.post("/projects/1/query/", json={"query": query})
        return answer.json()["variant_results"][0]

    results = run_in(served, result)
    assert 0.95 < results["chance_to_win"] < 0.995
    assert results["significant"] is True


def test_secret_payload_opens_only_with_the_key_file(served: Starlette) -> None:
    async def payload(client: httpx.AsyncClient) -> tuple[str, str]:
        path = "/projects/1/feature_flags/"
        secret = next(row for row in await rows(client, path) if row["has_encrypted_payloads"])
        opened = await client.get(f"{path}{secret['id']}/remote_config/")
        return opened.text, str(secret["key"])

    opened, key = run_in(served, payload)
    assert "sample-" in opened
    database = served.state.dispatcher.database
    with database.reading() as db:
        (stored,) = db.execute(
            "SELECT filters FROM flags WHERE project_id = 1 AND key = ?", (key,)
        ).fetchone()
    assert "sample-" not in stored


EVERYWHERE = {
    "flag keys": "SELECT key FROM flags WHERE project_id = 3",
    "flag names": "SELECT name FROM flags WHERE project_id = 3",
    "flag tags": "SELECT t.value FROM flags AS f, json_each(f.tags) AS t WHERE f.project_id = 3",
    "log names": "SELECT detail ->> '$.name' FROM activity WHERE project_id = 3",
    "experiment names": "SELECT name FROM experiments WHERE project_id = 3",
    "experiment comments": "SELECT conclusion_comment FROM experiments WHERE project_id = 3",
    "event descriptions": "SELECT description FROM event_definitions WHERE project_id = 3",
    "event tags": "SELECT t.value FROM event_definitions AS e, json_each(e.tags) AS t WHERE e.project_id = 3",
    "cohort names": "SELECT name FROM cohorts WHERE project_id = 3",
    "user roles": "SELECT role_at_organization FROM users WHERE id > 900",
    "distinct ids": "SELECT distinct_id FROM distinct_ids WHERE project_id = 3",
}


@pytest.fixture
def filled(served: Starlette) -> Iterator[sqlite3.Connection]:
    with served.state.dispatcher.database.reading() as db:
        yield db


@pytest.mark.parametrize("place", EVERYWHERE)
def test_hostile_texts_are_stored_unchanged(filled: sqlite3.Connection, place: str) -> None:
    stored = {row[0] for row in filled.execute(EVERYWHERE[place])}
    assert stored <= set(HOSTILE)
    assert len(stored) >= min(len(MODEST), 24)


def test_answers_made_by_the_database_keep_them_too(filled: sqlite3.Connection) -> None:
    for key, name, rendered in filled.execute("SELECT key, name, rendered FROM flags WHERE project_id = 3"):
        answer = json.loads("{" + rendered + "}")
        assert (answer["key"], answer["name"]) == (key, name)


def test_hostile_texts_try_every_way_once() -> None:
    everything = "".join(HOSTILE)
    ways = ["\x1b]52;", "\x1b[2J", "\x07", "\x08", "\x7f", "\x85", "\x9b", "\x9d", "\r", "\n", "\t"]
    ways += ["[/x]", "[@click=app.quit]x[/]", "\u202e", "\u200b", "\u00ad", "\u2028", "\ufeff", "\u200d"]
    assert [way for way in ways if way not in everything] == []
    assert max(map(len, HOSTILE)) > 10_000
    assert len(set(HOSTILE)) == len(HOSTILE)


@pytest.fixture(scope="module")
def definitions() -> list[Definition]:
    return web_definitions(Random("acme events"))


def definition_named(definitions: list[Definition], name: str) -> Definition:
    return next(each for each in definitions if each.name == name)


def events_of(metric: Metric) -> set[str]:
    nodes = [*metric.get("series", []), *(value for value in metric.values() if isinstance(value, dict))]
    return {node["event"] for node in nodes}


def test_definitions_are_as_many_as_drawn_in_each_project(definitions: list[Definition]) -> None:
    assert len({each.name for each in definitions}) == len(definitions) == 1_904
    names = {each.name for each in mobile_definitions(Random("acme mobile events"))}
    assert len(names) == 212
    assert "$screen" in names
    assert definition_named(definitions, "checkout_completed").uses == 412
    twin = definition_named(definitions, "checkout completed")
    assert (twin.uses, twin.description, twin.tags) == (9_881, "Order paid", ["revenue", "checkout"])
    assert definition_named(definitions, "Plan Upgraded").seen == 21


def test_a_third_of_custom_events_lacks_an_owner(definitions: list[Definition]) -> None:
    own = [each for each in definitions if not each.name.startswith("$")]
    silent = [each.seen is None or each.seen > 30 for each in own]
    neglected = [
        not each.verified_by or not each.description or quiet for each, quiet in zip(own, silent, strict=True)
    ]
    assert 0.28 < sum(neglected) / len(own) < 0.38
    assert sum(silent) > 100
    assert sum(each.seen is None for each in own) > 10


def test_metrics_have_defined_events_and_deeds(definitions: list[Definition]) -> None:
    names = {each.name for each in definitions}
    for metric in catalogue().values():
        assert events_of(metric) <= names
    assert set(DEEDS) == set(catalogue())
