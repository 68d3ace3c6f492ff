"""A service with a handful of event definitions, and a stopped clock."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict, Unpack

import httpx
import pytest
from starlette.applications import Starlette
from tests.doubles.new_database import copy_tables

from flagtui.service.application import Sample, close_service, create_service
from flagtui.service.clock import stamp
from flagtui.service.keys import NewKey, insert_key
from flagtui.service.responses import text_of

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
KEY = "phx_everything"


def definition_id(number: int) -> str:
    return f"01900000-0000-7000-8000-{number:012d}"


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def ago(self, days: float) -> str:
        return stamp(self.now - timedelta(days=days))


@dataclass
class Service:
    """Event definitions of one project, and the database behind them."""

    application: Starlette
    clock: Clock
    database: Any
    key: str = KEY
    made: int = 0
    ids: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str = "", body: Any = None, **query: Any) -> tuple[int, Any]:
        """Status and decoded body below the definitions of project 1; None for an empty body."""
        response = asyncio.run(self._send(method, path, body, query))
        return response.status_code, response.json() if response.content else None

    async def _send(self, method: str, path: str, body: Any, query: dict[str, Any]) -> httpx.Response:
        url = f"http://service/api/projects/1/event_definitions/{path}"
        headers = {"Authorization": f"Bearer {self.key}"}
        content = {} if body is None else {"json": body}
        transport = httpx.ASGITransport(self.application, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.request(method, url, headers=headers, params=query, **content)

    def get(self, path: str = "", **query: Any) -> Any:
        status, body = self.ask("GET", path, **query)
        assert status == 200, body
        return body

    def patch(self, name: str, /, **fields: Any) -> Any:
        status, body = self.ask("PATCH", f"{self.ids[name]}/", fields)
        assert status == 200, body
        return body

    def names(self, **query: Any) -> list[str]:
        return [row["name"] for row in self.get(**query)["results"]]

    def run(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        return self.database.write(work).result()

    def define(self, name: str, seen: float | None = 0, **columns: Any) -> str:
        """A stored definition last seen so many days ago; None for never."""
        self.made += 1
        values: dict[str, Any] = {
            "id": definition_id(self.made),
            "project_id": 1,
            "name": name,
            "created_at": self.clock.ago(100),
            "last_seen_at": None if seen is None else self.clock.ago(seen),
            "updated_at": self.clock.ago(50),
            **{key: text_of(value) if key == "tags" else value for key, value in columns.items()},
        }
        places = ", ".join(f":{key}" for key in values)
        sql = f"INSERT INTO event_definitions ({', '.join(values)}) VALUES ({places})"
        self.run(lambda db: db.execute(sql, values))
        self.ids[name] = values["id"]
        return self.ids[name]

    def with_key(self, *scopes: str) -> None:
        """From now on asks with a key of only these scopes."""
        self.key = f"phx_{'_'.join(scopes).replace(':', '-')}"
        new_key = NewKey(label="narrow", scopes=scopes, secret=self.key)
        self.run(lambda db: insert_key(db, new_key, stamp(self.clock())))

    def add_user(self, number: int, name: str) -> None:
        def insert(db: sqlite3.Connection) -> None:
            (organization,) = db.execute("SELECT id FROM organizations").fetchone()
            db.execute(
                "INSERT INTO users (id, uuid, first_name, email) VALUES (?, ?, ?, ?)",
                (number, definition_id(number), name, f"{name}@acme.test"),
            )
            db.execute("INSERT INTO organization_members VALUES (?, ?, 1)", (organization, number))

        self.run(insert)


class Switches(TypedDict, total=False):
    """The choices these tests make."""

    strict: bool
    legacy: bool
    unlicensed: bool
    unknown_definition_fails: bool


Make = Callable[..., Service]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes a service with the given choices."""
    made: list[Any] = []

    def service(sample: Sample | None = None, flags: int = 0, **choices: Unpack[Switches]) -> Service:
        clock = Clock()
        application = create_service(
            copy_tables(tmp_path / f"{len(made)}.db"),
            key=KEY,
            clock=clock,
            sample=sample,
            flags=flags,
            **choices,
        )
        made.append(application)
        return Service(application, clock, application.state.dispatcher.database)

    yield service
    for application in made:
        close_service(application)


@pytest.fixture
def service(make: Make) -> Service:
    return make()
