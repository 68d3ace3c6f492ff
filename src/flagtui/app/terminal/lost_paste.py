"""Leaves out the rest of a paste whose beginning the watchdog has read: its letters would be commands."""

import time
from collections.abc import Callable
from typing import Final

PAUSE: Final = 0.5
"""Seconds without input after which new input is typed, not the rest of a paste."""


class LostPaste:
    """Drops input until a paste ends, or until there is a pause. Begun in one thread, asked in another."""

    def __init__(
        self, quit_key: bytes, end_paste: bytes, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._quit_key = quit_key
        self._end_paste = end_paste
        self._clock = clock
        self._until: float | None = None

    def begin(self) -> None:
        """Treat input from now on as the possible rest of a paste."""
        self._until = self._clock() + PAUSE

    def sift(self, data: bytes) -> bytes:
        """Return the input to handle: everything after the end of the paste or a pause, ctrl+q at any time.

        The rest begins with the end of a paste, since the parser may have seen its beginning.
        """
        if self._until is None:
            return data
        _, end, typed = data.partition(self._end_paste)
        if end:
            data = typed
        elif data.endswith(self._quit_key):
            data = self._quit_key
        elif self._clock() < self._until:
            self._until = self._clock() + PAUSE
            return b""
        self._until = None
        return self._end_paste + data
