"""Random faults, stops and colleagues around one write of every kind: nothing lost, doubled or untold.

FLAGTUI_ROUNDS=100 pytest tests/changes/test_random_writes.py runs a hundred of each for every kind.
"""

import asyncio
import os
import random
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.changes.bench import working
from tests.changes.kinds import KINDS
from tests.changes.test_every_kind import Scene, is_write, lost, scene_of

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", "1"))
KIND: Final = pytest.mark.parametrize("kind", KINDS)
DONE: Final = range(200, 300)


class Counting(httpx.AsyncBaseTransport):
    """Notes what the service really did."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.done = 0
        self.asked: list[asyncio.Task[httpx.Response]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        # A server goes on with what it was asked, even when the answer is not waited for any more.
        self.asked.append(asyncio.create_task(self.ask(request)))
        return await asyncio.shield(self.asked[-1])

    async def ask(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        self.done += is_write(request) and answer.status_code in DONE
        return answer

    async def come_to_rest(self) -> None:
        await asyncio.gather(*self.asked, return_exceptions=True)


class Weather:
    """A link that fails once with the first write, before or after the service acts, and then at random."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
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


async def truth_of(scene: Scene, kind: str, ending: str) -> str:
    """What the journal says in the end; what is not known is looked up at the next start."""
    scene.bench.wire.heal()
    if ending != "unknown":
        return ending
    recovered_ending = await scene.at_the_next_start() or "unknown"
    assert recovered_ending != "unknown"
    return recovered_ending


@KIND
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_whatever_link_does_the_journal_tells_the_truth(kind: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"link {kind} {seed}")
    async with working(tmp_path) as bench:
        scene, weather = await scene_of(kind, bench), Weather(chance)
        bench.wire.inner = counting = Counting(bench.wire.inner)
        bench.wire.before, bench.wire.after = weather.before, weather.after
        outcome = await scene.save()
        if outcome.ending == "unknown" and chance.random() < 0.7:
            outcome = await scene.writing().settle(outcome)
        assert scene.journal.entries()[0].ending == outcome.ending
        ending = await truth_of(scene, kind, outcome.ending)
        assert counting.done <= 1, "it was done twice"
        if ending != "unknown":
            assert (ending == "saved") == (counting.done == 1), weather.first


@KIND
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_change_stopped_anywhere_is_resolved_at_next_start(
    kind: str, seed: int, tmp_path: Path
) -> None:
    chance = random.Random(f"stop {kind} {seed}")
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        bench.wire.inner = counting = Counting(bench.wire.inner)
        steps, moment = 0, chance.randrange(4)

        def step(_request: httpx.Request) -> None:
            nonlocal steps
            if steps == moment:
                saving.cancel()
            steps += 1

        bench.wire.before = bench.wire.after = step
        saving = asyncio.create_task(scene.save())
        ending = "unknown"
        try:
            ending = str((await saving).ending)
        except asyncio.CancelledError:
            await counting.come_to_rest()
            begun = scene.journal.entries()
            if not begun:
                assert counting.done == 0
                return
            ending = "unknown" if begun[0].is_open else str(begun[0].ending)
        ending = await truth_of(scene, kind, ending)
        assert counting.done <= 1, "it was done twice"
        if ending != "unknown":
            assert (ending == "saved") == (counting.done == 1)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"new flag", "new experiment"}))
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_a_colleague_s_change_is_never_overwritten_untold(kind: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(f"colleague {kind} {seed}")
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        theirs = scene.prepared.interfere
        is_first = theirs is not None and chance.random() < 0.6
        if theirs is not None and is_first:
            await theirs()
        bench.clock.now += chance.choice((0, 1, 29, 31, 600))
        bench.wire.inner = counting = Counting(bench.wire.inner)
        outcome = await scene.save()
        assert (counting.done == 1) == outcome.is_saved
        if not is_first:
            assert outcome.is_saved, outcome.reason
        elif outcome.is_saved:
            # What they changed is another thing, or the same for both, or it is told.
            assert kind in ("flag", "verified event", "copy", "schedule", "dashboard", "cohort"), kind
