"""A write whose answer is lost: looked up, watched, never sent again."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.changes.bench import working
from tests.changes.kettle import LONG_PAUSE, Room, room_of
from tests.changes.office import Office
from tests.changes.writing import approve

from flagtui.api.errors import ApiError, ApprovalNeeded, RateLimited, Unanswered
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags import flag_intent


async def test_failing_reads_are_retried_after_growing_pauses(office: Office) -> None:
    plan = await office.plan()
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 4
    assert (await office.save(plan)).is_saved
    assert office.clock.slept == [0, 1, 1, 2, 4]


async def test_a_record_that_can_never_be_read_stays_unknown(office: Office) -> None:
    plan = await office.plan()
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 1000
    outcome = await office.save(plan)
    assert outcome.ending == "unknown"
    assert (await office.save_context.settle(outcome)).ending == "unknown"
    assert [entry.ending for entry in office.journal.unresolved()] == ["unknown"]


async def test_a_write_that_may_be_hidden_under_anothers_stays_unknown(office: Office) -> None:
    plan = await office.plan(flag_intent.set_field(812, "name", "New checkout", "Ada's words"))
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 1
    office.clock.at(1, lambda: office.bob_writes(name="Bob's words"))
    outcome = await office.save(plan)
    assert outcome.ending == "unknown"
    assert (await office.save_context.settle(outcome)).ending == "unknown"
    assert office.server.log[0] == ("ada@acme.test", 812, {"name": "Ada's words"})
    assert office.journal.entries()[0].is_open


async def boil_to_end(room: Room) -> str:
    """How the change ended after all that was waited for."""
    (outcome,) = await room.boil()
    if room.writing.context.is_watched(outcome):
        outcome = await room.writing.settle(outcome)
    return outcome.ending


@pytest.mark.parametrize(("wait", "now", "ending", "takes"), [
    (0, 20, "unknown", 0),
    (3, 20, "unknown", 2),
    (20, 20, "unknown", 20),
    (300, 20, "failed", 60),
    (300, 45, "unknown", 300),
])  # fmt: skip
async def test_lost_response_is_looked_up_for_the_requested_time(
    wait: float, now: int, ending: str, takes: float, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[Unanswered("No answer.")], now=now)
    room.writing.wait, began = wait, room.clock.now
    assert await boil_to_end(room) == ending
    assert room.clock.now - began == takes
    (entry,) = room.journal.entries()
    assert (entry.ending, room.kitchen.requests.count("send kettle")) == (ending, 1)


@pytest.mark.parametrize(
    ("wait", "ending"), [(None, "awaiting approval"), (9, "awaiting approval"), (60, "saved")]
)
async def test_an_approval_is_waited_for_when_that_is_asked_for(
    wait: float | None, ending: str, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[ApprovalNeeded("409")], boils_at=5)
    room.writing.wait = wait
    assert await boil_to_end(room) == ending
    assert room.journal.entries()[0].ending == ending


@pytest.mark.parametrize(("wait", "sent"), [(None, 1), (400, 1), (600, 2)])
async def test_requested_pause_is_waited_for_the_requested_time(
    wait: float | None, sent: int, tmp_path: Path
) -> None:
    slower: ApiError = RateLimited("Slower.", facts=LONG_PAUSE)
    room = room_of(tmp_path, faults=[slower])
    room.writing.wait = wait
    await room.boil()
    assert len(room.kitchen.requests) == sent


@pytest.mark.parametrize("refusal", [429, 401])
@pytest.mark.parametrize(("name", "state", "chosen", "ending"), [
    ("cohort", "running", {}, "saved"),
    ("pause", "running", {}, "saved"),
    ("archive", "stopped", {"disable_flag": True}, "unknown"),
    ("ship", "running", {"variant": "test", "everyone": True}, "unknown"),
])  # fmt: skip
async def test_half_of_a_step_is_neither_repeated_nor_denied(
    name: StepName, state: str, chosen: Any, ending: str, refusal: int, tmp_path: Path
) -> None:
    """Older servers take some steps in two requests; every server makes a cohort alone."""
    async with working(tmp_path, legacy=name != "cohort") as bench:
        plan = bench.plan_step(name, await bench.in_state(state), **chosen)
        acted: list[httpx.Request] = []

        def refuse_the_rest(request: httpx.Request) -> httpx.Response | None:
            is_refused = len(acted) == 1
            acted.extend([request] if acted or is_done(request) else [])
            return httpx.Response(refusal, headers={"Retry-After": "1"}) if is_refused else None

        def is_done(request: httpx.Request) -> bool:
            return request.method == "PATCH" or "cohort" in request.url.path

        bench.wire.before = refuse_the_rest
        writing = bench.writing(StepAdapter(bench.client.experiments))
        outcome = await writing.save(approve(plan))
        assert outcome.ending == ending
        assert sum(is_done(request) for request in acted) == (2 if ending == "unknown" else 1)
        if outcome.ending == "unknown":
            assert (await writing.settle(outcome)).ending == ending
