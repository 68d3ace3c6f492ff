"""What we know about the connection, for whoever shows it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from flagtui.api.clock import Clock
from flagtui.api.errors import ApiError, Unanswered, Unreachable

State = Literal["new", "online", "waiting", "offline"]


@dataclass(eq=False)
class Link:
    """Changes with every answer; `watch` tells when."""

    clock: Clock
    last_answer: float | None = None
    """When the server last answered anything at all, Unix seconds."""
    server_time: float | None = None
    """The server's own clock in that answer."""
    error: ApiError | None = None
    """Why the last request failed; None after one that did not."""
    requests: int = 0
    """How many have been sent."""
    in_flight: int = 0
    wait_reason: str = ""
    _resume_at: float = 0.0
    _watchers: list[Callable[[], None]] = field(default_factory=list)

    @property
    def waiting(self) -> float:
        """Seconds until requests go on; 0 when none is held back."""
        return max(self._resume_at - self.clock.monotonic(), 0.0)

    @property
    def is_offline(self) -> bool:
        """True while the last request found nobody, or was a change that got no answer.

        A long question without an answer says little: the server may be busy with just that.
        """
        error = self.error
        return isinstance(error, Unreachable) or (isinstance(error, Unanswered) and error.facts.is_write)

    @property
    def state(self) -> State:
        if self.waiting:
            return "waiting"
        if self.is_offline:
            return "offline"
        return "new" if self.last_answer is None else "online"

    def watch(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Calls `tell` after every change; the result stops that."""
        self._watchers.append(tell)
        return lambda: self._watchers.remove(tell) if tell in self._watchers else None

    def hold(self, seconds: float, reason: str) -> None:
        """Requests wait this long."""
        self._resume_at = max(self._resume_at, self.clock.monotonic() + seconds)
        self.wait_reason = reason
        self._tell()

    def began(self) -> None:
        self.requests += 1
        self.in_flight += 1
        self._tell()

    def answered(self, server_time: float | None) -> None:
        self.last_answer = self.clock.time()
        self.server_time = server_time
        self.error = None
        self._tell()

    def failed(self, error: ApiError) -> None:
        self.error = error
        self._tell()

    def ended(self) -> None:
        self.in_flight -= 1

    def _tell(self) -> None:
        for tell in tuple(self._watchers):
            tell()
