"""Limits of requests: retries with backoff, the circuit breaker, and the rate limiter of a key.

Only reads are ever repeated.
"""

import re
from collections import deque
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from flagtui.api.clock import Clock, Urgency
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import (
    ApiError,
    NameNotFound,
    ProxyFailed,
    RateLimited,
    ServerFault,
    TlsFailed,
    Unanswered,
    Unreachable,
    may_pass,
)

ATTEMPTS: Final = 3
WAIT_LIMIT: Final = 120.0
"""Longest pause in seconds, requested by a server, that a read waits for and that holds requests back."""

GATEWAY_FAULTS: Final = frozenset({502, 503, 504})
_PASSING: Final = GATEWAY_FAULTS | {408}
_LASTING: Final = (NameNotFound, TlsFailed, ProxyFailed)
_SECONDS_IN_DETAIL: Final = re.compile(r"(\d{1,6}) second")


def pause_before_retry(error: ApiError, attempt: int, chance: float) -> float | None:
    """Return the seconds to wait before a retry, or None to give up.

    `attempt` counts from 1; `chance` is a random number from 0 to 1 that spreads clients out.
    """
    if error.facts.method != "GET" or attempt >= ATTEMPTS or not _may_pass(error):
        return None
    requested = error.facts.retry_after
    if requested is not None:
        return None if requested > WAIT_LIMIT else max(requested, 1.0)
    if isinstance(error, RateLimited):
        return min(2.0 ** (attempt - 1), WAIT_LIMIT) * (1 + chance)
    return chance * min(8.0, 0.5 * 2.0**attempt)


def read_retry_after(headers: Mapping[str, str], detail: str = "") -> float | None:
    """Return the seconds of `Retry-After` (a number, or a date relative to `Date`), or of the detail text."""
    stated = headers.get("retry-after", "").strip()
    if stated.isascii() and stated.isdigit() and len(stated) < 10:
        return float(stated)
    until, answered = date_of(stated), date_of(headers.get("date", ""))
    if until is not None and answered is not None:
        return max(until - answered, 0.0)
    match = _SECONDS_IN_DETAIL.search(detail)
    return float(match[1]) if match else None


def date_of(text: str) -> float | None:
    """Return an HTTP date as Unix seconds; None if it is malformed."""
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _may_pass(error: ApiError) -> bool:
    match error:
        case RateLimited():
            return True
        case ServerFault() | ApiError(status=408):
            return error.status in _PASSING
        case Unreachable():
            return not isinstance(error, _LASTING)
        case Unanswered():
            return True
        case _:
            return False


def is_outage(error: ApiError) -> bool:
    """Return whether the same read can succeed soon: no connection, 408, 5xx, or a time named for it."""
    if not may_pass(error):
        return False
    has_answer = error.status is not None
    is_passing = error.status == 408 or isinstance(error, ServerFault)
    return is_passing or not has_answer or error.facts.retry_after is not None


REPEATS: Final = 10.0
"""Retry budget: the most that can be saved up. A response earns a tenth, ten seconds earn one."""
FAILURES: Final = 5
WITHIN: Final = 30.0
"""Seconds in which that many failures open the circuit breaker."""
REST: Final = 5.0
LONGEST_REST: Final = 8.0
"""Seconds for which the breaker stays open: the read after it is the probe."""


