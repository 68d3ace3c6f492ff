"""Restore the terminal at the end, also when the system ends the program.

Textual listens to neither SIGTERM nor SIGHUP: the shell would be left with mouse reports on and echo off.
POSIX only: elsewhere there are neither these signals nor terminal attributes.
"""

import asyncio
import os
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Final

from flagtui.app.terminal.first_frame import attributes_before

PATIENCE_SECONDS: Final = 2.0
"""How long the app may take to end on its own; a stalled terminal blocks it for ever."""
WATCHED_SECONDS: Final = 60.0
"""How long after ctrl+q the terminal may stop taking output: it comes behind keys that are obeyed first."""
STALLED_SECONDS: Final = 1.5
"""How long a terminal may take nothing before a program that has to leave stops waiting for it."""
WRITE_SECONDS: Final = 0.3
BETWEEN_TRIES: Final = 0.002
OUTPUT_THREAD: Final = "textual-output"
"""As Textual calls the thread that writes to the terminal."""

RESTORE: Final = (
    # End a frame under way, plain text, no mouse reports, no bracketed paste, line wrap, no size reports,
    # plain keys, main screen, cursor, no focus reports: whatever Textual may have turned on.
    "\x1b[?2026l\x1b[0m\x1b[r\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?2004l\x1b[?7h\x1b[?2048l"
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)


_watchdog: int | None = None
"""Process id of the watchdog, which restores the terminal of an app that it finds dead."""


def name_watchdog(process: int) -> None:
    """Remember the watchdog: it is ended before this process restores the terminal."""
    global _watchdog
    _watchdog = process


def kill_watchdog() -> None:
    """End the watchdog from any thread: it does not touch the terminal any more and leaves no zombie."""
    global _watchdog
    process, _watchdog = _watchdog, None
    if process is not None:
        with suppress(OSError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


class SignalWatch:
    """Ends the app on SIGTERM and SIGHUP with exit code 128 + signal, politely first and then without it."""

    def __init__(
        self, keep: Callable[[], None], leave: Callable[[int], None], before: list[Any] | None
    ) -> None:
        """`keep` stores unsaved edits at once: a loop that a stalled terminal blocks may never leave."""
        self._keep = keep
        self._leave = leave
        self._before = before
        self._loop = asyncio.get_running_loop()
        self._caught: int | None = None

    def start(self) -> None:
        """Begin to listen; only the main thread may. An ignored signal stays ignored."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._catch)

    def _catch(self, number: int, _frame: FrameType | None) -> None:
        if self._caught is not None:
            return
        self._caught = number
        end_at_last(128 + number, lambda: False, self._before)
        self._keep()
        self._loop.call_soon_threadsafe(self._leave, 128 + number)


def end_at_last(code: int, has_left: Callable[[], bool], before: list[Any] | None) -> None:
    """End the program although something keeps it: a terminal that takes nothing, a thread that goes on.

    Unsaved edits are stored before.
    """

    def end() -> None:
        threading.Event().wait(PATIENCE_SECONDS)
        if not has_left():
            restore_terminal(before)
        os._exit(code)

    threading.Thread(target=end, daemon=True, name="last-resort").start()


def end_if_stalled(
    loop: asyncio.AbstractEventLoop, is_stalled: Callable[[], bool], before: list[Any] | None
) -> None:
    """End a stopping program whose terminal accepts no output, as `is_stalled` reports.

    Unwritten output blocks the loop, which then receives no keys.
    """

    def end() -> None:
        until = time.monotonic() + WATCHED_SECONDS
        with suppress(RuntimeError):
            # The loop that has ended raises it.
            while time.monotonic() < until:
                has_come_round = threading.Event()
                loop.call_soon_threadsafe(has_come_round.set)
                if not has_come_round.wait(STALLED_SECONDS) and is_stalled():
                    restore_terminal(before)
                    os._exit(0)
                threading.Event().wait(WRITE_SECONDS)

    threading.Thread(target=end, daemon=True, name="stalled").start()


def has_shell() -> bool:
    """Return whether a shell can resume the program; the first process of a session would sleep for ever."""
    return os.getpgrp() != os.getsid(0)


def stop_until_continued() -> None:
    """Stop everything that was started with us, as ctrl+z does elsewhere.

    The terminal has to be given back before: as soon as one of us has stopped, the shell takes it.
    """
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.killpg(os.getpgrp(), signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)


def restore_terminal(before: list[Any] | None) -> None:
    """Restore the terminal, from any thread, even when it takes no output any more.

    What waits to be shown is dropped then. Only for a program that ends: its output has ended afterwards.
    """
    kill_watchdog()
    keys, screen = sys.__stdin__, sys.__stderr__
    if before is None or keys is None or screen is None:
        return
    with suppress(OSError, ValueError, termios.error):
        termios.tcsetattr(keys.fileno(), termios.TCSANOW, before)
        _write_at_once(screen.fileno(), RESTORE.encode())


def _write_at_once(terminal: int, data: bytes) -> None:
    """Write, dropping what waits to be shown; give up after `WRITE_SECONDS`."""
    until = time.monotonic() + WRITE_SECONDS
    # The thread that is ended has nothing to report.
    threading.excepthook = lambda _: None
    was_blocking = os.get_blocking(terminal)
    os.set_blocking(terminal, False)
    try:
        while data and time.monotonic() < until:
            _end_output()
            termios.tcflush(terminal, termios.TCOFLUSH)
            with suppress(BlockingIOError):
                data = data[os.write(terminal, data) :]
            threading.Event().wait(BETWEEN_TRIES)
    finally:
        # The shell has the same one.
        os.set_blocking(terminal, was_blocking)


def _end_output() -> None:
    """End the thread that is in the middle of a write, for which every other write to the terminal waits.

    A signal makes it look up, and then it may not wait any more.
    """
    for thread in threading.enumerate():
        if thread.name == OUTPUT_THREAD and thread.ident is not None:
            signal.pthread_kill(thread.ident, signal.SIGWINCH)


def terminal_attributes() -> list[Any] | None:
    """Return the terminal's attributes from before this program changed them; None without a terminal."""
    if (before := attributes_before()) is not None:
        return before
    with suppress(OSError, ValueError, termios.error):
        return termios.tcgetattr(sys.__stdin__.fileno()) if sys.__stdin__ else None
    return None
