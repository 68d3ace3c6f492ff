"""The rate limiter of a key: a token bucket below the server's limits; urgent requests go first.

The product allows 480 requests a minute and 4,800 an hour for each key. A bucket of 300 that refills at 1.2 a
second stays under both: 372 in any minute, 4,620 in any hour. Requests computed from events are limited to
240 and 1,200, and so cost four.
"""

from dataclasses import dataclass, field
from typing import Final

from flagtui.api.clock import Clock, Urgency
from flagtui.api.connection_state import ConnectionState

BURST: Final = 300.0
PER_SECOND: Final = 1.2
COMPUTED: Final = 4
"""Cost of a request whose response is computed from events or users."""
RESERVE: Final = 100.0
"""Tokens that background refreshes leave for the user."""
_PAUSE: Final = "because the server asked for a pause"
_LIMIT: Final = "to stay below the server's limit of requests"


@dataclass(eq=False)
class Budget:
    """A token bucket that permits requests in order of urgency."""

    clock: Clock
    link: ConnectionState
    is_limited: bool = True
    """False for servers on this machine, which have no limit."""
    _tokens: float = BURST
    _counted_at: float = 0.0
    _paused_until: float = 0.0
    _tickets: int = 0
    _queue: list[tuple[Urgency, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._counted_at = self.clock.monotonic()

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
