"""Changes one flag again and again until it is killed; prints a dot at every step. Its server is a file."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from flagtui.api.asking import Query
from flagtui.changes import intent
from flagtui.changes.context import Context
from flagtui.changes.entries import Signature
from flagtui.changes.guard import Answer, Approved, Level, Question, Rules, guard
from flagtui.changes.journal import Journal
from flagtui.changes.plan import Plan, plan_flag
from flagtui.changes.saving import Desk, save
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.row_pages import RowPage
from flagtui.models.rows import FlagRow

RAW: dict[str, JSON] = {
    "id": 812,
    "key": "checkout-v2",
    "name": "New checkout",
    "active": True,
    "filters": {},
}


def step() -> None:
    """Says how far it is: whoever reads along can kill at any of these moments."""
    os.write(1, b".")


class FileServer:
    """Applies each write by one line in a file."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.stored: dict[str, JSON] = {**RAW, "version": 12}

    async def get(self, id: int) -> Flag:
        return Flag.of(dict(self.stored))

    async def page(self, filters: Query | None = None) -> RowPage[FlagRow]:
        return RowPage((), total=0)

    async def create(self, body: Mapping[str, JSON]) -> Flag:
        raise NotImplementedError

    async def update(
        self,
        id: int,
        changes: Mapping[str, JSON],
        *,
        version: int | None = None,
        original: Mapping[str, JSON] | None = None,
    ) -> Flag:
        step()
        os.write(self.file, f"{changes['name']}\n".encode())
        self.stored = {**self.stored, **changes, "version": self.stored["version"] + 1}
        step()
        return Flag.of(dict(self.stored))


async def work(folder: Path) -> None:
    server = FileServer(folder / "applied")
    here = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")
    desk = Desk(server, Journal(folder / "journal"), here)
    number = 0
    while True:
        fresh = await server.get(812)
        wanted = intent.set_field(812, "name", fresh.name, f"text {number}")
        plan = plan_flag(wanted, fresh, Context(now=desk.clock.time(), dependents=()))
        assert isinstance(plan, Plan)
        question = guard([plan], Rules(Level.RELAXED))
        assert isinstance(question, Question)
        approved = question.settle(Answer(yes=True))
        assert isinstance(approved, Approved)
        step()
        await save(approved, desk)
        number += 1


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1])))
