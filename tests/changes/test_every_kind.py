"""Everything between confirmation and response, for every kind of record: the pipeline's matrix."""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from msgspec.structs import replace
from tests.changes.bench import HERE, Bench, working
from tests.changes.kinds import KINDS, Prepared
from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect, require
from tests.doubles.faults import DONE_OR_NOT, ENDINGS, FAULTS, SENT_AGAIN
from tests.doubles.slices import cross

from flagtui.api.errors import ApiError, EndpointNotFound, PaymentNeeded
from flagtui.changes.journal import Journal
from flagtui.changes.pipeline import STOPPED
from flagtui.changes.proposal import Outcome
from flagtui.changes.recovery import recover_all
from flagtui.changes.related.creation import RelatedPlan, made_beside
from flagtui.changes.undo import undoable

KIND: Final = pytest.mark.parametrize("kind", KINDS)
REAL: Final = httpx.Response(200, content=b'{"count": 3, "results": [')


def is_write(request: httpx.Request) -> bool:
    return request.method != "GET"


class Scene:
    """A change that was agreed to, on a link that does as it is told."""

    def __init__(self, bench: Bench, prepared: Prepared) -> None:
        self.bench, self.prepared = bench, prepared
        self.journal = bench.journal
        bench.wire.passed.clear()
        self.began_with = bench.service.done

    @property
    def sends(self) -> int:
        """Requests that were meant to change something."""
        return sum(not line.startswith("GET") for line in self.bench.wire.passed)

    @property
    def done(self) -> int:
        """Requests by which the service changed something."""
        return self.bench.service.done - self.began_with

    def writing(self) -> Writing:
        return Writing(self.bench.adapter_of(self.prepared.plan), self.journal, HERE, self.bench.clock)

    async def save(self) -> Outcome:
        return await self.writing().save(approve(self.prepared.plan))

    async def at_the_next_start(self) -> str:
        """What the journal says ten minutes later, once it was looked up."""
        journal = Journal(self.journal.folder, clock=lambda: self.bench.clock.time() + 600)
        await recover_all(journal, self.bench.client, HERE)
        return journal.entries()[0].ending


async def scene_of(kind: str, bench: Bench) -> Scene:
    return Scene(bench, await KINDS[kind](bench))


def from_the_write_on(answer: Callable[[httpx.Request], Any], times: int = 10_000) -> Any:
    """A link that fails with the first write, and for as many requests."""
    seen: list[httpx.Request] = []

    def fault(request: httpx.Request) -> Any:
        if seen or is_write(request):
            seen.append(request)
        return answer(request) if seen and len(seen) <= times else None

    return fault


def lost(request: httpx.Request) -> Exception:
    return httpx.ReadTimeout("no answer", request=request)


