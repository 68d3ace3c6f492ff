"""A service with a handful of event definitions."""

from dataclasses import dataclass, field
from typing import Any

from tests.doubles.service_world import Caller, Start, fixtures_of

__all__ = ["Start"]


UNKNOWN = "01900000-0000-7000-8000-00000000ffff"


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

    async def refused(self, method: str, path: str = "", body: Any = None, **query: Any) -> Any:
        """Status, code, detail and attr of an answer that is not a success."""
        status, error = await self.reply(method, path, body, **query)
        return status, error["code"], error["detail"], error["attr"]

    async def names(self, **query: Any) -> list[str]:
        return [row["name"] for row in (await self.get(**query))["results"]]

    def define(self, name: str, seen: float | None = 0, **columns: Any) -> str:
        """A stored definition last seen so many days ago; None for never."""
        self.made += 1
        times = {"created_at": self.ago(days=100), "updated_at": self.ago(days=50)}
        last = None if seen is None else self.ago(days=seen)
        self.ids[name] = f"01900000-0000-7000-8000-{self.made:012d}"
        values = {"id": self.ids[name], "project_id": 1, "last_seen_at": last, **times, **columns}
        self.insert("event_definitions", name=name, **values)
        return self.ids[name]


start, service = fixtures_of(Service)
