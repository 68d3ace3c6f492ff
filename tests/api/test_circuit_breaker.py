"""A server in trouble gets fewer requests, not more."""

from dataclasses import replace

import httpx
import pytest
from tests.doubles.servers import MakeClient, StillClock, always, serve_flags

from flagtui.api import errors
from flagtui.api.clock import Urgency
from flagtui.api.errors import ErrorFacts
from flagtui.api.retry import LONGEST_REST, REST, Patience, is_outage


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
    requests = 0
    is_back = False
    serve = serve_flags(3)

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal requests
        requests += 1
        if not is_back:
            raise httpx.ConnectError("gone")
        response = serve(request)
        assert isinstance(response, httpx.Response)
        return response

    flags = make_client(answer).flags
    for _ in range(2):
        with pytest.raises(errors.Unreachable):
            await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)
    before = requests
    with pytest.raises(errors.Unreachable) as caught:
        await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)
    assert requests == before
    assert "requests pause for" in caught.value.what
    is_back = True
    assert (await flags.page({"limit": 100})).total == 3
    assert (await flags.page({"limit": 100}, urgency=Urgency.BACKGROUND)).total == 3


async def test_a_refusal_is_an_answer_and_no_failure(make_client: MakeClient) -> None:
    client = make_client(always(400, {"detail": "Bad."}))
    for _ in range(9):
        with pytest.raises(errors.Invalid):
            await client.flags.page(urgency=Urgency.BACKGROUND)
    assert client.link.requests == 9


REFUSED = ErrorFacts(status=400)


@pytest.mark.parametrize(
    ("error", "is_soon"),
    [
        (errors.NameNotFound("no such name"), True),
        (errors.Refused("nothing listens"), True),
        (errors.ServerFault("broken", facts=replace(REFUSED, status=500)), True),
        (errors.Invalid("bad", facts=REFUSED), False),
        (errors.RateLimited("slower", facts=replace(REFUSED, status=429)), False),
        (errors.RateLimited("slower", facts=replace(REFUSED, status=429, retry_after=40.0)), True),
        (errors.ApiError("timeout", facts=replace(REFUSED, status=408)), True),
        (errors.NotSignedIn("revoked", facts=replace(REFUSED, status=401)), False),
    ],
)
def test_lost_connections_and_server_faults_are_outages(error: errors.ApiError, is_soon: bool) -> None:
    assert is_outage(error) is is_soon
