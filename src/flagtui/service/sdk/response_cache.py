"""Responses to repeated requests: pages and pollers send the same body again and again."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from flagtui.service.responses import Response

SECONDS: Final = 1.0
"""How long a response is repeated: conditions with relative dates are hardly ever older than that."""
MOST: Final = 256
"""Responses that are kept; the largest have all flags of a project."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response, and the counts to add each time it is sent."""

    response: Response
    counted: Any
    expires_at: float


class ResponseCache:
    """Keeps responses for as long as the flags are the same, for a second at most."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._flags: object = None
        self._responses: dict[Hashable, CachedResponse] = {}

    def find(self, flags: object, request: Hashable) -> CachedResponse | None:
        """Return the response to a request that was made with these flags."""
        if flags is not self._flags:
            self._flags = flags
            self._responses.clear()
        cached = self._responses.get(request)
        return cached if cached is not None and self._clock() < cached.expires_at else None

    def keep(self, request: Hashable, response: Response, counted: Any) -> CachedResponse:
        """Keep the response to a request; the flags are those of the last call of `find`."""
        if len(self._responses) >= MOST:
            self._responses.clear()
        cached = self._responses[request] = CachedResponse(response, counted, self._clock() + SECONDS)
        return cached
