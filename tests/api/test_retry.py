"""A read that failed is tried again after a pause; a write never is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagtui.api import errors
from flagtui.api.errors import ApiError, ErrorFacts
from flagtui.api.retry import ATTEMPTS, WAIT_LIMIT, pause_before_retry

KINDS: list[type[ApiError]] = [
    errors.Unreachable, errors.NameNotFound, errors.Refused, errors.TlsFailed, errors.ConnectTimedOut,
    errors.Unanswered, errors.RateLimited, errors.ServerFault, errors.NotSignedIn, errors.Forbidden,
    errors.NotFound, errors.Invalid, errors.Conflict, errors.Unreadable, errors.TooLarge, errors.Redirected,
]  # fmt: skip


def error_of(kind: type[ApiError], **facts: object) -> ApiError:
    return kind("x", facts=ErrorFacts(**facts))  # type: ignore[arg-type]  # names and values as data


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


@pytest.mark.parametrize("status", [502, 503, 504])
def test_read_that_a_gateway_failed_is_tried_again_with_jitter(status: int) -> None:
    error = error_of(errors.ServerFault, status=status)
    assert [pause_before_retry(error, 1, chance) for chance in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
    assert pause_before_retry(error, 2, 1.0) == 2.0


def test_reads_are_retried_with_jitter_and_doubled_pauses() -> None:
    assert pause_before_retry(error_of(errors.Unanswered), 1, 0.5) == 0.5
    assert pause_before_retry(error_of(errors.Unanswered, method="PATCH"), 1, 0.5) is None
    error = error_of(errors.RateLimited, status=429)
    pauses = [pause_before_retry(error, attempt, chance) for attempt in (1, 2) for chance in (0.0, 0.5)]
    assert pauses == [1.0, 1.5, 2.0, 3.0]


@pytest.mark.parametrize(
    "error",
    [
        error_of(errors.ServerFault, status=500),
        error_of(errors.NameNotFound),
        error_of(errors.TlsFailed),
        error_of(errors.NotSignedIn, status=401),
        error_of(errors.Conflict, status=409),
        error_of(errors.Unreadable, status=200),
    ],
    ids=lambda error: type(error).__name__,
)
def test_lasting_errors_are_not_tried_again(error: ApiError) -> None:
    assert pause_before_retry(error, 1, 0.5) is None


@pytest.mark.parametrize(("pause", "waited"), [(0.0, 1.0), (21.0, 21.0), (86_400.0, 120.0)])
def test_server_sets_the_pause_from_one_second_to_two_minutes(pause: float, waited: float) -> None:
    assert pause_before_retry(error_of(errors.RateLimited, status=429, retry_after=pause), 1, 0.5) == waited
