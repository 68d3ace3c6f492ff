"""A service with one project, a clock that a test sets, and users with keys of every kind."""

import json
import re
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import pytest
from starlette.applications import Starlette
from tests.doubles import targeting
from tests.doubles.new_database import copy_tables
from tests.doubles.targeting import asks, asks_flag, group

from flagtui.service.access import hash_key
from flagtui.service.application import close_service, create_service
from flagtui.service.clock import stamp
from flagtui.service.database import Database
from flagtui.service.settings import Settings

KEY = "phx_everything"
START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
FLAGS = "/api/projects/1/feature_flags/"
PLANS = "/api/projects/1/scheduled_changes/"
SWITCH_OFF = {"operation": "update_status", "value": False}


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Caller:
    """Asks the service with one key; every request comes a second after the one before."""

    client: httpx.AsyncClient
    path: Path
    clock: Clock
    application: Starlette
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {KEY}"})

    @property
    def database(self) -> Database:
        database: Database = self.application.state.dispatcher.database
        return database

    def url_of(self, path: str) -> str:
        """Return `path` below the flags of project 1 unless it starts with a slash."""
        return path if path.startswith("/") else FLAGS + path

    async def ask(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """Send `body` as JSON."""
        self.clock.pass_(seconds=1)
        content = {} if body is None else {"json": body}
        headers = {**self.headers, **more.pop("headers", {})}
        return await self.client.request(method, self.url_of(path), headers=headers, **content, **more)

    async def send(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        return await self.ask(method, path, body, params=query or None)

    async def get(self, path: str = "", **query: Any) -> Any:
        response = await self.send("GET", path, **query)
        assert response.status_code == 200, response.text
        return response.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        response = await self.ask("POST", path, body)
        assert response.status_code == status, response.text
        return response.json()

    async def patch(self, path: str, body: Any, status: int = 200) -> Any:
        response = await self.ask("PATCH", path, body)
        assert response.status_code == status, response.text
        return response.json()

    async def refuses(self, method: str, path: str, body: Any = None, **expected: Any) -> None:
        """Assert a refusal with these fields; `…` in the expected detail matches any text."""
        refusal = Refusal.of(await self.ask(method, path, body))
        refusal.check(expected, (method, path, body))

    def run(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return self.database.write(work).result()

    def write(self, sql: str, *values: Any) -> int:
        """Runs SQL on the database directly; returns the id of a row it inserted."""
        return int(self.run(lambda db: db.execute(sql, values)).lastrowid or 0)

    def insert(self, table: str, **columns: Any) -> int:
        """Insert a row, objects and lists as JSON, and return its id."""
        names, places = ", ".join(columns), ", ".join("?" for _ in columns)
        kinds = (dict, list, tuple)
        values = (json.dumps(each) if isinstance(each, kinds) else each for each in columns.values())
        return self.write(f"INSERT INTO {table} ({names}) VALUES ({places})", *values)

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        with self.database.reading() as db:
            return [dict(row) for row in db.execute(sql, values).fetchall()]

    def with_key(
        self, *scopes: str, user: int = 1, teams: tuple[int, ...] = (), organizations: tuple[str, ...] = ()
    ) -> Self:
        """The same service asked with another key."""
        secret = f"phx_{uuid.uuid4().hex}"
        reach = {"scopes": scopes, "scoped_teams": teams, "scoped_organizations": organizations}
        key = {"id": str(uuid.uuid4()), "user_id": user, "hash": hash_key(secret)}
        self.insert("api_keys", label="test", mask="...", created_at=stamp(self.clock()), **key, **reach)
        return replace(self, headers={"Authorization": f"Bearer {secret}"})

    def add_project(self, name: str = "Other", **columns: Any) -> int:
        """Another project of the organization."""
        values = {"uuid": str(uuid.uuid4()), "name": name, "api_token": f"phc_{uuid.uuid4().hex}", **columns}
        places = ", ".join("?" for _ in values)
        return self.write(
            f"INSERT INTO projects (organization_id, created_at, {', '.join(values)})"
            f" SELECT id, created_at, {places} FROM organizations LIMIT 1",
            *values.values(),
        )

    def add_user(self, email: str, level: int = 1) -> int:
        """A member of the organization."""
        names = {"first_name": email.split("@")[0], "email": email, "distinct_id": email}
        user = self.insert("users", uuid=str(uuid.uuid4()), current_project_id=1, **names)
        self.write(
            "INSERT INTO organization_members (organization_id, user_id, level)"
            " SELECT id, ?, ? FROM organizations LIMIT 1",
            *(user, level),
        )
        return user

    def add_policy(self, action: str, **columns: Any) -> None:
        """Let changes of this kind to a flag need an approval."""
        organization = self.rows("SELECT id FROM organizations")[0]["id"]
        needed = {"id": action, "organization_id": organization, "action": f"feature_flag.{action}"}
        self.insert("approval_policies", created_at="", **needed, **columns)

    def add_flags(self, count: int) -> None:
        """Add flags x0, x1 and so on, straight into the database."""
        sql = "INSERT INTO flags (project_id, key, created_at) VALUES (1, ?, '2026-01-01T00:00:00.000000Z')"
        self.run(lambda db: db.executemany(sql, [(f"x{number}",) for number in range(count)]))

    def ago(self, **time: float) -> str:
        return stamp(self.clock() - timedelta(**time))


@dataclass
class World(Caller):
    """Asks about flags, and changes what is beside them."""

    async def refused(self, method: str, path: str, body: Any = None, **more: Any) -> "Refusal":
        return Refusal.of(await self.ask(method, path, body, **more))

    async def flag(self, key: str, **fields: Any) -> Any:
        return await self.post("", {"key": key, **fields}, 201)

    async def read(self, flag: Any) -> Any:
        return await self.get(f"{flag['id']}/")

    async def change(self, flag: Any, **fields: Any) -> Any:
        return await self.patch(f"{flag['id']}/", fields)

    async def act(self, flag: Any, action: str, **body: Any) -> Any:
        return await self.post(f"{flag['id']}/{action}/", body)

    async def keys(self, **query: Any) -> list[str]:
        return [flag["key"] for flag in (await self.get("", **query))["results"]]

    def planned(self, flag: Any, payload: Any = SWITCH_OFF, **fields: Any) -> dict[str, Any]:
        """The body of a change of the flag in an hour."""
        target = {"record_id": str(flag["id"]), "model_name": "FeatureFlag", "payload": payload}
        return {**target, "scheduled_at": self.ago(hours=-1), **fields}

    async def plan(self, flag: Any, payload: Any = SWITCH_OFF, **fields: Any) -> Any:
        return await self.post(PLANS, self.planned(flag, payload, **fields), 201)

    async def latest(self, flag_id: int) -> Any:
        """The newest entry of a flag's activity."""
        return (await self.get(f"{flag_id}/activity/"))["results"][0]

    def add_experiment(self, flag_id: int, name: str = "Checkout", **columns: Any) -> int:
        stamps = dict.fromkeys(("created_at", "updated_at"), stamp(self.clock()))
        values = {"project_id": 1, "flag_id": flag_id, "name": name, **stamps, **columns}
        return self.insert("experiments", **values)

    def add_early_access(self, flag_id: int) -> None:
        values = {"id": str(uuid.uuid4()), "flag_id": flag_id, "created_at": stamp(self.clock())}
        self.insert("early_access_features", project_id=1, name="Beta", **values)


@dataclass(frozen=True)
class Refusal:
    status: int
    code: str | None
    detail: str | None
    attr: str | None

    @classmethod
    def of(cls, response: httpx.Response) -> Self:
        assert response.status_code >= 400, response.text
        error = response.json()
        return cls(response.status_code, error.get("code"), error.get("detail"), error.get("attr"))

    def check(self, expected: dict[str, Any], request: Any) -> None:
        actual = {name: getattr(self, name) for name in expected}
        if "…" in (pattern := expected.get("detail") or ""):
            assert re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), self.detail or "", re.DOTALL)
            actual["detail"] = pattern
        assert actual == expected, request


Start = Callable[..., Any]
CallerT = TypeVar("CallerT", bound=Caller)


@asynccontextmanager
async def calling(kind: type[CallerT], path: Path, **choices: Any) -> AsyncIterator[CallerT]:
    """Run a service on a new file; the clock stands at START unless one is given."""
    clock = Clock()
    settings = Settings(**{"clock": clock, **choices})
    application = create_service(copy_tables(path), settings, key=KEY)
    try:
        transport = httpx.ASGITransport(app=application)
        async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
            yield kind(client, path, clock, application)
    finally:
        close_service(application)


def starting(path: Path, **choices: Any) -> AbstractAsyncContextManager[World]:
    return calling(World, path, **choices)


def fixtures_of(kind: type[CallerT]) -> tuple[Any, Any]:
    """Return two fixtures: what starts services with settings, each on a file of its own, and a service."""

    @pytest.fixture
    async def start(tmp_path: Path) -> AsyncIterator[Start]:
        async with AsyncExitStack() as stack:
            numbers = count(1)

            async def begin(**choices: Any) -> CallerT:
                path = tmp_path / f"{next(numbers)}.db"
                return await stack.enter_async_context(calling(kind, path, **choices))

            yield begin

    @pytest.fixture
    async def service(tmp_path: Path) -> AsyncIterator[CallerT]:
        async with calling(kind, tmp_path / "service.db") as caller:
            yield caller

    return start, service


def released(percentage: Any = 100, **more: Any) -> dict[str, Any]:
    """Filters with one condition, for a share of everyone."""
    return {"groups": [group(percentage)], **more}


def asks_for(flag_id: int, value: Any = True) -> dict[str, Any]:
    """Filters of a flag that depends on another."""
    return {"groups": [group(100, asks_flag(str(flag_id), value))]}


def asks_whether(**item: Any) -> dict[str, Any]:
    """Filters with one property of persons."""
    return {"groups": [group(100, asks("email", "exact", "x") | item)]}


def variants(**shares: float) -> dict[str, Any]:
    """Filters of a multivariate flag for everybody."""
    return released(multivariate=targeting.variants(**shares))
