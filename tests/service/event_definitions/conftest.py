"""A service with a handful of event definitions."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.service_world import Caller, Start, starts_of

__all__ = ["Start"]


def definition_id(number: int) -> str:
    return f"01900000-0000-7000-8000-{number:012d}"


@dataclass
class Service(Caller):
    """Event definitions of one project, and the database behind them."""

    made: int = 0
    ids: dict[str, str] = field(default_factory=dict)

    def url_of(self, path: str) -> str:
        return f"/api/projects/1/event_definitions/{path}"

    async def reply(self, method: str, path: str = "", body: Any = None, **query: Any) -> tuple[int, Any]:
        """Status and decoded body; None for an empty body."""
        response = await self.ask(method, path, body, params=query)
        return response.status_code, response.json() if response.content else None

    async def change(self, name: str, /, **fields: Any) -> Any:
        return await self.patch(f"{self.ids[name]}/", fields)

    async def names(self, **query: Any) -> list[str]:
        return [row["name"] for row in (await self.get(**query))["results"]]

    def limit_key(self, *scopes: str) -> None:
        """From now on ask with a key of only these scopes."""
        self.headers = self.with_key(*scopes).headers

    def define(self, name: str, seen: float | None = 0, **columns: Any) -> str:
        """A stored definition last seen so many days ago; None for never."""
        self.made += 1
        values: dict[str, Any] = {
            "id": definition_id(self.made),
            "project_id": 1,
            "name": name,
            "created_at": self.ago(days=100),
            "last_seen_at": None if seen is None else self.ago(days=seen),
            "updated_at": self.ago(days=50),
            **columns,
        }
        self.insert("event_definitions", **values)
        self.ids[name] = values["id"]
        return self.ids[name]

    def add_user(self, number: int, name: str) -> None:
        def insert(db: sqlite3.Connection) -> None:
            (organization,) = db.execute("SELECT id FROM organizations").fetchone()
            db.execute(
                "INSERT INTO users (id, uuid, first_name, email) VALUES (?, ?, ?, ?)",
                (number, definition_id(number), name, f"{name}@acme.test"),
            )
            db.execute("INSERT INTO organization_members VALUES (?, ?, 1)", (organization, number))

        self.run(insert)


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    async for begin in starts_of(Service, tmp_path):
        yield begin


@pytest.fixture
async def service(start: Start) -> Service:
    started: Service = await start()
    return started
