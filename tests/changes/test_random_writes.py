"""Random faults of the link around one write of every kind: nothing is lost, done twice or unreported.

FLAGTUI_ROUNDS=100 pytest tests/changes/test_random_writes.py runs a hundred of each for every kind.
"""

import os
import random
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.changes.bench import working
from tests.changes.kinds import KINDS
from tests.changes.test_every_kind import is_write, lost, scene_of

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", "1"))


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
@pytest.mark.parametrize("seed", range(ROUNDS))
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
