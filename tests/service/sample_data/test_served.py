"""The sample behind the service: every record is one that the service itself would have let in."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from tests.doubles.slices import one_in

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
