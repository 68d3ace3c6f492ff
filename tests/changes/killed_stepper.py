"""Takes one step of an experiment over a socket, and waits at every moment of it to be told to go on.

usage: killed_stepper.py FOLDER < one line of JSON with address, key, id and the step
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
from flagtui.changes.experiments.step_consequences import StepContext
from flagtui.changes.experiments.step_plan import ExperimentPlan, plan_step
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import STEPS, Choices, ExperimentIntent
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


async def take(wanted: dict[str, Any], folder: Path) -> None:
    async with Client(wanted["address"], wanted["key"], PROJECT, transport=Slowly()) as client:
        journal = Journal(folder, disk=Disk(write_in_two, sync))
        here = Signature("ada@acme.test", "demo", str(client.host), PROJECT)
        id = wanted["id"]
        save_context = WriteContext(journal, here)
        # Deleted ones cannot be read, and new ones are not there yet.
        is_there = wanted["step"] not in ("create", "restore")
        bare = Experiment.of({"id": id, "name": wanted["name"], "deleted": bool(id)})
        fresh = await client.experiments.get(id) if is_there else bare
        intent = ExperimentIntent(id, STEPS[wanted["step"]], Choices(**wanted["choices"]))
        plan = plan_step(intent, fresh, StepContext(now=save_context.clock.time()))
        assert isinstance(plan, ExperimentPlan), plan
        question = guard([plan], GuardRules(Level.RELAXED))
        assert isinstance(question, Question)
        approved = question.settle(Confirmation(yes=True))
        assert isinstance(approved, Approved)
        [_ async for _ in Batch(approved, StepAdapter(client.experiments), save_context).run()]


if __name__ == "__main__":
    asyncio.run(take(json.loads(sys.stdin.readline()), Path(sys.argv[1])))
