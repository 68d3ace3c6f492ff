"""Killed at every moment of a change of any kind, over a socket: afterwards the journal tells the truth.

FLAGTUI_ROUNDS=1000 pytest tests/changes/test_killed_changes.py goes through every change at every moment.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from threading import Event
from typing import Any, Final

import httpx
import pytest
from starlette.applications import Starlette
from tests.changes.bench import bring
from tests.changes.killed_changer import PROJECT, WRITING
from tests.doubles.faulty_service import Message, Receive, Send, serve
from tests.doubles.service_world import Clock, World
from tests.doubles.slices import at_most

from flagtui.api.client import Client
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.recovery import recover_all
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.service import create_service
from flagtui.service.application import close_service

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(1, full=2)))
MOMENTS: Final = {"default": 12, "legacy": 16}
"""Four for each line of the journal, two of the client and two of the server around each request. Older
servers are asked twice: they do not know the first."""
CHANGER: Final = Path(__file__).parent / "killed_changer.py"
KEY: Final = "phx_killed"
STEPS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "flag": ("flag", {}),
    "event": ("event", {}),
    "launch": ("draft", {}),
    "pause": ("running", {}),
    "resume": ("paused", {}),
    "end": ("running", {"conclusion": "won", "comment": "clear"}),
    "end again": ("concluded", {}),
    "ship": ("running", {"variant": "test", "conclusion": "won"}),
    "ship to everyone": ("stopped", {"variant": "test", "everyone": True}),
    "archive": ("stopped", {}),
    "archive with its flag": ("stopped", {"disable_flag": True}),
    "unarchive": ("archived", {}),
    "reset": ("concluded", {}),
    "reopen": ("concluded", {"fields": {"conclusion": "won", "conclusion_comment": None}}),
    "reopen ended": ("stopped", {"fields": {"end_date": None}}),
    "duplicate": ("running", {"flag_key": "{key}-copy"}),
    "create": ("", {"name": "New {key}", "flag_key": "{key}"}),
    "edit": ("running", {"fields": {"description": "another one"}, "seen": {"description": ""}}),
    "copy": ("running", {"project": 2, "flag_key": "{key}"}),
    "cohort": ("running", {}),
    "delete": ("draft", {}),
    "restore": ("deleted", {}),
}
"""By what it is: the state it begins in, and what the person chose."""
OLDER: Final = (
    *("flag", "launch", "pause", "resume", "end", "archive", "unarchive", "reset", "create", "edit"),
    *("reopen", "delete"),
)
"""What servers without words for the steps can do with one request."""


@dataclass
class Served:
    """A service on a port, which can kill its client between the request, the change and the answer."""

    application: Starlette
    address: str = ""
    victim: "Victim | None" = None
    requests: int = 0
    done: int = 0
    is_idle: Event = field(default_factory=Event)
    """The client may be dead before the change is made."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        victim = self.victim
        if victim is None or scope["method"] not in WRITING:
            await self.application(scope, receive, send)
            return
        self.requests += 1
        self.is_idle.clear()
        victim.lives_through_a_moment()

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.done += message["status"] < 300
                victim.lives_through_a_moment()
            await send(message)

        try:
            await self.application(scope, receive, note)
        finally:
            self.is_idle.set()


@dataclass
class Victim:
    """A program that makes one change, and is killed at one moment of it."""

    folder: Path
    killed_at: int
    moments: int = 0
    process: "subprocess.Popen[bytes]" = field(init=False)

    def run(self, task: dict[str, Any]) -> None:
        command = [sys.executable, str(CHANGER), str(self.folder)]
        root = Path(__file__).parents[2]
        with subprocess.Popen(
            command, cwd=root, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0
        ) as self.process:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            assert self.process.stderr is not None
            self.process.stdin.write(json.dumps(task).encode() + b"\n")
            self.process.stdin.flush()
            while self.process.stdout.read(1):
                self.lives_through_a_moment()
                with contextlib.suppress(BrokenPipeError):
                    self.process.stdin.write(b"g")
                    self.process.stdin.flush()
            errors = self.process.stderr.read().decode()
        assert self.process.returncode in (0, -signal.SIGKILL), errors

    def lives_through_a_moment(self) -> None:
        """Or does not."""
        self.moments += 1
        if self.moments == self.killed_at:
            self.process.send_signal(signal.SIGKILL)


@contextlib.contextmanager
def serving(folder: Path, **choices: Any) -> Iterator[Served]:
    application = create_service(folder / "service.db", key=KEY, **choices)
    unheard = httpx.AsyncClient(transport=httpx.ASGITransport(app=application))
    World(unheard, folder, Clock(), application).add_project()
    service = Served(application)
    with serve(service) as service.address:
        yield service
    close_service(application)


async def in_state(client: Client, state: str, key: str) -> Any:
    """A new record, brought to where the step begins."""
    if not state:
        return Experiment.of({"id": 0, "name": f"New {key}"})
    if state == "flag":
        return await client.flags.create({"key": key, "filters": {"groups": [{}]}})
    if state == "event":
        return await client.event_definitions.create(key)
    return await bring(client, state, (f"Test {key}", key))


def fill(choices: dict[str, Any], key: str) -> dict[str, Any]:
    return {
        name: value.format(key=key) if isinstance(value, str) else value for name, value in choices.items()
    }


async def kill_once(service: Served, what: str, moment: int, folder: Path) -> None:
    """Everything that has to be true after one kill and the next start."""
    key = f"k-{what.replace(' ', '-')}-{moment}"
    state, choices = STEPS[what]
    async with Client(service.address, KEY, PROJECT) as client:
        fresh = await in_state(client, state, key)
        task = {"address": service.address, "key": KEY, "id": fresh.id, "name": fresh.name}
        task |= {"step": what.split()[0], "choices": fill(choices, key)}
        victim = Victim(folder / key, moment)
        service.victim, service.requests, service.done = victim, 0, 0
        service.is_idle.set()
        await asyncio.to_thread(victim.run, task)
        assert service.is_idle.wait(10)
        here = Signature(host=str(client.host), project=PROJECT)
        # The next start, ten minutes later.
        journal = Journal(folder / key, clock=lambda: time.time() + 600)
        await recover_all(journal, client, here)
        service.victim = None
    assert victim.moments >= min(moment, MOMENTS["default"]), "it was not killed"
    assert service.done <= 1, "a change was made twice"
    entries = journal.entries()
    if not entries:
        assert service.requests == 0, "a change left without a line in the journal"
        return
    (entry,) = entries
    assert entry.ending == ("saved" if service.done else "failed"), (what, moment, entry)
    if service.done:
        await shows_what_was_done(service.address, what, entry)


async def shows_what_was_done(address: str, what: str, entry: Entry) -> None:
    """The number in the journal is that of the record that was changed, or made."""
    project: JSON = entry.after.get("project", PROJECT)
    async with Client(address, KEY, str(project)) as client:
        if what in ("delete", "flag", "event"):
            return
        experiment = await client.experiments.get(entry.record)
    if "feature_flag_key" in entry.after:
        assert experiment.feature_flag_key == entry.after["feature_flag_key"]


@pytest.mark.parametrize("server", ["default", "legacy"])
async def test_journal_is_correct_after_a_kill_during_a_change(tmp_path: Path, server: str) -> None:
    steps = STEPS if server == "default" else OLDER
    deaths = [(what, moment) for what in steps for moment in range(1, MOMENTS[server] + 1)]
    random.Random(5).shuffle(deaths)
    with serving(tmp_path, legacy=server == "legacy") as service:
        for what, moment in deaths[:ROUNDS]:
            await kill_once(service, what, moment, tmp_path)
