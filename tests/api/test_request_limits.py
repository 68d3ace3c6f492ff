"""A server in trouble gets fewer requests: circuit breaker, rate limit, and retries of reads alone."""

import asyncio

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.servers import MakeClient, Recording, StillClock, always, serve_flags

from flagtui.api import errors
from flagtui.api.clock import Urgency
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, ErrorFacts
from flagtui.api.limits import (
    ATTEMPTS,
    COMPUTED,
    LONGEST_REST,
    REST,
    WAIT_LIMIT,
    Budget,
    Patience,
    is_outage,
    pause_before_retry,
)


def test_repeats_run_out_and_come_back_with_time_and_answers(clock: StillClock) -> None:
    patience = Patience(clock)
    assert [patience.spend_repeat() for _ in range(11)] == [True] * 10 + [False]
    clock.now += 10
    assert [patience.spend_repeat() for _ in range(2)] == [True, False]
    for _ in range(10):
        patience.note_response()
    assert [patience.spend_repeat() for _ in range(2)] == [True, False]


def test_five_failures_in_30_seconds_open_a_doubling_pause(clock: StillClock) -> None:
    patience = Patience(clock)
    for _ in range(4):
        patience.note_failure()
    clock.now += 31
    patience.note_failure()
    assert patience.resting(Urgency.LOADING) == 0
    for rest in (REST, LONGEST_REST, LONGEST_REST):
        for _ in range(4):
            patience.note_failure()
        patience.note_failure()
        assert patience.resting(Urgency.BACKGROUND) == rest
        assert patience.resting(Urgency.PERSON) == 0
        clock.now += rest
    patience.note_response()
    assert patience.resting(Urgency.BACKGROUND) == 0


async def test_unreachable_server_is_left_alone_until_a_user_asks(make_client: MakeClient) -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("gone")

    server = Recording(gone)
    flags = make_client(server).flags
    for _ in range(2):
        with pytest.raises(errors.Unreachable):
            await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)
    before = len(server.requests)
    with pytest.raises(errors.Unreachable, match="requests pause for"):
        await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)
    assert len(server.requests) == before
    server.answer = serve_flags(3)
    assert (await flags.page({"limit": 100})).total == 3
    assert (await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)).total == 3


async def test_a_refusal_is_an_answer_and_no_failure(make_client: MakeClient) -> None:
    client = make_client(always(400, {"detail": "Bad."}))
    for _ in range(9):
        with pytest.raises(errors.Invalid):
            await client.flags.page(urgency=Urgency.BACKGROUND)
    assert client.link.requests == 9


def error_of(kind: type[ApiError], **facts: object) -> ApiError:
    return kind(f"{kind.__name__} {facts}", facts=ErrorFacts(**facts))  # type: ignore[arg-type]  # names and values as data


@pytest.mark.parametrize(("error", "is_soon"), [
    (error_of(errors.NameNotFound), True),
    (error_of(errors.Refused), True),
    (error_of(errors.ServerFault, status=500), True),
    (error_of(errors.Invalid, status=400), False),
    (error_of(errors.RateLimited, status=429), False),
    (error_of(errors.RateLimited, status=429, retry_after=40.0), True),
    (error_of(errors.ApiError, status=408), True),
    (error_of(errors.NotSignedIn, status=401), False),
])  # fmt: skip
def test_lost_connections_and_server_faults_are_outages(error: errors.ApiError, is_soon: bool) -> None:
    assert is_outage(error) is is_soon


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


KINDS: list[type[ApiError]] = [
    errors.Unreachable, errors.NameNotFound, errors.Refused, errors.TlsFailed, errors.ConnectTimedOut,
    errors.Unanswered, errors.RateLimited, errors.ServerFault, errors.NotSignedIn, errors.Forbidden,
    errors.NotFound, errors.Invalid, errors.Conflict, errors.Unreadable, errors.TooLarge, errors.Redirected,
]  # fmt: skip


@given(
    kind=st.sampled_from(KINDS),
    status=st.none() | st.integers(300, 599),
    wait=st.none() | st.floats(0, 1e9),
    attempt=st.integers(1, 10),
    chance=st.floats(0, 1),
    method=st.sampled_from(["GET", "POST", "PATCH", "DELETE"]),
)
def test_pauses_are_bounded_and_only_for_reads(
    kind: type[ApiError], status: int | None, wait: float | None, attempt: int, chance: float, method: str
) -> None:
    error = error_of(kind, method=method, status=status, retry_after=wait)
    pause = pause_before_retry(error, attempt, chance)
    if method != "GET" or attempt >= ATTEMPTS:
        assert pause is None
    assert pause is None or 0 <= pause <= WAIT_LIMIT


NEVER = (None, None, None)


@pytest.mark.parametrize(("error", "pauses"), [
    *((error_of(errors.ServerFault, status=status), (0, 0.5, 1)) for status in (502, 503, 504)),
    (error_of(errors.Unanswered), (0, 0.5, 1)),
    (error_of(errors.RateLimited, status=429), (1, 1.5, 3)),
    (error_of(errors.RateLimited, status=429, retry_after=0.0), (1, 1, 1)),
    (error_of(errors.RateLimited, status=429, retry_after=21.0), (21, 21, 21)),
    (error_of(errors.RateLimited, status=429, retry_after=120.0), (120, 120, 120)),
    (error_of(errors.RateLimited, status=429, retry_after=121.0), NEVER),
    (error_of(errors.Unanswered, method="PATCH"), NEVER),
    (error_of(errors.ServerFault, status=500), NEVER),
    (error_of(errors.NameNotFound), NEVER),
    (error_of(errors.TlsFailed), NEVER),
    (error_of(errors.NotSignedIn, status=401), NEVER),
    (error_of(errors.Conflict, status=409), NEVER),
    (error_of(errors.Unreadable, status=200), NEVER),
], ids=lambda value: value.what if isinstance(value, ApiError) else "")  # fmt: skip
def test_pauses_before_retries_double_with_jitter(error: ApiError, pauses: object) -> None:
    """The pauses before the second attempt, by chance, and before the third; none for a lasting error."""
    assert tuple(pause_before_retry(error, *when) for when in ((1, 0.0), (1, 0.5), (2, 0.5))) == pauses
