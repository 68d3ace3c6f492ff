"""Responses to repeated requests."""

from tests.doubles.steady_clock import SteadyClock

from flagtui.service.responses import Response
from flagtui.service.sdk.response_cache import MOST, ResponseCache


def test_response_is_repeated_for_a_second_while_flags_are_unchanged() -> None:
    clock, flags = SteadyClock(), object()
    cache = ResponseCache(clock.monotonic)
    assert cache.find(flags, "a") is None
    kept = cache.keep("a", Response(b"1"), ())
    assert cache.find(flags, "a") is kept
    assert cache.find(flags, "b") is None
    clock.now += 1
    assert cache.find(flags, "a") is None


def test_changed_flags_forget_every_response() -> None:
    cache = ResponseCache(SteadyClock().monotonic)
    cache.find("before", "a")
    cache.keep("a", Response(b"1"), ())
    assert cache.find("after", "a") is None
    assert cache.find("before", "a") is None


def test_number_of_responses_is_limited() -> None:
    cache = ResponseCache(SteadyClock().monotonic)
    for number in range(MOST + 1):
        cache.find("flags", number)
        cache.keep(number, Response(b"1"), ())
    assert [cache.find("flags", number) is not None for number in (0, MOST)] == [False, True]
