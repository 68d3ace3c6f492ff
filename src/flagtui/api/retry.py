"""When to ask again, and when to give a server a rest. Only reads are ever repeated."""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final

from flagtui.api.clock import Clock, Urgency
from flagtui.api.errors import (
    ApiError,
    NameNotFound,
    ProxyFailed,
    RateLimited,
    ServerFault,
    TlsFailed,
    Unanswered,
    Unreachable,
)

ATTEMPTS: Final = 3
WAIT_LIMIT: Final = 120.0
"""Seconds: no server makes us wait longer than this."""

GATEWAY_FAULTS: Final = frozenset({502, 503, 504})
_PASSING: Final = GATEWAY_FAULTS | {408}
_LASTING: Final = (NameNotFound, TlsFailed, ProxyFailed)
_SECONDS_IN_DETAIL: Final = re.compile(r"(\d{1,6}) second")


def pause_before_retry(error: ApiError, attempt: int, chance: float) -> float | None:
    """Seconds to wait before asking again, or None to give up.

    `attempt` counts from 1; `chance` is a random number from 0 to 1 that spreads clients out.
    """
    if error.facts.method != "GET" or attempt >= ATTEMPTS or not _may_pass(error):
        return None
    asked = error.facts.retry_after
    if asked is not None:
        return min(max(asked, 1.0), WAIT_LIMIT)
    if isinstance(error, RateLimited):
        return min(2.0 ** (attempt - 1), WAIT_LIMIT) * (1 + chance)
    return chance * min(8.0, 0.5 * 2.0**attempt)


def asked_wait(headers: Mapping[str, str], detail: str = "") -> float | None:
    """Seconds from `Retry-After` (a number, or a date against the answer's `Date`), else from the words."""
    stated = headers.get("retry-after", "").strip()
    if stated.isascii() and stated.isdigit() and len(stated) < 10:
        return float(stated)
    until, answered = date_of(stated), date_of(headers.get("date", ""))
    if until is not None and answered is not None:
        return max(until - answered, 0.0)
    found = _SECONDS_IN_DETAIL.search(detail)
    return float(found[1]) if found else None


def date_of(text: str) -> float | None:
    """An HTTP date as Unix seconds."""
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


REPEATS: Final = 10.0
"""Repeats that can be saved up; an answer earns a tenth, ten seconds earn one."""
FAILURES: Final = 5
WITHIN: Final = 30.0
"""So many failures in so many seconds, and nothing is asked for a while."""
REST: Final = 15.0
LONGEST_REST: Final = 30.0


@dataclass(eq=False)
class Patience:
    """Shared by all requests of a connection, so that a server in trouble gets fewer of them, not more."""

    clock: Clock
    _repeats: float = REPEATS
    _counted_at: float = 0.0
    _failures: deque[float] = field(default_factory=deque)
    _resting_until: float = 0.0
    _rest: float = REST

    def __post_init__(self) -> None:
        self._counted_at = self.clock.monotonic()

    def resting(self, urgency: Urgency) -> float:
        """Seconds left in which this need not be tried. What a person waits for is always tried."""
        if urgency is Urgency.PERSON:
            return 0.0
        return max(self._resting_until - self.clock.monotonic(), 0.0)

    def spend_repeat(self) -> bool:
        """Whether one more repeat is within bounds; if so, it is spent."""
        now = self.clock.monotonic()
        self._repeats = min(REPEATS, self._repeats + (now - self._counted_at) / 10)
        self._counted_at = now
        if self._repeats < 0.999:  # ten tenths are a little less than one
            return False
        self._repeats -= 1
        return True

    def answered(self) -> None:
        """The server said something, if only no."""
        self._repeats = min(REPEATS, self._repeats + 0.1)
        self._failures.clear()
        self._resting_until = 0.0
        self._rest = REST

    def failed(self) -> None:
        """No answer, or a gateway's excuse for none."""
        now = self.clock.monotonic()
        self._failures.append(now)
        while self._failures and self._failures[0] < now - WITHIN:
            self._failures.popleft()
        if len(self._failures) >= FAILURES and now >= self._resting_until:
            self._resting_until = now + self._rest
            self._rest = min(self._rest * 2, LONGEST_REST)
