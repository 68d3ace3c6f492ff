"""A service to talk to: an empty database, a stopped clock, and a key for everything."""

import sqlite3
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.doubles.service_world import KEY, START, Caller, Clock, Start, starts_of

from flagtui.service.clock import stamp
from flagtui.service.responses import text_of

__all__ = ["KEY", "START", "Clock", "Start"]

NODE = {"kind": "EventsNode", "event": "bought"}
MEAN = {"kind": "ExperimentMetric", "metric_type": "mean", "source": NODE}
FUNNEL = {"kind": "ExperimentMetric", "metric_type": "funnel", "series": [NODE]}
HALVES = (("control", 50), ("test", 50))


def variants_of(*shares: tuple[str, int]) -> dict[str, Any]:
    """Parameters with these variants."""
    return {"feature_flag_variants": [{"key": key, "rollout_percentage": share} for key, share in shares]}


def body_of(**fields: Any) -> dict[str, Any]:
    """The smallest body that makes an experiment, and these fields."""
    return {"name": "n", "feature_flag_key": "k", "parameters": {}, **fields}


@dataclass
class Service(Caller):
    """The experiments API of one project, and the database behind it."""

    project: int = 1

    def url_of(self, path: str) -> str:
        """Return `path` below the project, without slashes around it, unless it starts with one."""
        return path if path.startswith("/") else f"/api/projects/{self.project}/{path}/"

    async def send(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        return await self.ask(method, path, body, params=query)

    async def refused(self, method: str, path: str, body: Any = None, **query: Any) -> tuple[int, str, Any]:
        """Status, detail and attr of an answer that is not a success."""
        response = await self.send(method, path, body, **query)
        assert response.status_code >= 400, response.text
        body = response.json()
        return response.status_code, body.get("detail"), body.get("attr")

    async def create(self, key: str = "blue-button", **fields: Any) -> Any:
        body = {"name": "Blue button", "feature_flag_key": key, "parameters": {}, **fields}
        return await self.post("experiments", body, 201)

    async def running(self, key: str = "blue-button", **fields: Any) -> Any:
        made = await self.create(key, **fields)
        return await self.post(f"experiments/{made['id']}/launch")

    async def flag(self, key: str, variants: tuple[tuple[str, int], ...] = (), **fields: Any) -> Any:
        filters: dict[str, Any] = {"groups": [{"properties": [], "rollout_percentage": 100}]}
        if variants:
            shares = [{"key": name, "rollout_percentage": share} for name, share in variants]
            filters["multivariate"] = {"variants": shares}
        return await self.post("feature_flags", {"key": key, "filters": filters, **fields}, 201)

    def define_event(self, *names: str) -> None:
        for name in names:
            self.insert("event_definitions", id=str(uuid.uuid4()), project_id=self.project, name=name)

    def record(self, *events: tuple[str, str, datetime, dict[str, Any]]) -> None:
        """Stores events: name, person, moment, properties. A person is made when first seen."""

        def work(db: sqlite3.Connection) -> None:
            for name, person, moment, properties in events:
                db.execute(
                    "INSERT OR IGNORE INTO persons (project_id, uuid, created_at) VALUES (?, ?, ?)",
                    (self.project, person, stamp(START)),
                )
                db.execute(
                    "INSERT INTO events"
                    " (project_id, uuid, event, distinct_id, person_id, timestamp, properties)"
                    " VALUES (?, '', ?, ?, (SELECT id FROM persons WHERE uuid = ?), ?, ?)",
                    (self.project, name, person, person, stamp(moment), text_of(properties)),
                )

        self.run(work)

    def expose(self, flag: str, variant: str, *people: str, at: datetime | None = None) -> None:
        """Stores that these people asked for the flag and what they got."""
        called = {"$feature_flag": flag, "$feature_flag_response": variant, f"$feature/{flag}": variant}
        moment = at or self.clock()
        self.record(*(("$feature_flag_called", person, moment, called) for person in people))


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async for begin in starts_of(Service, tmp_path):
        yield begin


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start()
    return started


@pytest.fixture
async def legacy(start: Start) -> Service:
    started: Service = await start(legacy=True)
    return started