class Patience(msgspec.Struct, eq=False):
    """The retry budget and circuit breaker of a connection: a server in trouble gets fewer requests."""

    clock: Clock
    _repeats: float = REPEATS
    _counted_at: float = 0.0
    _failures: deque[float] = msgspec.field(default_factory=deque)
    _resting_until: float = 0.0
    _rest: float = REST

    def resting(self, urgency: Urgency) -> float:
        """Return the seconds for which the breaker stays open; 0 for requests that a user waits for."""
        if urgency is Urgency.PERSON:
            return 0.0
        return max(self._resting_until - self.clock.monotonic(), 0.0)

    def spend_repeat(self) -> bool:
        """Spend one retry of the budget; return whether there was one."""
        now = self.clock.monotonic()
        self._repeats = min(REPEATS, self._repeats + (now - self._counted_at) / 10)
        self._counted_at = now
        if self._repeats < 0.999:  # Ten tenths are a little less than one.
            return False
        self._repeats -= 1
        return True

    def note_response(self) -> None:
        """Record a response of any status."""
        self._repeats = min(REPEATS, self._repeats + 0.1)
        self._failures.clear()
        self._resting_until = 0.0
        self._rest = REST

    def note_failure(self) -> None:
        """Record a missing response, or a gateway's error in place of one."""
        now = self.clock.monotonic()
        self._failures.append(now)
        while self._failures and self._failures[0] < now - WITHIN:
            self._failures.popleft()
        if len(self._failures) >= FAILURES and now >= self._resting_until:
            self._resting_until = now + self._rest
            self._rest = min(self._rest * 2, LONGEST_REST)


BURST: Final = 300.0
PER_SECOND: Final = 1.2
COMPUTED: Final = 4
"""Cost of a request whose response is computed from events or users."""
RESERVE: Final = 100.0
"""Tokens that background refreshes leave for the user."""
_PAUSE: Final = "because the server asked for a pause"
_LIMIT: Final = "to stay below the server's limit of requests"


class Budget(msgspec.Struct, eq=False):
    """The rate limiter: a token bucket below the server's limits; urgent requests go first.

    The product allows 480 requests a minute and 4,800 an hour for each key. A bucket of 300 that refills at
    1.2 a second stays under both: 372 in any minute, 4,620 in any hour. Requests computed from events are
    limited to 240 and 1,200, and so cost four.
    """

    clock: Clock
    link: ConnectionState
    is_limited: bool = True
    """False for servers on this machine, which have no limit."""
    _tokens: float = BURST
    _counted_at: float = 0.0
    _paused_until: float = 0.0
    _tickets: int = 0
    _queue: list[tuple[Urgency, int]] = []

    async def take(self, urgency: Urgency, cost: int = 1) -> None:
        """Wait until the request may be sent."""
        self._tickets += 1
        ticket = (urgency, self._tickets)
        self._queue.append(ticket)
        try:
            while True:
                # Read first: a pause that decides the delay is never shorter than it.
                pause = self.paused
                if (delay := self._delay(ticket, cost)) <= 0:
                    break
                await self._wait(delay, _PAUSE if pause >= delay else _LIMIT)
            self._tokens -= cost
        finally:
            self._queue.remove(ticket)

    async def _wait(self, delay: float, reason: str) -> None:
        self.link.queued += 1
        try:
            self.link.hold(delay, reason)
            await self.clock.sleep(delay)
        finally:
            self.link.queued -= 1

    @property
    def paused(self) -> float:
        """Return the seconds that are left of the pause that the server asked for."""
        return max(self._paused_until - self.clock.monotonic(), 0.0)

    def pause(self, seconds: float) -> None:
        """Hold all requests back for this many seconds, as the server asked."""
        self._paused_until = max(self._paused_until, self.clock.monotonic() + seconds)
        self.link.hold(seconds, _PAUSE)

    def _delay(self, ticket: tuple[Urgency, int], cost: int) -> float:
        now = self.clock.monotonic()
        pause = self._paused_until - now
        if not self.is_limited:
            return pause
        self._tokens = min(BURST, self._tokens + (now - self._counted_at) * PER_SECOND)
        self._counted_at = now
        ahead = sum(other < ticket for other in self._queue)
        needed = cost + ahead + (RESERVE if ticket[0] is Urgency.BACKGROUND else 0)
        short = needed - self._tokens
        # Less than a millionth is rounding; waiting for it might never end.
        return max(pause, short / PER_SECOND if short > 1e-6 else 0.0)
