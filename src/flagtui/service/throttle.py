"""Counts requests of each key in a sliding minute."""

import math
import threading
from collections import deque
from datetime import datetime

from flagtui.service.errors import throttled

WINDOW = 60.0


class Throttle:
    """`limit` requests a minute for each key; None lets all through."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._seen: dict[str, deque[float]] = {}
        self._gate = threading.Lock()

    def count(self, key_id: str, now: datetime) -> None:
        """Raises 429 with the wait when the key has used up its minute; a refused request does not count."""
        if self._limit is None:
            return
        moment = now.timestamp()
        with self._gate:
            seen = self._seen.setdefault(key_id, deque())
            while seen and seen[0] <= moment - WINDOW:
                seen.popleft()
            if len(seen) >= self._limit:
                raise throttled(max(1, math.ceil(seen[0] + WINDOW - moment)))
            seen.append(moment)
