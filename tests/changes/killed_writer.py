"""Changes one flag or event again and again until it is killed; prints a dot at every step.

usage: killed_writer.py FOLDER flag|event
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

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
from flagtui.models.record import Record

FLAG: dict[str, JSON] = {"id": 812, "key": "checkout-v2", "name": "New checkout", "active": True}
EVENT: dict[str, JSON] = {"id": "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f", "name": "signed up"}
HERE = Signature("ada@acme.test", "prod", "https://us.posthog.com", "1")


def step() -> None:
    """Prints how far it is: the test can kill the process at any of these moments."""
    os.write(1, b".")


class FileServer:
    """Applies each write by one line in a file; a version counts the writes of what has one."""

    def __init__(self, folder: Path, kind: type[Record], raw: dict[str, JSON]) -> None:
        self.file = os.open(folder / "applied", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.kind = kind
        self.stored = dict(raw)

    async def get(self, _id: int | str) -> Any:
        return self.kind.of(dict(self.stored))

    async def update(self, id: int | str, changes: Mapping[str, JSON], **_seen: JSON) -> Any:
        step()
        os.write(self.file, f"{changes.get('name') or changes['description']}\n".encode())
        self.stored |= changes
        if "version" in self.stored:
            self.stored["version"] += 1
        step()
        return await self.get(id)


def agreed(plan: Proposal) -> Approved[Any]:
    question = guard([plan], GuardRules(Level.RELAXED))
    assert isinstance(question, Question)
    approved = question.settle(Confirmation(yes=True))
    assert isinstance(approved, Approved)
    return approved


def planned_flag(fresh: Flag, text: str, now: float) -> object:
    wanted = flag_intent.set_field(812, "name", fresh.name, text)
    return plan_flag(wanted, fresh, Context(now=now, dependents=()))


def planned_event(fresh: EventDefinition, text: str, now: float) -> object:
    wanted = set_field(str(EVENT["id"]), "description", text, fresh.description or "")
    return plan_event(wanted, fresh, DefinitionContext(now))


async def work(folder: Path, kind: str) -> None:
    is_flag = kind == "flag"
    server: Any = FileServer(
        folder, *((Flag, {**FLAG, "filters": {}, "version": 12}) if is_flag else (EventDefinition, EVENT))
    )
    adapter: Any = FlagAdapter(server) if is_flag else DefinitionAdapter(server)
    save_context = WriteContext(Journal(folder / "journal"), HERE)
    make: Any = planned_flag if is_flag else planned_event
    for number in count():
        plan = make(await server.get(812), f"text {number}", save_context.clock.time())
        assert isinstance(plan, Plan | EventPlan)
        approved = agreed(plan)
        step()
        [_ async for _ in Batch(approved, adapter, save_context).run()]
        step()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), sys.argv[2]))