@pytest.mark.parametrize(("kind", "is_done"), cross(KINDS, [True, False]))
async def test_lost_answer_is_looked_for_until_it_is_known(kind: str, is_done: bool, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        bench.wire.fail(from_the_write_on(lost, times=1), is_done=is_done)
        outcome = await scene.save()
        if outcome.ending == "unknown":
            outcome = await scene.writing().settle(outcome)
        expected = "saved" if is_done else "failed"
        assert (outcome.ending, scene.sends) == (expected, 1)
        assert scene.journal.entries()[0].ending == expected


@KIND
@pytest.mark.parametrize("is_done", [False, True])
async def test_unresolved_change_is_resolved_at_next_start(kind: str, is_done: bool, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        was = await scene.prepared.state()
        bench.wire.fail(from_the_write_on(lost), is_done=is_done)
        outcome = await scene.writing().settle(await scene.save())
        assert outcome.ending == scene.journal.entries()[0].ending == "unknown"
        bench.wire.heal()
        assert await scene.at_the_next_start() == ("saved" if is_done else "failed")
        assert scene.sends == 1
        # Then it is undone as any other.
        for entry in undoable(scene.journal.entries(), HERE):
            assert await bench.take_back(entry)
        assert await scene.prepared.state() == was or kind == "deleted event"


async def test_earlier_cohort_is_not_mistaken_for_an_unanswered_one(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        first = await scene_of("cohort", bench)
        assert (await first.save()).is_saved
        flag = first.prepared.plan.fresh
        plan = expect(await made_beside("cohort", flag, bench.client), RelatedPlan)
        again = Prepared(replace(plan, read_at=bench.now), first.prepared.state)
        bench.wire.before = from_the_write_on(lost, times=1)
        scene = Scene(bench, again)
        assert (await scene.writing().settle(await scene.save())).ending == "failed"


@KIND
async def test_change_stopped_in_flight_is_noted_and_looked_up(kind: str, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        bench.wire.held = is_write
        saving = asyncio.create_task(scene.save())
        await asyncio.wait_for(scene.bench.wire.is_holding.wait(), 10)
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        (entry,) = [entry for entry in scene.journal.entries() if entry.is_open]
        assert (entry.ending, entry.note) == ("unknown", STOPPED)
        assert await scene.at_the_next_start() == "failed"


@KIND
@pytest.mark.parametrize(("refusal", "error"), [
    (httpx.Response(402, json={"detail": "This needs a licence."}), PaymentNeeded),
    (httpx.Response(404, html="<p>no such page</p>"), EndpointNotFound),
])  # fmt: skip
async def test_a_refusal_is_not_looked_for(
    kind: str, refusal: httpx.Response, error: type[ApiError], tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        bench.wire.before = lambda request: refusal if is_write(request) else None
        outcome = await scene.save()
        assert isinstance(outcome.error, error)
        assert outcome.ending == scene.journal.entries()[0].ending == "refused"
        # An endpoint that is missing is replaced by an older one.
        assert scene.sends in ((1, 2) if error is EndpointNotFound else (1,))


@pytest.mark.parametrize("is_changed", [True, False])
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"new flag", "new experiment", "deleted event"}))
async def test_ten_minutes_old_plan_is_compared_before_sending(
    kind: str, is_changed: bool, tmp_path: Path
) -> None:
    async with working(tmp_path) as bench:
        scene = await scene_of(kind, bench)
        if is_changed:
            await require(scene.prepared.interfere)()
        bench.clock.now += 600
        sends = scene.sends
        outcome = await scene.save()
        expected = ("conflicted", 0) if is_changed else ("saved", 1)
        assert (outcome.ending, scene.sends - sends) == expected, outcome.reason


@pytest.mark.parametrize(("name", "is_done"), DONE_OR_NOT)
async def test_a_fault_ends_a_change_as_what_it_means(name: str, is_done: bool, tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response | Exception | None:
        return FAULTS[name].serve(request, REAL) if is_write(request) else None

    async with working(tmp_path) as bench:
        scene = await scene_of("flag", bench)
        bench.wire.fail(answer, is_done=is_done)
        outcome = await scene.save()
        if outcome.ending == "unknown":
            outcome = await scene.writing().settle(outcome)
        (entry,) = scene.journal.entries()
        assert entry.ending == outcome.ending == ENDINGS[FAULTS[name].means, is_done]
        assert scene.sends == 1 or name in SENT_AGAIN
        assert (await bench.client.flags.get(scene.prepared.plan.fresh.id)).active is not is_done


SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui"
ONCE: Final = {
    "journal.begin": "changes/pipeline.py",
    "pid=os.getpid()": "changes/pipeline.py",
    "LOOKS: Final = (0.0": "changes/unanswered.py",
    "asyncio.to_thread(finish": "changes/adapter.py",
    "class Outcome(msgspec.Struct, Generic": "changes/proposal.py",
    "ConfirmScreen(question": "app/writing/app_interface.py",
    "journal.unresolved)": "changes/recovery.py",
}


@pytest.mark.parametrize("words", ONCE)
def test_what_every_change_needs_stands_in_one_place(words: str) -> None:
    places = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for _ in re.finditer(re.escape(words), path.read_text(encoding="utf-8"))
    ]
    assert places == [ONCE[words]]
