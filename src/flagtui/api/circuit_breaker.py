"""How much failing we put up with: few repeats when many fail, and a rest when a server does not answer."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from flagtui.api.clock import Clock
from flagtui.api.urgency import Urgency

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
