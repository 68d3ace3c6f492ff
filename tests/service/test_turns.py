"""Turns are bounded, owners take them in rotation, and a write is answered by its outcome."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

import pytest

from flagtui.service.dispatch import await_commit
from flagtui.service.turns import NoTurn, Turns

LONG = 20.0


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


class Held:
    """Tasks that hold a turn until they are let go."""

    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.order: list[str] = []
        self.gates: list[asyncio.Event] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def start(self, *owners: str) -> None:
        self.tasks += [asyncio.create_task(self._hold(owner)) for owner in owners]
        await settle()

    async def _hold(self, owner: str) -> None:
        async with self.turns.hold(owner, LONG):
            self.order.append(owner)
            gate = asyncio.Event()
            self.gates.append(gate)
            await gate.wait()

    async def end_first(self) -> None:
        self.gates.pop(0).set()
        await settle()

    async def end_all(self) -> None:
        while self.gates:
            await self.end_first()
        await asyncio.gather(*self.tasks)


@pytest.mark.parametrize(("turns", "owners", "first", "order"), [
    pytest.param(Turns(4, 2), "aaab", "aab", "aaba", id="one owner holds at most its share"),
    pytest.param(Turns(2, 2), "abc", "ab", "abc", id="all owners hold at most the total"),
    pytest.param(Turns(1, 1), "aaaabbc", "a", "aabcaba", id="owners take turns in rotation"),
])  # fmt: skip
async def test_owners_hold_turns_in_rotation(turns: Turns, owners: str, first: str, order: str) -> None:
    held = Held(turns)
    await held.start(*owners)
    assert "".join(held.order) == first
    await held.end_all()
    assert "".join(held.order) == order


async def test_ended_waits_use_up_no_turn_of_their_owner() -> None:
    held = Held(Turns(1, 1))
    await held.start("first", "a", "a", "a", "b")
    for waiting in held.tasks[1:3]:
        waiting.cancel()
    await settle()
    del held.tasks[1:3]
    await held.end_all()
    assert held.order == ["first", "a", "b"]


async def test_a_wait_that_is_too_long_ends_without_a_turn() -> None:
    turns = Turns(1, 1)
    async with turns.hold("a", LONG):
        with pytest.raises(NoTurn):
            async with turns.hold("a", 0.001):
                pytest.fail("there was no turn")
    async with turns.hold("a", LONG):
        pass


@pytest.mark.parametrize("is_granted", [False, True])
async def test_a_cancelled_wait_loses_no_turn(is_granted: bool) -> None:
    turns = Turns(1, 1)
    held = Held(turns)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(turns.hold("a", LONG))
        await held.start("b")
        waiting = held.tasks.pop()
        if not is_granted:
            waiting.cancel()
    # Where it was granted, the turn and the cancellation arrive in the same step.
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert (waiting.cancelled(), held.order) == (True, [])
    async with turns.hold("c", 0.001):
        pass


async def test_begun_write_is_awaited_and_queued_write_is_cancelled() -> None:
    has_begun, gate = threading.Event(), threading.Event()

    def commit() -> str:
        has_begun.set()
        assert gate.wait(20)
        return "committed"

    with ThreadPoolExecutor(1) as writer:
        begun = asyncio.create_task(await_commit(writer.submit(commit)))
        queued = asyncio.create_task(await_commit(writer.submit(commit)))
        await asyncio.to_thread(has_begun.wait, 20)
        for _ in range(2):
            begun.cancel()
            queued.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await queued
        assert not begun.done()
        gate.set()
        assert await begun == "committed"


async def test_fault_of_a_write_is_raised() -> None:
    def fail() -> None:
        raise ValueError("refused")

    with ThreadPoolExecutor(1) as writer, pytest.raises(ValueError, match="refused"):
        await await_commit(writer.submit(fail))
