"""The sample behind the service: every record is one that the service itself would have let in."""

import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from random import Random
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from tests.doubles.slices import one_in

from flagtui.service.sample_data.definitions import Definition, web_definitions
from flagtui.service.sample_data.events import DEEDS
from flagtui.service.sample_data.experiments import Metric, catalogue
from flagtui.service.sample_data.nasty import HOSTILE, MODEST

PROJECTS = (1, 2, 3)
FLAGS = "/projects/1/feature_flags/"


@pytest.fixture
async def client(served: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    transport, headers = httpx.ASGITransport(served), {"Authorization": "Bearer phx_k"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://service/api", headers=headers
    ) as client:
        yield client


@pytest.fixture
def filled(served: Starlette) -> Iterator[sqlite3.Connection]:
    with served.state.dispatcher.database.reading() as db:
        yield db


async def rows(client: httpx.AsyncClient, path: str, **query: Any) -> list[Any]:
    response = await client.get(path, params={"limit": 3_000, **query})
    assert response.status_code == 200, response.text
    results: list[Any] = response.json()["results"]
    return results


def errors(responses: list[httpx.Response]) -> list[str]:
    return [response.text for response in responses if response.status_code != 200]


@pytest.mark.parametrize("project", PROJECTS)
async def test_every_flag_can_be_saved_and_shown_as_at_first(client: httpx.AsyncClient, project: int) -> None:
    path = f"/projects/{project}/feature_flags/"
    listed = await rows(client, path)
    saved = [
        await client.patch(f"{path}{row['id']}/", json={"filters": row["filters"]})
        for row in one_in(3, listed + await rows(client, path, archived="true"))
    ]
    assert errors(saved) == []
    shown = [row for row in listed if row["version"] and not row["has_encrypted_payloads"]]
    assert errors([await client.get(f"{path}{row['id']}/versions/1/") for row in shown]) == []


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("kind", ["experiments", "event_definitions"])
async def test_every_other_record_can_be_opened(client: httpx.AsyncClient, project: int, kind: str) -> None:
    path = f"/projects/{project}/{kind}/"
    listed = (await rows(client, path))[:60]
    assert errors([await client.get(f"{path}{row['id']}/") for row in listed]) == []


async def test_results_are_computed_from_the_stored_events(client: httpx.AsyncClient) -> None:
    experiment = (await client.get("/projects/1/experiments/31/")).json()
    query = {"kind": "ExperimentQuery", "experiment_id": 31, "metric": experiment["metrics"][0]}
    response = await client.post("/projects/1/query/", json={"query": query})
    result = response.json()["variant_results"][0]
    assert 0.95 < result["chance_to_win"] < 0.995
    assert result["significant"] is True


async def test_secret_payload_opens_only_with_the_key_file(
    client: httpx.AsyncClient, filled: sqlite3.Connection
) -> None:
    secret = next(row for row in await rows(client, FLAGS) if row["has_encrypted_payloads"])
    assert "sample-" in (await client.get(f"{FLAGS}{secret['id']}/remote_config/")).text
    (stored,) = filled.execute("SELECT filters FROM flags WHERE id = ?", (secret["id"],)).fetchone()
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
def definitions() -> dict[str, Definition]:
    listed = web_definitions(Random("acme events"))
    assert len(listed) == 1_904
    return {each.name: each for each in listed}


def events_of(metric: Metric) -> set[str]:
    nodes = [*metric.get("series", []), *(value for value in metric.values() if isinstance(value, dict))]
    return {node["event"] for node in nodes}


def test_a_third_of_custom_events_lacks_an_owner(definitions: dict[str, Definition]) -> None:
    own = [each for name, each in definitions.items() if not name.startswith("$")]
    silent = [each for each in own if each.seen is None or each.seen > 30]
    neglected = [each for each in own if not each.verified_by or not each.description or each in silent]
    assert 0.28 < len(neglected) / len(own) < 0.38
    assert len(silent) > 100
    assert sum(each.seen is None for each in own) > 10


def test_metrics_have_defined_events_and_deeds(definitions: dict[str, Definition]) -> None:
    for metric in catalogue().values():
        assert events_of(metric) <= definitions.keys()
    assert set(DEEDS) == set(catalogue())
