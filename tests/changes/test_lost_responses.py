"""Writes whose answers get lost, late or doubled: the journal's word is the truth, and nothing is sent twice.

FLAGTUI_ROUNDS=10000 pytest tests/changes/test_lost_responses.py runs it for longer.
"""

import os
import random
from collections import Counter
from pathlib import Path
from typing import Final, get_args

from msgspec.structs import replace
from tests.changes.office import Office
from tests.doubles.flag_server import Fault
from tests.doubles.slices import SEED, at_most

from flagtui.changes.flags.flag_intent import set_field
from flagtui.changes.journal import Disk
from flagtui.changes.proposal import Outcome

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(60, full=250)))
FAULTS: Final[tuple[Fault | None, ...]] = (None, *get_args(Fault))


class Line(Office):
    """A bad line to one flag, used again and again."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(folder)
        self.chance = random.Random(seed)
        no_sync = Disk(sync=lambda descriptor: None)
        self.journal = self.save_context.journal = replace(self.journal, disk=no_sync)

    async def change_words(self, words: str) -> Outcome:
        """One change of the description to words nobody else uses, so that they can be counted."""
        self.ada.unreadable = 0
        plan = await self.plan(set_field(812, "name", (await self.ada.get(812)).name, words))
        self.disturb()
        outcome = await self.save(plan)
        return await self.save_context.settle(outcome) if outcome.ending == "unknown" else outcome

    def disturb(self) -> None:
        """What will go wrong this time."""
        fault = self.chance.choice(FAULTS)
        self.ada.faults = [fault] if fault else []
        self.ada.unreadable = self.chance.choice((0, 0, 1, 3))
        self.clock.began = self.clock.now
        if fault == "apply late":
            self.clock.at(self.chance.uniform(0.5, 55), self.ada.deliver_late)
        if self.chance.random() < 0.3:
            theirs = self.chance.choice(({"tags": ["bob"]}, {"name": f"Bob's {self.clock.now}"}))
            self.clock.at(self.chance.uniform(0, 40), lambda: self.bob_writes(**theirs))


async def test_the_journal_tells_the_truth_about_every_change(tmp_path: Path) -> None:
    line, endings = Line(SEED, tmp_path), Counter[str]()
    for number in range(ROUNDS):
        words, sends = f"text {number}", line.ada.sends
        outcome = await line.change_words(words)
        assert line.ada.sends == sends + 1
        applied = sum(fields.get("name") == words for _who, _id, fields in line.server.log)
        assert applied in {"saved": (1,), "refused": (0,), "failed": (0,)}.get(outcome.ending, (0, 1)), (
            outcome
        )
        if number % 50 == 0:
            assert line.journal.entries(text=words)[0].ending == outcome.ending
        endings[outcome.ending] += 1
    assert {"saved", "refused", "failed"} <= endings.keys()
