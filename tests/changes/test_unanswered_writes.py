"""A write whose answer is lost or put off: looked up, watched, waited for, and never sent again."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.changes.bench import working
from tests.changes.kettle import LONG_PAUSE, SLOW_DOWN, Room, Together, make_kettle, room_of
from tests.changes.office import Office
from tests.changes.writing import approve
from tests.doubles.tables import table

from flagtui.api.errors import ApprovalNeeded, ErrorFacts, RateLimited, Unanswered
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.steps import StepName
from flagtui.changes.flags.flag_intent import set_field
from flagtui.changes.journal_entries import Ending
from flagtui.changes.unanswered import LOOKED, LOOKS, NEITHER

LOST = Unanswered("No answer.")


@pytest.mark.parametrize("boils_at", [0, 2, 4, None])
async def test_lost_response_is_looked_up_and_never_resent(boils_at: int | None, tmp_path: Path) -> None:
    room = room_of(tmp_path, faults=[LOST], boils_at=boils_at)
    (outcome,) = await room.boil()
    looks = len(LOOKS) if boils_at is None else boils_at + 1
    assert room.kitchen.requests == ["send kettle", *["read"] * looks]
    assert outcome.ending == room.journal.entries()[0].ending == ("unknown" if boils_at is None else "saved")
    assert room.notices == [
        "kettle: no response; checking whether it was applied",
        *["kettle: no response; the change is not applied so far"] * (boils_at != 0),
    ]


async def boil_to_end(room: Room) -> str:
    """How the change ended after all that was waited for."""
    (outcome,) = await room.boil()
    if room.writing.context.is_watched(outcome):
        outcome = await room.writing.settle(outcome)
    return outcome.ending


@table("wait, boils_at, now, ending, takes", {
    "boiled at the tenth look": (None, 9, 20, "saved", 28),
    "never boiled": (None, None, 20, "failed", 60),
    "heated by another cook": (None, None, 45, "unknown", 60),
    "no time to wait": (0, None, 20, "unknown", 0),
    "three seconds to wait": (3, None, 20, "unknown", 2),
    "twenty seconds to wait": (20, None, 20, "unknown", 20),
    "more time than needed": (300, None, 20, "failed", 60),
    "more time, heated by another cook": (300, None, 45, "unknown", 300),
})  # fmt: skip
async def test_lost_response_is_watched_for_the_given_time(
    wait: float | None, boils_at: int | None, now: int, ending: Ending, takes: float, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[LOST], boils_at=boils_at, now=now)
    room.writing.wait, began = wait, room.clock.now
    assert await boil_to_end(room) == ending
    assert room.clock.now - began == takes
    assert any(NEITHER in notice for notice in room.notices) == (now == 45)
    (entry,) = room.journal.entries()
    assert (entry.ending, entry.note == LOOKED) == (ending, ending == "saved")
    assert room.kitchen.requests.count("send kettle") == 1


async def test_what_is_gone_was_not_done(tmp_path: Path) -> None:
    (outcome,) = await room_of(tmp_path, faults=[LOST], is_gone=True).boil()
    assert (outcome.ending, outcome.reason) == ("failed", "it no longer exists")


async def test_lost_response_for_many_is_looked_up_at_once(tmp_path: Path) -> None:
    room = room_of(tmp_path)
    room.writing.adapter = kitchen = Together(room.journal, [LOST])
    began = room.clock.now
    outcomes = await room.boil(*map(make_kettle, ("one", "two", "three")))
    assert [outcome.ending for outcome in outcomes] == ["unknown"] * 3
    assert kitchen.requests.count("send all") == 1
    assert kitchen.requests.count("read") == 3 * len(LOOKS)
    assert room.clock.now - began <= 3 * LOOKS[-1]


async def test_failing_reads_are_retried_after_growing_pauses(office: Office) -> None:
    plan = await office.plan()
    office.ada.faults, office.ada.unreadable = ["lose the answer"], 4
    assert (await office.save(plan)).is_saved
    assert office.clock.slept == [0, 1, 1, 2, 4]


async def test_a_write_that_may_be_hidden_under_anothers_stays_unknown(office: Office) -> None:
    plan = await office.plan(set_field(812, "name", "New checkout", "Ada's words"))
    office.ada.faults, office.ada.unreadable = ["lose the answer"], 1
    office.clock.at(1, lambda: office.bob_writes(name="Bob's words"))
    outcome = await office.save(plan)
    assert outcome.ending == (await office.save_context.settle(outcome)).ending == "unknown"
    assert office.server.log[0] == ("ada@acme.test", 812, {"name": "Ada's words"})
    assert office.journal.entries()[0].is_open


@pytest.mark.parametrize(
    ("wait", "ending"), [(None, "awaiting approval"), (9, "awaiting approval"), (60, "saved")]
)
async def test_an_approval_is_waited_for_when_that_is_asked_for(
    wait: float | None, ending: str, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[ApprovalNeeded("409")], boils_at=5)
    room.writing.wait = wait
    assert await boil_to_end(room) == room.journal.entries()[0].ending == ending


@table("pause, wait, ending, takes", {
    "a short pause": (SLOW_DOWN, None, "saved", 3),
    "a long pause": (LONG_PAUSE, None, "refused", 0),
    "a pause longer than the wait": (LONG_PAUSE, 400, "refused", 0),
    "a pause within the wait": (LONG_PAUSE, 600, "saved", 500),
})  # fmt: skip
async def test_requested_pause_is_waited_for_within_its_limits(
    pause: ErrorFacts, wait: float | None, ending: Ending, takes: float, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[RateLimited("Slower.", facts=pause)])
    room.writing.wait, began = wait, room.clock.now
    (outcome,) = await room.boil()
    (entry,) = room.journal.entries()
    assert outcome.ending == entry.ending == ending
    assert room.kitchen.requests.count("send kettle") == (2 if takes else 1)
    assert room.clock.now - began == takes
    assert room.notices == [f"the server asks for a pause of {pause.retry_after} s"] * bool(takes)


@pytest.mark.parametrize(("compares", "pause"), [(False, SLOW_DOWN), (True, LONG_PAUSE)])
async def test_record_is_read_again_after_a_requested_pause(
    compares: bool, pause: ErrorFacts, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[RateLimited("Slower.", facts=pause)], compares=compares)
    room.writing.wait = 600
    room.clock.at(1, lambda: setattr(room.kitchen, "now", 45))
    (outcome,) = await room.boil(make_kettle("kettle", read_at=room.clock.time()))
    assert outcome.ending == room.journal.entries()[0].ending == "conflicted"
    assert room.kitchen.requests.count("send kettle") == 1


@pytest.mark.parametrize(("count", "wait", "sent"), [(1, None, 2), (2, None, 6), (2, 6, 3), (2, 5, 2)])
async def test_one_change_waits_once_and_one_of_many_five_times(
    count: int, wait: float | None, sent: int, tmp_path: Path
) -> None:
    room = room_of(tmp_path, faults=[RateLimited("Slower.", facts=SLOW_DOWN) for _ in range(9)])
    room.writing.wait = wait
    outcomes = await room.boil(*(make_kettle(f"k{number}") for number in range(count)))
    assert [outcome.ending for outcome in outcomes] == ["refused"]
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

        def is_done(request: httpx.Request) -> bool:
            return request.method == "PATCH" or "cohort" in request.url.path

        def refuse_the_rest(request: httpx.Request) -> httpx.Response | None:
            is_refused = len(acted) == 1
            acted.extend([request] if acted or is_done(request) else [])
            return httpx.Response(refusal, headers={"Retry-After": "1"}) if is_refused else None

        bench.wire.before = refuse_the_rest
        writing = bench.writing(StepAdapter(bench.client.experiments))
        outcome = await writing.save(approve(plan))
        assert outcome.ending == ending
        assert sum(is_done(request) for request in acted) == (2 if ending == "unknown" else 1)
        if outcome.ending == "unknown":
            assert outcome.reason.endswith(NEITHER)
            assert (await writing.settle(outcome)).ending == ending
