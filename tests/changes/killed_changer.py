"""Makes one change of a record over a socket, and waits at every moment of it to be told to go on.

usage: killed_changer.py FOLDER < one line of JSON with address, key, id and the change
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from flagtui.api.client import Client
from flagtui.api.http_library import httpx
from flagtui.changes.adapter import WriteContext
from flagtui.changes.event_definitions import definition_intent
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, plan_event
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import plan_step
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, Question, guard
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.pipeline import Batch
from flagtui.models.experiment import Experiment

PROJECT = "1"
WRITING = ("POST", "PATCH")


def moment() -> None:
    """Says that it has come so far, and goes on when that was heard."""
    os.write(1, b".")
    if not os.read(0, 1):
        raise SystemExit("nobody is there any more")


def write_in_two(descriptor: int, data: bytes) -> int:
    """Half a line is on disk for a moment."""
    moment()
    half = len(data) // 2
    os.write(descriptor, data[:half])
    moment()
    os.write(descriptor, data[half:])
    return len(data)


def sync(descriptor: int) -> None:
    moment()
    os.fsync(descriptor)
    moment()


class Slowly(httpx.AsyncHTTPTransport):
    """Stops before a change leaves and when its answer is there."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method in WRITING:
            moment()
        response = await super().handle_async_request(request)
        if request.method in WRITING:
            moment()
        return response


async def make_plan(task: dict[str, Any], client: Client, now: float) -> tuple[Any, Any]:
    """The plan of the change, and the adapter that sends it."""
    id = task["id"]
    if task["step"] == "flag":
        intent = flag_intent.set_field(id, "name", "", "another one")
        context = Context(now=now, dependents=())
        return plan_flag(intent, await client.flags.get(id), context), FlagAdapter(client.flags)
    if task["step"] == "event":
        definitions, described = client.event_definitions, ("description", "another one", "")
        plan = plan_event(
            definition_intent.set_field(id, *described), await definitions.get(id), DefinitionContext(now)
        )
        return plan, DefinitionAdapter(definitions)
    # Deleted ones cannot be read, and new ones are not there yet.
    is_there = task["step"] not in ("create", "restore")
    bare = Experiment.of({"id": id, "name": task["name"], "deleted": bool(id)})
    fresh = await client.experiments.get(id) if is_there else bare
    step = ExperimentIntent(id, STEPS[task["step"]], Choices(**task["choices"]))
    return plan_step(step, fresh, StepContext(now=now)), StepAdapter(client.experiments)


async def take(task: dict[str, Any], folder: Path) -> None:
    async with Client(task["address"], task["key"], PROJECT, transport=Slowly()) as client:
        journal = Journal(folder, disk=Disk(write_in_two, sync))
        here = Signature("ada@acme.test", "demo", str(client.host), PROJECT)
        save_context = WriteContext(journal, here)
        plan, adapter = await make_plan(task, client, save_context.clock.time())
        question = guard([plan], GuardRules(Level.RELAXED))
        assert isinstance(question, Question)
        approved = question.settle(Confirmation(yes=True))
        assert isinstance(approved, Approved)
        [_ async for _ in Batch(approved, adapter, save_context).run()]


if __name__ == "__main__":
    asyncio.run(take(json.loads(sys.stdin.readline()), Path(sys.argv[1])))
