"""When to ask again. Only reads are ever repeated; everything here is arithmetic."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

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
        return bounded_wait(asked)
    if isinstance(error, RateLimited):
        return min(2.0 ** (attempt - 1), WAIT_LIMIT) * (1 + chance)
    return chance * min(8.0, 0.5 * 2.0**attempt)


def bounded_wait(seconds: float) -> float:
    """A wait the server asked for: at least one second, at most two minutes."""
    return min(max(seconds, 1.0), WAIT_LIMIT)


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
