"""Writes whose answers get lost, late or doubled: the journal's word is the truth, and nothing is sent twice.

FLAGTUI_ROUNDS=10000 pytest tests/changes/test_lost_responses.py runs it for longer.
"""

import os
import random
from pathlib import Path
from typing import Final

from tests.changes.conftest import make_plan
from tests.changes.office import RELAXED
from tests.changes.writing import Writing, approve
from tests.doubles.flag_server import Fault, FlagServer, raw_flag
from tests.doubles.slices import SEED, at_most
from tests.doubles.steady_clock import SteadyClock

from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import Outcome

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(60, full=250)))
FAULTS: Final[tuple[Fault | None, ...]] = (
    *(None, "lose the answer", "never arrives", "apply late", "apply twice", "5xx", "5xx applied"),
    "ignore it",
)


class Line:
    """A bad line to one flag, used again and again."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.server = FlagServer(raw_flag())
        self.ada = self.server.person("ada@acme.test")
        self.clock = SteadyClock()
        self.journal = Journal(folder, clock=self.clock.time, disk=Disk(sync=lambda descriptor: None))
        self.save_context = Writing(self.ada.adapter, self.journal, Signature("ada@acme.test"), self.clock)

    async def change(self, words: str) -> Outcome:
        """One change of the description to words nobody else uses, so that they can be counted."""
        self.ada.unreadable = 0
        fresh = await self.ada.get(812)
        intent = flag_intent.set_field(812, "name", fresh.name, words)
        context = Context(now=self.clock.time(), dependents=())
        approved = approve(make_plan(intent, fresh, context), rules=RELAXED)
        self.disturb()
        outcome = await self.save_context.save(approved)
        if outcome.ending == "unknown":
            outcome = await self.save_context.settle(outcome)
        return outcome

    def disturb(self) -> None:
        """What will go wrong this time."""
        fault = self.chance.choice(FAULTS)
        self.ada.faults = [fault] if fault else []
        self.ada.unreadable = self.chance.choice((0, 0, 1, 3))
        if fault == "apply late":
            self.clock.began = self.clock.now
            self.clock.at(self.chance.uniform(0.5, 55), self.ada.deliver_late)
        if self.chance.random() < 0.3:
            self.clock.began = self.clock.now
            self.clock.at(self.chance.uniform(0, 40), self.bob_writes)

    def bob_writes(self) -> None:
        field, value = self.chance.choice((("tags", ["bob"]), ("name", f"Bob's {self.clock.now}")))
        self.server.apply("bob@acme.test", 812, {field: value})

    def times_applied(self, words: str) -> int:
        return sum(1 for who, _, fields in self.server.log if fields.get("name") == words)


async def test_the_journal_tells_the_truth_about_every_change(tmp_path: Path) -> None:
    line = Line(SEED, tmp_path)
    endings: dict[str, int] = {}
    for number in range(ROUNDS):
        words = f"text {number}"
        sends = line.ada.sends
        outcome = await line.change(words)
        entry = line.journal.entries(text=f"{words}")[0] if number % 50 == 0 else None
        assert line.ada.sends == sends + 1
        applied = line.times_applied(words)
        assert applied == 1 if outcome.ending == "saved" else applied <= 1
        if outcome.ending in ("refused", "failed"):
            assert applied == 0, outcome
        if entry is not None:
            assert entry.ending == outcome.ending
        endings[outcome.ending] = endings.get(outcome.ending, 0) + 1
    assert {"saved", "refused", "failed"} <= endings.keys()
