"""State of the connection, as the screens show it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, Unanswered, Unreachable
from flagtui.watched import Watched

SLOW: Final = 3.0
"""Seconds from which a response is slow: a page of rows takes well under one on a phone's connection."""


@dataclass(eq=False)
class ConnectionState(Watched):
    """State of the connection; observers added by `watch` are called after each change."""

    clock: Clock
    last_answer: float | None = None
    """Time of the last response of any kind, Unix seconds."""
    seconds: float = 0.0
    """Duration of the last response to a request that is not slow by nature."""
    server_time: float | None = None
    """The server's own clock in that response."""
    error: ApiError | None = None
    """Why the last request failed; None after a success."""
    requests: int = 0
    """Number of requests sent."""
    queued: int = 0
    """Number of requests that wait until they may be sent."""
    wait_reason: str = ""
    retry: tuple[float, ApiError] | None = None
    """While observers hear of it: the seconds until a failed read is sent again, and its error."""
    failed_reads: int = 0
    """Number of reads that an outage prevented, after their retries; queries that compute are not counted."""
    failed_read: ApiError | None = None
    """The error of the last of them."""
    refusals: int = 0
    """Number of responses that did not accept the key."""
    events: int = 0
    """Counts requests and responses, to order them in time: `note_failure` compares later ones with it."""
    _answered: int = 0
    """Event number of the last response."""
    _unanswered: int = 0
    """Event number at which the first unanswered request began."""
    _resume_at: float = 0.0
    _retries: list[float] = field(default_factory=list)
    """When failed reads are sent again; 0 for soon."""

    @property
    def waiting(self) -> float:
        """Return the seconds until requests continue; 0 when they are not delayed."""
        return max(self._resume_at - self.clock.monotonic(), 0.0)

    @property
    def is_offline(self) -> bool:
        """Return whether the server is unreachable: the last request found none, or a write had no response.

        A response to another request that came after that one began means that the server is there. A slow
        request without a response means little: the server may be busy with just that.
        """
        error = self.error
        if self._answered > self._unanswered:
            return False
        return isinstance(error, Unreachable) or (isinstance(error, Unanswered) and error.facts.is_write)

    @property
    def is_slow(self) -> bool:
        """Return whether responses are late or time out."""
        return self.seconds >= SLOW or (isinstance(self.error, Unanswered) and not self.is_offline)

    def hold(self, seconds: float, reason: str) -> None:
        """Show that requests are held back for this many seconds."""
        self._resume_at = max(self._resume_at, self.clock.monotonic() + seconds)
        self.wait_reason = reason
        self.notify_watchers()

    @property
    def retrying(self) -> float:
        """Return the seconds until a failed read is sent again; 0 when none waits for long."""
        return max(0.0, max(self._retries, default=0.0) - self.clock.monotonic())

    @contextmanager
    def retry_in(self, seconds: float, error: ApiError) -> Iterator[None]:
        """Report that a failed read is sent again after this many seconds, for which the block waits."""
        at = self.clock.monotonic() + seconds if seconds >= SLOW else 0.0
        self._retries.append(at)
        self.retry = (seconds, error)
        self.notify_watchers()
        self.retry = None
        try:
            yield
        finally:
            self._retries.remove(at)

    def began(self) -> None:
        """Count a request as sent."""
        self.requests += 1
        self.events += 1
        self.notify_watchers()

    def note_response(self, server_time: float | None, seconds: float | None = None) -> None:
        """Record a response. `seconds` is its duration, None for requests that are slow by nature."""
        self.last_answer = self.clock.time()
        self.events += 1
        self._answered = self.events
        self.seconds = self.seconds if seconds is None else seconds
        self.server_time = server_time
        self.error = None
        self.notify_watchers()

    def note_failure(self, error: ApiError, event: int) -> None:
        """Record that the request that began at this event number got no response."""
        self.error = error
        self._unanswered = event
        self.notify_watchers()

    def key_refused(self) -> None:
        """Count a response that did not accept the key."""
        self.refusals += 1
        self.notify_watchers()

    def read_failed(self, error: ApiError) -> None:
        """Count a read that an outage prevented: it can succeed soon."""
        self.failed_reads += 1
        self.failed_read = error
        self.notify_watchers()
