"""Random faults of the link around one write: nothing is lost, done twice or unreported.

FLAGTUI_ROUNDS=100 pytest tests/changes/test_random_writes.py runs a hundred for every kind."""

import os
import random
from collections import Counter
from pathlib import Path
from typing import Any, Final, get_args

import httpx
import pytest
from msgspec.structs import replace
from tests.changes.bench import working
from tests.changes.kinds import KINDS
from tests.changes.office import Office
from tests.changes.test_every_kind import is_write, lost, scene_of
from tests.doubles.flag_server import Fault
from tests.doubles.slices import SEED, at_most

from flagtui.changes.flags.flag_intent import set_field
from flagtui.changes.journal import Disk
from flagtui.changes.proposal import Outcome

ROUNDS: Final = os.environ.get("FLAGTUI_ROUNDS")


class Weather:
    """A link that fails once with the first write, before or after the service acts, and then at random."""

    def __init__(self, chance: random.Random) -> None:
        self.first = chance.choice(("fine", "lost before", "lost after", "fault before", "fault after"))
        self.bad_reads = chance.choice((0, 0, 1, 3, 10_000))
        self.has_written = False

    def before(self, request: httpx.Request) -> Any:
        if is_write(request):
            self.has_written = True
            return self.fault(request, "before")
        if self.has_written and self.first != "fine" and self.bad_reads:
            self.bad_reads -= 1
            return lost(request)
        return None

    def after(self, request: httpx.Request) -> Any:
        return self.fault(request, "after") if is_write(request) else None

    def fault(self, request: httpx.Request, when: str) -> Any:
        if self.first == f"lost {when}":
            return lost(request)
        return httpx.Response(502, text="bad gateway") if self.first == f"fault {when}" else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(int(ROUNDS or 1)))
async def test_whatever_link_does_the_journal_tells_the_truth(kind: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"link {kind} {seed}")
    async with working(tmp_path) as bench:
        scene, weather = await scene_of(kind, bench), Weather(chance)
        bench.wire.before, bench.wire.after = weather.before, weather.after
        outcome = await scene.save()
        if outcome.ending == "unknown" and chance.random() < 0.7:
            outcome = await scene.writing().settle(outcome)
        assert scene.journal.entries()[0].ending == outcome.ending
        bench.wire.heal()
        ending = await scene.at_the_next_start() if outcome.ending == "unknown" else outcome.ending
        assert scene.done <= 1, "it was done twice"
        assert ending != "unknown"
        assert (ending == "saved") == (scene.done == 1), weather.first


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
    for number in range(int(ROUNDS or at_most(60, full=250))):
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
