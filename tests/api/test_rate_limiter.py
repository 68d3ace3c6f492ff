"""The rate limit of all requests, and their priority."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.servers import StillClock

from flagtui.api.clock import Urgency
from flagtui.api.connection_state import ConnectionState
from flagtui.api.rate_limiter import COMPUTED, Budget


def budget(clock: StillClock, *, is_limited: bool = True) -> Budget:
    return Budget(clock, ConnectionState(clock), is_limited)


@pytest.mark.parametrize(("cost", "in_a_minute", "in_an_hour"), [(1, 480, 4_800), (COMPUTED, 240, 1_200)])
async def test_no_minute_and_no_hour_goes_beyond_the_servers_limits(
    clock: StillClock, cost: int, in_a_minute: int, in_an_hour: int
) -> None:
    limit = budget(clock)
    sent: list[float] = []
    while clock.now < 1_700_000_000.0 + 2 * 3_600:
        await limit.take(Urgency.PERSON, cost)
        sent.append(clock.now)
    for seconds, most in ((60, in_a_minute), (3_600, in_an_hour)):
        first = 0
        for last, moment in enumerate(sent):
            while sent[first] <= moment - seconds:
                first += 1
            assert last - first + 1 < most


async def test_the_person_goes_before_what_nobody_waits_for() -> None:
    clock = StillClock()
    limit = budget(clock)
    for _ in range(300):
        await limit.take(Urgency.PERSON)
    order: list[str] = []

    async def ask(name: str, urgency: Urgency) -> None:
        await limit.take(urgency)
        order.append(name)

    await asyncio.gather(
        ask("refresh", Urgency.BACKGROUND), ask("page", Urgency.LOADING), ask("person", Urgency.PERSON)
    )
    assert order == ["person", "page", "refresh"]


async def test_refreshing_leaves_the_person_a_hundred_requests(clock: StillClock) -> None:
    limit = budget(clock)
    for _ in range(200):
        await limit.take(Urgency.BACKGROUND)
    assert clock.waits == []
    await limit.take(Urgency.BACKGROUND)
    assert clock.waits
    waited = len(clock.waits)
    for _ in range(100):
        await limit.take(Urgency.PERSON)
    assert len(clock.waits) == waited


async def test_requested_pause_holds_everything_and_is_visible(clock: StillClock) -> None:
    limit = budget(clock, is_limited=False)
    queued: list[tuple[int, str]] = []
    limit.link.watch(lambda: queued.append((limit.link.queued, limit.link.wait_reason)))
    limit.pause(6.0)
    assert limit.link.waiting == 6.0
    await limit.take(Urgency.PERSON)
    assert queued == [(held, "because the server asked for a pause") for held in (0, 1)]
    assert limit.link.queued == 0
    assert clock.waits == [6.0]
    assert limit.link.waiting == 0.0


async def test_a_request_given_up_while_waiting_leaves_the_queue(clock: StillClock) -> None:
    class Never(StillClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    never = Never()
    limit = budget(never)
    limit.pause(5.0)
    task = asyncio.ensure_future(limit.take(Urgency.PERSON))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert not limit._queue


@given(st.lists(st.sampled_from(list(Urgency)), max_size=400))
def test_a_server_on_this_machine_has_no_limit(urgencies: list[Urgency]) -> None:
    clock = StillClock()
    limit = budget(clock, is_limited=False)

    async def ask_all() -> None:
        for urgency in urgencies:
            await limit.take(urgency)

    asyncio.run(ask_all())
    assert clock.waits == []
