"""A pseudo-terminal for hours of random hands: it remembers active modes and little else."""

import fcntl
import os
import select
import time
from collections.abc import Callable
from contextlib import suppress

from tests.doubles.terminal import MODES, Terminal
from tests.prove.hands import SIZES
from tests.prove.program import KEY


class Blind(Terminal):
    """A terminal nobody looks at: it is not drawn. Random hands start cold, to try what is imported late."""

    def __init__(self, command: list[str], environment: dict[str, str], *, is_cold: bool = False) -> None:
        self._on: set[str] = set()
        self.has_leaked = False
        super().__init__(command, size=SIZES[0], environment=environment, is_cold=is_cold)
        fcntl.fcntl(self._keyboard, fcntl.F_SETFL, os.O_NONBLOCK)

    def __enter__(self) -> "Blind":
        return self

    def drain(self, seconds: float) -> None:
        """Take what the program wrote, for so long."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if not select.select([self._keyboard], [], [], max(0.0, left))[0]:
                return
            try:
                self._take(os.read(self._keyboard, 65536))
            except OSError:
                # The program has ended, and the other end with it.
                time.sleep(0.01)
                if self.process.poll() is not None or left <= 0:
                    return
            if left <= 0 and len(self.sent) > 1 << 20:
                return

    def _read(self, seconds: float) -> None:
        self.drain(seconds)

    def _take(self, data: bytes) -> None:
        recent = bytes(self.sent[-64:]) + data
        for numbers, switch in MODES.findall(recent):
            for number in numbers.decode().split(";"):
                (self._on.add if switch == b"h" else self._on.discard)(number)
        self.has_leaked = self.has_leaked or KEY.encode() in recent
        self.sent += data
        del self.sent[:-65536]

    def type(self, keys: str, is_over: Callable[[], bool]) -> None:
        """Press them, as fast as the terminal takes them."""
        data = keys.encode()
        while data and self.process.poll() is None and not is_over():
            if select.select([], [self._keyboard], [], 0.01)[1]:
                with suppress(BlockingIOError):
                    data = data[os.write(self._keyboard, data) :]
            self.drain(0.0)

    def modes_on(self) -> set[str]:
        return self._on - {"25", "7"}
