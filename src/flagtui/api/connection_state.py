"""State of the connection, as the screens show it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, Unanswered, Unreachable

SLOW: Final = 3.0
"""Seconds from which an answer is late: a page of rows takes well under one on a phone's connection."""


@dataclass(eq=False)
class ConnectionState:
    """Changes with every answer; `watch` tells when."""

    clock: Clock
    last_answer: float | None = None
    """When the server last answered anything at all, Unix seconds."""
    seconds: float = 0.0
    """How long the last answer took that is not slow by nature."""
    server_time: float | None = None
    """The server's own clock in that answer."""
    error: ApiError | None = None
    """Why the last request failed; None after one that did not."""
    requests: int = 0
    """How many have been sent."""
    in_flight: int = 0
    wait_reason: str = ""
    _events: int = 0
    """Counts requests and answers, for what came before what."""
    _answered: int = 0
    """The last answer among them."""
    _unanswered: int = 0
    """Where the question was put first that was not answered."""
    _resume_at: float = 0.0
    _watchers: list[Callable[[], None]] = field(default_factory=list)

    @property
    def waiting(self) -> float:
        """Seconds until requests go on; 0 when none is held back."""
        return max(self._resume_at - self.clock.monotonic(), 0.0)

    @property
    def is_offline(self) -> bool:
        """True while nothing is answered: the last request found no server or was a change without an answer.

        Where another request was answered after that one began, the server is there. A long question
        without an answer says little: the server may be busy with just that.
        """
        error = self.error
        if self._answered > self._unanswered:
            return False
        return isinstance(error, Unreachable) or (isinstance(error, Unanswered) and error.facts.is_write)

    @property
    def is_slow(self) -> bool:
        """True while answers come late, or not in time."""
        return self.seconds >= SLOW or (isinstance(self.error, Unanswered) and not self.is_offline)

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Calls `tell` after every change; the result stops that."""
        self._watchers.append(tell)
        return lambda: self._watchers.remove(tell) if tell in self._watchers else None

    def hold(self, seconds: float, reason: str) -> None:
        """Requests wait this long."""
        self._resume_at = max(self._resume_at, self.clock.monotonic() + seconds)
        self.wait_reason = reason
        self._tell()

    @property
    def now(self) -> int:
        """A place among requests and answers, for `failed` to tell what was answered since."""
        return self._events

    def began(self) -> None:
        self.requests += 1
        self.in_flight += 1
        self._events += 1
        self._tell()

    def answered(self, server_time: float | None, seconds: float | None = None) -> None:
        """An answer came; `seconds` is how long that took where the question is not slow by nature."""
        self.last_answer = self.clock.time()
        self._events += 1
        self._answered = self._events
        self.seconds = self.seconds if seconds is None else seconds
        self.server_time = server_time
        self.error = None
        self._tell()

    def failed(self, error: ApiError, asked: int) -> None:
        """No answer came to a question that was put first at that place."""
        self.error = error
        self._unanswered = asked
        self._tell()

    def ended(self) -> None:
        self.in_flight -= 1

    def _tell(self) -> None:
        for tell in tuple(self._watchers):
            tell()
