"""Changes that wait for approval on a service: what becomes of them in the journal."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.changes.bench import HERE, Bench, working
from tests.changes.writing import Writing, approve
from tests.doubles.service_world import World
from tests.doubles.tables import table

from flagtui.changes.flags.flag_intent import set_rollout
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.journal_entries import Entry
from flagtui.changes.proposal import Outcome
from flagtui.changes.recovery import read_for_undo, recover_all
from flagtui.changes.unanswered import FLAG_ALONE, watch
from flagtui.changes.undo import next_undo, unsettled_change


@dataclass
class Waiting:
    """A flag whose switch waits for the vote of Grace."""

    bench: Bench
    grace: World
    flag: int

    async def send(self, share: int = 50, **writing: Any) -> tuple[Writing, Outcome]:
        """Send another rollout of the flag, which is kept for approval."""
        fresh = await self.bench.client.flags.get(self.flag)
        plan = await self.bench.plan_flag(set_rollout(fresh, 0, share))
        adapter = FlagAdapter(self.bench.client.flags)
        sender = Writing(adapter, self.bench.journal, HERE, self.bench.clock, **writing)
        return sender, await sender.save(approve(plan))

    async def decide(self, vote: str, by: World | None = None, **body: str) -> None:
        """Let Grace vote, or another member."""
        world = by or self.grace
        (request,) = (await world.get("/api/projects/1/change_requests/", state="pending"))["results"]
        await world.post(f"/api/projects/1/change_requests/{request['id']}/{vote}/", body)

    async def entries(self) -> list[Entry]:
        """What the journal has after a look at the server."""
        return await read_for_undo(self.bench.journal, self.bench.client, HERE)


@pytest.fixture
async def waiting(tmp_path: Path) -> AsyncIterator[Waiting]:
    async with working(tmp_path) as bench:
        flag, world = await bench.new_flag(), bench.world
        grace = world.add_user("grace@acme.test")
        world.add_policy("update", approvers={"users": [grace]})
        yield Waiting(bench, world.with_key("*", user=grace), flag)


Decide = Callable[[Waiting], Awaitable[None]]


async def expire(waiting: Waiting) -> None:
    waiting.bench.world.clock.pass_(days=15)


async def change_and_approve(waiting: Waiting) -> None:
    waiting.bench.world.write("UPDATE flags SET version = version + 1")
    await waiting.decide("approve")


async def approve_and_change(waiting: Waiting) -> None:
    await waiting.decide("approve")
    waiting.bench.world.write("UPDATE flags SET version = version + 3, filters = '{}'")


@table("decide, ending, note, version", {
    "none yet": (lambda waiting: waiting.bench.client.flags.get(waiting.flag), "awaiting approval",
                 "the change now waits", None),
    "rejected": (lambda waiting: waiting.decide("reject", reason="not now"), "refused",
                 "rejected by grace@acme.test: not now", None),
    "cancelled": (lambda waiting: waiting.decide("cancel", waiting.bench.world.with_key("*")), "refused",
                  "rejected by owner@localhost.test: Canceled by requester", None),
    "expired": (expire, "refused", "not approved before it expired", None),
    "failed": (change_and_approve, "refused",
               "approved, but the server could not apply it: Flag version mismatch: expected 1", None),
    "applied": (lambda waiting: waiting.decide("approve"), "saved", "waited for approval", 2),
    "applied, and changed since": (approve_and_change, "saved", "waited for approval", 2),
})  # fmt: skip
async def test_decision_on_a_request_is_the_outcome_in_the_journal(
    waiting: Waiting, decide: Decide, ending: str, note: str, version: int | None
) -> None:
    _, outcome = await waiting.send()
    assert outcome.ending == "awaiting approval"
    await decide(waiting)
    entries = await waiting.entries()
    assert (entries[0].ending, entries[0].saved_version) == (ending, version)
    assert entries[0].note.startswith(note)
    is_waiting = ending == "awaiting approval"
    assert bool(unsettled_change(entries, HERE, next_undo(entries, HERE))) is is_waiting


@table("vote, ending, note", {
    "rejected": ("reject", "refused", "the earlier request was rejected by grace@acme.test: no"),
    "applied": ("approve", "saved", "the earlier request was applied, and it was for other values"),
})  # fmt: skip
async def test_change_without_own_request_ends_with_the_earlier_one(
    waiting: Waiting, vote: str, ending: str, note: str
) -> None:
    for share in (50, 75):
        await waiting.send(share)
    await waiting.decide(vote, reason="no")
    later, earlier = await waiting.entries()
    assert (earlier.ending, later.ending) == (ending, "refused")
    assert later.note.startswith(note)


@pytest.mark.parametrize("is_watched", [False, True])
async def test_approval_of_a_flag_alone_is_not_its_step(waiting: Waiting, is_watched: bool) -> None:
    bench, requests = waiting.bench, waiting.bench.client.change_requests
    bench.world.write("UPDATE approval_policies SET enabled = 0")
    fresh = await bench.in_state("running")
    bench.world.write("UPDATE approval_policies SET enabled = 1")
    plan = bench.plan_step("ship", fresh, variant="test")
    adapter = bench.adapter_of(plan)
    writing = Writing(adapter, bench.journal, HERE, bench.clock, wait=600, requests=requests)
    outcome = await writing.save(approve(plan))
    assert outcome.ending == "awaiting approval"
    await waiting.decide("approve")
    assert (await bench.client.experiments.get(fresh.id)).state == "running"
    if is_watched:
        assert (await watch(outcome, adapter, writing.context)).reason == FLAG_ALONE
    entry = (await waiting.entries())[0]
    assert (entry.ending, entry.note) == ("refused", FLAG_ALONE)


async def test_next_start_reports_a_rejection(waiting: Waiting) -> None:
    await waiting.send()
    await waiting.decide("reject", reason="not now")
    (recovery,) = await recover_all(waiting.bench.journal, waiting.bench.client, HERE)
    assert recovery.words == "checkout: “set rollout” was not applied: rejected by grace@acme.test: not now"


async def test_key_that_may_not_read_requests_looks_at_the_record(waiting: Waiting) -> None:
    refused = httpx.Response(403, json={"detail": "API key missing required scope 'approvals:read'"})
    await waiting.send()
    waiting.bench.wire.before = lambda request: refused if "change_requests" in request.url.path else None
    assert [entry.ending for entry in await waiting.entries()] == ["awaiting approval"]
    await waiting.decide("approve")
    assert [entry.ending for entry in await waiting.entries()] == ["saved"]


@table("state, ending, reason", {
    "rejected": ("rejected", "refused", "rejected"),
    "open": ("pending", "awaiting approval", "the change now waits for approval in the browser"),
})  # fmt: skip
async def test_wait_for_an_approval_ends_with_a_rejection(
    waiting: Waiting, state: str, ending: str, reason: str
) -> None:
    writing, outcome = await waiting.send(wait=600, requests=waiting.bench.client.change_requests)
    clock, began = waiting.bench.clock, waiting.bench.clock.now

    def decide() -> None:
        waiting.bench.world.write("UPDATE change_requests SET state = ?", state)

    clock.at(20, decide)
    ended = await watch(outcome, writing.adapter, writing.context)
    assert (ended.ending, ended.reason) == (ending, reason)
    assert (clock.now - began < 30) is (ending == "refused")
    entry = waiting.bench.journal.entries()[0]
    assert (entry.ending, entry.note) == (ending, reason)
