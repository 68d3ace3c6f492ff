"""Killed at any moment of a write: afterwards the journal tells the truth, and nothing is applied twice.

FLAGTUI_ROUNDS=500 pytest tests/changes/test_killed.py runs it for longer.
"""

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.changes.killed_writer import EVENT, HERE
from tests.changes.writing import recover
from tests.doubles.expected import require
from tests.doubles.flag_server import FlagServer
from tests.doubles.flag_server import raw_flag as raw
from tests.doubles.slices import at_most, one_in

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry
from flagtui.models.event_definition import EventDefinition

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(1, full=3)))
WRITER: Final = Path(__file__).parent / "killed_writer.py"


class Victim:
    """A program that changes one flag or event again and again until it is killed; its server outlives it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder
        self.kind = kind
        self.applied = folder / "applied"
        self.journal = Journal(folder / "journal")

    def run_and_kill(self, after: int) -> None:
        """Killed as soon as it has come this many steps far."""
        command = [sys.executable, str(WRITER), str(self.folder), self.kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as program:
            assert len(require(program.stdout).read(after)) == after, "it ended by itself"
            program.send_signal(signal.SIGKILL)

    def writes(self) -> list[str]:
        """What the server did, in order: the words of each write, one a line."""
        with contextlib.suppress(FileNotFoundError):
            return self.applied.read_text().splitlines()
        return []

    def restarted(self) -> int:
        """The next start: what is open is read again, ten minutes later; how much that was."""
        done, journal = self.writes(), Journal(self.folder / "journal", clock=lambda: time.time() + 600)
        if self.kind == "event":
            definition = EventDefinition.of({**EVENT, "description": done[-1] if done else ""})
            return len(asyncio.run(recover(journal, HERE, event_definitions=Reader(definition))))
        server = FlagServer(raw(name=done[-1] if done else "New checkout", version=12 + len(done)))
        return len(asyncio.run(recover(journal, HERE, flags=server.person("ada@acme.test"))))


@dataclass
class Reader:
    """A server that has one definition."""

    definition: EventDefinition

    async def get(self, id: str) -> EventDefinition:
        return self.definition

    async def by_name(self, name: str) -> EventDefinition:
        return self.definition


def told(entry: Entry) -> str:
    return str(entry.after["name" if entry.kind == "flag" else "description"])


@pytest.mark.parametrize("kind", one_in(1 if "FLAGTUI_ROUNDS" in os.environ else 2, ["flag", "event"]))
def test_journal_is_correct_about_every_write_after_a_kill(tmp_path: Path, kind: str) -> None:
    chance = random.Random(3)
    open_ones = 0
    for number in range(ROUNDS):
        victim = Victim(tmp_path / str(number), kind)
        victim.folder.mkdir()
        victim.run_and_kill(chance.randint(1, 40))
        open_ones += victim.restarted()
        done = victim.writes()
        entries = victim.journal.entries()
        assert len(done) == len(set(done)), "a write was applied twice"
        assert set(done) <= {told(entry) for entry in entries}, "a write left without a line in the journal"
        for entry in entries:
            assert (entry.ending == "saved") == (told(entry) in done), entry
        assert not victim.journal.unresolved()
    assert open_ones > 0 or ROUNDS < 30
