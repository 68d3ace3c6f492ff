"""Changes one flag or event again and again until it is killed; prints a dot at every step.

usage: killed_writer.py FOLDER flag|event
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, cast

from flagtui.api.event_definitions import EventDefinitions
from flagtui.api.flags import Flags
from flagtui.changes.adapter import WriteContext
from flagtui.changes.event_definitions.definition_intent import set_field
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, EventPlan, plan_event
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.pipeline import Batch
from flagtui.changes.proposal import Proposal
from flagtui.models.event_definition import EventDefinition
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

RAW: dict[str, JSON] = {
    "id": 812,
    "key": "checkout-v2",
    "name": "New checkout",
    "active": True,
    "filters": {},
}
EVENT: dict[str, JSON] = {"id": "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f", "name": "signed up"}
HERE = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")


P = TypeVar("P", bound=Proposal)


def step() -> None:
    """Prints how far it is: the test can kill the process at any of these moments."""
    os.write(1, b".")


class FileServer:
    """Applies each write by one line in a file."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.stored: dict[str, JSON] = {**RAW, "version": 12}

    async def get(self, id: int) -> Flag:
        return Flag.of(dict(self.stored))

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


class FileOfEvents:
    """The same for one event definition."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.stored: dict[str, JSON] = {**EVENT}

    async def get(self, id: str) -> EventDefinition:
        return EventDefinition.of(dict(self.stored))

    async def update(self, id: str, changes: Mapping[str, JSON]) -> EventDefinition:
        step()
        os.write(self.file, f"{changes['description']}\n".encode())
        self.stored = {**self.stored, **changes}
        step()
        return EventDefinition.of(dict(self.stored))


def agreed(plan: P) -> Approved[P]:
    question = guard([plan], GuardRules(Level.RELAXED))
    assert isinstance(question, Question)
    approved = question.settle(Confirmation(yes=True))
    assert isinstance(approved, Approved)
    return approved


async def work_on_events(folder: Path) -> None:
    server = FileOfEvents(folder / "applied")
    save_context = WriteContext(Journal(folder / "journal"), HERE)
    adapter = DefinitionAdapter(cast(EventDefinitions, server))
    number = 0
    while True:
        fresh = await server.get("")
        wanted = set_field(str(EVENT["id"]), "description", f"text {number}", fresh.description or "")
        plan = plan_event(wanted, fresh, DefinitionContext(save_context.clock.time()))
        assert isinstance(plan, EventPlan)
        approved = agreed(plan)
        step()
        [_ async for _ in Batch(approved, adapter, save_context).run()]
        step()
        number += 1


async def work(folder: Path) -> None:
    server = FileServer(folder / "applied")
    adapter = FlagAdapter(cast(Flags, server))
    save_context = WriteContext(Journal(folder / "journal"), HERE)
    number = 0
    while True:
        fresh = await server.get(812)
        wanted = flag_intent.set_field(812, "name", fresh.name, f"text {number}")
        plan = plan_flag(wanted, fresh, Context(now=save_context.clock.time(), dependents=()))
        assert isinstance(plan, Plan)
        approved = agreed(plan)
        step()
        [_ async for _ in Batch(approved, adapter, save_context).run()]
        number += 1


if __name__ == "__main__":
    kinds = {"flag": work, "event": work_on_events}
    asyncio.run(kinds[sys.argv[2]](Path(sys.argv[1])))
