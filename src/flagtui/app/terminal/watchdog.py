"""The app's side of its watchdog: start it, answer it, end it. Loaded a second after the first rows.

It lives while the app has the screen: never while an editor has it, and never while the app is stopped by
ctrl+z.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from flagtui.app.terminal import watchdog_process
from flagtui.app.terminal.signals import RESTORE, kill_watchdog, name_watchdog
from flagtui.app.terminal.watchdog_process import (
    HEARTBEAT,
    KEYS_LOST,
    LINK,
    QUIT_HEARD,
    SCREEN,
    write_attributes,
)

NO_WAKEUP: Final = -1
MOST_BYTES: Final = 256


class Watchdog:
    """A process that watches this one."""

    def __init__(self, silence: float, before: list[Any], lost_keys: Callable[[], None]) -> None:
        """Start the watchdog, in the main thread and within the event loop that it watches. Raises OSError.

        After `silence` seconds without a heartbeat it acts for the app. `before` are the terminal attributes
        that it restores; `lost_keys` is called when it has read keys.
        """
        self._loop = asyncio.get_running_loop()
        self._lost_keys = lost_keys
        self._link, its = socket.socketpair()
        self._link.setblocking(False)
        try:
            with its:
                name_watchdog(_spawn(its.fileno(), silence, before))
        except OSError:
            self._link.close()
            raise
        self._loop.add_reader(self._link, self._answer)
        # Written to by the C half of Python's signal handling, which does not need the interpreter lock.
        signal.set_wakeup_fd(self._link.fileno(), warn_on_full_buffer=False)

    def report_quit(self) -> None:
        """Report from any thread that ctrl+q was read."""
        self._send(QUIT_HEARD)

    def close(self) -> None:
        """End it: the terminal is about to be another program's."""
        if self._link.fileno() >= 0:
            signal.set_wakeup_fd(NO_WAKEUP)
            self._loop.remove_reader(self._link)
            # Before it can notice the end of the link, which to it is an app that was killed.
            kill_watchdog()
            self._link.close()

    def _send(self, message: bytes) -> None:
        """Send without waiting. A watchdog that is gone gets nothing."""
        with suppress(OSError):
            self._link.send(message)

    def _answer(self) -> None:
        questions = b""
        with suppress(OSError):
            questions = self._link.recv(MOST_BYTES)
        if not questions:
            self.close()
            return
        self._send(HEARTBEAT)
        if KEYS_LOST in questions:
            self._lost_keys()


def start_watchdog(silence: float, before: list[Any], lost_keys: Callable[[], None]) -> Watchdog | None:
    """Start a watchdog; None if that is not possible: the app then runs without."""
    # A frozen program is no interpreter: it would open the app a second time.
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        return Watchdog(silence, before, lost_keys)
    except OSError:
        return None


def _spawn(link: int, silence: float, before: list[Any]) -> int:
    """Start the process with every signal blocked: those of the terminal are for the app."""
    given = (str(os.getpid()), str(silence), write_attributes(before), RESTORE.encode().hex())
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", watchdog_process.__file__, *given],
        # Nothing that is started may inherit a key.
        {name: value for name, value in os.environ.items() if not name.startswith("FLAGTUI")},
        file_actions=[(os.POSIX_SPAWN_DUP2, 2, SCREEN), (os.POSIX_SPAWN_DUP2, link, LINK)],
        setsigmask=signal.valid_signals(),
    )
