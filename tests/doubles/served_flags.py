"""Every flag of the sample and everything the service says about it, read once."""

import asyncio
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.doubles.templates import sample_database
from tests.doubles.whole_program import KEY, NOW

from flagtui.api.http_library import in_process
from flagtui.evaluate.definitions import Definitions
from flagtui.models.activity import Activity
from flagtui.service import Settings, close_service, create_service

JSON = Any


@dataclass(frozen=True)
class Served:
    """One project as a client sees it."""

    flags: Sequence[dict[str, JSON]]
    entries: Mapping[str, Sequence[Activity]]
    """The log by the number of the flag, as text."""
    definitions: Definitions


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Served]:
    """The sample as the service shows it, hostile project and all, read once."""
    template = sample_database(tmp_path_factory, one_in=16, nasty=True)
    return _read_served(template, tmp_path_factory.getbasetemp() / "served.db")


@cache
def _read_served(template: Path, database: Path) -> Sequence[Served]:
    # Every folder that imports the fixture has one of its own.
    shutil.copy(template, database)
    return asyncio.run(_read_projects(database))


async def _read_projects(database: Path) -> Sequence[Served]:
    service = create_service(database, Settings(clock=lambda: NOW))
    headers = {"Authorization": f"Bearer {KEY}"}
    try:
        async with httpx.AsyncClient(
            transport=in_process(service), base_url="http://127.0.0.1:1", headers=headers
        ) as client:
            projects = (await client.get("/api/projects/")).json()["results"]
            return [await _project(client, project["id"]) for project in projects]
    finally:
        close_service(service)


async def _project(client: httpx.AsyncClient, project: int) -> Served:
    place = f"/api/projects/{project}/feature_flags"
    flags = (await client.get(f"{place}/?limit=2000")).json()["results"]
    archived = (await client.get(f"{place}/?limit=2000&archived=true")).json()["results"]
    log = (await client.get(f"{place}/activity/?limit=2000")).json()["results"]
    entries: dict[str, list[Activity]] = defaultdict(list)
    for entry in log:
        entries[str(entry["item_id"])].append(Activity.of(entry))
    document = (await client.get(f"{place}/local_evaluation/?send_cohorts")).json()
    return Served([*flags, *archived], entries, Definitions.of_document(document))
