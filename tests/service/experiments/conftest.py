"""A service to talk to: an empty database, a stopped clock, and a key for everything."""

import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.doubles.new_database import copy_tables

from flagtui.service.application import close_service, create_service
from flagtui.service.clock import stamp
from flagtui.service.keys import NewKey, insert_key
from flagtui.service.responses import text_of

KEY = "phx_everything"
START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@dataclass
class Clock:
    """Stands still, and steps a second at each write so that later is later."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Service:
    """The experiments API of one project, and the database behind it."""

    client: httpx.AsyncClient
    path: Path
    clock: Clock
    database: Any
    project: int = 1
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {KEY}"})

    async def send(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        """`path` below the project, without slashes around it."""
        self.clock.pass_(seconds=1)
        url = f"/api/projects/{self.project}/{path}/"
        content = {} if body is None else {"json": body}
        return await self.client.request(method, url, headers=self.headers, params=query, **content)

    async def get(self, path: str, **query: Any) -> Any:
        response = await self.send("GET", path, **query)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        response = await self.send("POST", path, body)
        assert response.status_code == status, response.text
        return response.json()

    async def patch(self, path: str, body: Any) -> Any:
        response = await self.send("PATCH", path, body)
        assert response.status_code == 200, response.text
        return response.json()

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

    def with_key(self, *scopes: str) -> "Service":
        """The same service asked with a key of these scopes only."""
        secret = "phx_" + "_".join(scopes).replace(":", "-")
        self.store(
            lambda db: insert_key(db, NewKey(label="few", scopes=scopes, secret=secret), stamp(self.clock()))
        )
        headers = {"Authorization": f"Bearer {secret}"}
        return Service(self.client, self.path, self.clock, self.database, self.project, headers)

    def store(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return self.database.write(work).result()

    def define_event(self, *names: str) -> None:
        def work(db: sqlite3.Connection) -> None:
            for name in names:
                db.execute(
                    "INSERT INTO event_definitions (id, project_id, name) VALUES (?, ?, ?)",
                    (str(uuid.uuid4()), self.project, name),
                )

        self.store(work)

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

        self.store(work)

    def expose(self, flag: str, variant: str, *people: str, at: datetime | None = None) -> None:
        """Stores that these people asked for the flag and what they got."""
        called = {"$feature_flag": flag, "$feature_flag_response": variant, f"$feature/{flag}": variant}
        moment = at or self.clock()
        self.record(*(("$feature_flag_called", person, moment, called) for person in people))

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        with self.database.reading() as db:
            return [dict(row) for row in db.execute(sql, values).fetchall()]


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts services with the settings that are named."""
    async with AsyncExitStack() as stack:

        async def begin(**choices: Any) -> Service:
            clock = Clock()
            path = copy_tables(tmp_path / f"{uuid.uuid4()}.db")
            application = create_service(path, key=KEY, clock=clock, **choices)
            stack.callback(close_service, application)
            transport = httpx.ASGITransport(app=application)
            client = await stack.enter_async_context(
                httpx.AsyncClient(transport=transport, base_url="http://t")
            )
            return Service(client, path, clock, application.state.dispatcher.database)

        yield begin


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start()
    return started


@pytest.fixture
async def legacy(start: Start) -> Service:
    started: Service = await start(legacy=True)
    return started
