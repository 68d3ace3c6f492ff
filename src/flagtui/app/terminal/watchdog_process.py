"""The watchdog's own process: it ends an app whose event loop does not answer.

C code that keeps the interpreter lock leaves the app's signal handlers and threads without a turn. This file
is run by its path, without `site` and without flagtui, so that it takes little time and memory.

It asks for a heartbeat only when something waits for the app: an unread key, or a signal that reached it.
An idle app therefore wakes neither process.

usage: watchdog_process.py APP_PID SILENCE_SECONDS ATTRIBUTES SEQUENCE, with the terminal as standard input
and output and the app's socket as standard error; SEQUENCE restores the screen, in hexadecimal
"""

import os
import select
import sys
import termios
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEYS, SCREEN, LINK = 0, 1, 2
"""Descriptors. What Python itself would complain about goes to the app, which drops it."""
QUESTION = b"?"
"""From here to the app: is the event loop running?"""
KEYS_LOST = b"!"
"""The same, after keys were read that the app will not get."""
HEARTBEAT = b"\x80"
"""The app's answer. The numbers of its signals come on the same socket, so no message may be below 65."""
QUIT_HEARD = b"\x81"
"""The app's input thread read ctrl+q."""
ENDING = {1: "SIGHUP", 15: "SIGTERM", QUIT_HEARD[0]: "ctrl+q"}
"""What ends an app that does not answer. POSIX fixes these numbers; the module `signal` is slow to load."""
SIGKILL = 9
SLICE = 0.25
"""Seconds between two looks. A machine that slept, or a pause of this process, counts as two at most."""
OWN_ENDING = 0.5
"""Seconds in which the app's own last resort may end it with its own exit code, before this one does."""
HEAD_START = 0.05
"""Seconds in which the app's input thread may read a key, before it is read here."""
REST = 0.25
"""Seconds after a heartbeat in which keys are not looked at, so that typing costs next to nothing."""
WRITE_SECONDS = 0.3
QUIT = b"\x11"
QUIT_KEY, CONTROL, LOCKS = b"113", 4, 64 | 128
"""ctrl+q as the kitty protocol writes it: `ESC [ 113 ; 1 + modifiers u`, of which the locks do not count."""
LONGEST_KEY = 32
"""Bytes of the beginning of a key that the next read may complete."""

CHECKED_LATER = "the terminal is restored. Changes in flight are checked at the next start."


class AppGone(Exception):
    """The app ended without ending its watchdog first."""


class Watch:
    """Waits until the app has to be ended."""

    def __init__(self, app: int, silence: float) -> None:
        self._app = app
        self._silence = silence
        self._is_asked = False
        self._reason = ""
        """What asked the app to end, and was not followed by a heartbeat."""
        self._waited = 0.0
        """Seconds since that reason came."""
        self._keys = b""
        """The end of the input read since the last heartbeat: it may be the beginning of ctrl+q."""

    def run(self) -> str:
        """Return what ends an app that does not answer: a signal's name, or ctrl+q. Raises AppGone."""
        while True:
            ready = select.select([LINK, KEYS], [], [], 0 if self._reason else None)[0]
            if LINK in ready:
                self._hear()
            if (self._reason or KEYS in ready) and (reason := self._await_heartbeat()):
                return reason
            if select.select([LINK], [], [], REST)[0]:
                self._hear()

    def _await_heartbeat(self) -> str:
        """Return an empty string after a heartbeat, or what ends the app after the silence."""
        self._ask(QUESTION)
        silent, before = 0.0, time.monotonic()
        while self._is_asked:
            is_deaf = silent >= self._silence and is_in_front()
            ready = select.select([LINK, KEYS] if is_deaf else [LINK], [], [], SLICE)[0]
            passed, before = min(time.monotonic() - before, 2 * SLICE), time.monotonic()
            if is_stopped(self._app):
                silent = self._waited = 0.0
                continue
            silent, self._waited = silent + passed, self._waited + passed
            if LINK in ready:
                self._hear()
            elif KEYS in ready and self._reads_quit():
                return "ctrl+q"
            if self._reason and self._waited >= self._silence + OWN_ENDING:
                return self._reason
        return ""

    def _ask(self, question: bytes) -> None:
        self._is_asked = True
        try:
            os.write(LINK, question)
        except OSError:
            raise AppGone from None

    def _hear(self) -> None:
        """Read the messages of the app: signals that reached it, ctrl+q, heartbeats."""
        try:
            numbers = os.read(LINK, 256)
        except OSError:
            numbers = b""
        if not numbers:
            raise AppGone
        for number in numbers:
            if number == HEARTBEAT[0]:
                self._is_asked, self._reason, self._keys = False, "", b""
            elif number in ENDING and not self._reason:
                self._reason, self._waited = ENDING[number], 0.0

    def _reads_quit(self) -> bool:
        """Read the input that the app's thread leaves unread; return whether it contains ctrl+q."""
        if select.select([LINK], [], [], HEAD_START)[0] or not select.select([KEYS], [], [], 0)[0]:
            return False
        try:
            keys = os.read(KEYS, 4_096)
        except OSError:
            keys = b""
        if not keys:
            # The terminal is gone: it would be ready again at once.
            time.sleep(SLICE)
            return False
        if not self._keys:
            # Once: a socket that is not read holds few messages.
            self._ask(KEYS_LOST)
        keys = self._keys + keys
        self._keys = keys[-LONGEST_KEY:]
        return holds_quit(keys)


def holds_quit(keys: bytes) -> bool:
    """Return whether ctrl+q is among these bytes, as a control character or in the kitty protocol."""
    if QUIT in keys:
        return True
    for part in keys.split(b"\x1b[")[1:]:
        parameters, end, _ = part.partition(b"u")
        fields = parameters.split(b";")
        if end and len(fields) >= 2 and fields[0].split(b":")[0] == QUIT_KEY:
            modifiers = fields[1].split(b":")[0]
            if modifiers.isdigit() and (int(modifiers) - 1) & ~LOCKS == CONTROL:
                return True
    return False


def is_in_front() -> bool:
    """Return whether keys of this terminal are for the app's process group, also where no shell is left."""
    try:
        return os.tcgetpgrp(KEYS) == os.getpgrp()
    except OSError:
        return True


def is_stopped(process: int) -> bool:
    """Return whether the process is stopped or traced; False where the system has no /proc."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b") ")[2][:1] in b"Tt"
    except OSError:
        return False


def read_attributes(written: str) -> "list[Any]":
    """Read terminal attributes as `write_attributes` wrote them."""
    *flags, characters = written.split(",")
    return [*map(int, flags), [bytes((code,)) for code in bytes.fromhex(characters)]]


def write_attributes(attributes: "list[Any]") -> str:
    """Write the seven values of tcgetattr(3) as one argument: six numbers, then characters in hexadecimal."""
    *flags, characters = attributes
    # In canonical mode VMIN and VTIME are numbers.
    codes = bytes(each if isinstance(each, int) else each[0] for each in characters)
    return ",".join([*map(str, flags), codes.hex()])


def restore(attributes: "list[Any]", data: bytes) -> None:
    """Restore the terminal and write the data, without waiting for a terminal that stalls."""
    until = time.monotonic() + WRITE_SECONDS
    was_blocking, is_ours = os.get_blocking(SCREEN), is_in_front()
    try:
        if is_ours:
            # What was typed was for the app, not for the shell. A shell in front has set its own attributes.
            termios.tcflush(KEYS, termios.TCIFLUSH)
            termios.tcsetattr(KEYS, termios.TCSANOW, attributes)
        os.set_blocking(SCREEN, False)
        while data and time.monotonic() < until:
            if is_ours:
                termios.tcflush(SCREEN, termios.TCOFLUSH)
            try:
                data = data[os.write(SCREEN, data) :]
            except BlockingIOError:
                time.sleep(0.01)
    except (OSError, termios.error):
        return
    finally:
        # The shell has the same one.
        os.set_blocking(SCREEN, was_blocking)


def main() -> None:
    """Watch until the app is gone; restore its terminal then."""
    app, silence, attributes = int(sys.argv[1]), float(sys.argv[2]), read_attributes(sys.argv[3])
    try:
        reason = Watch(app, silence).run()
        why = f"did not respond for {silence:g} s and was ended by {reason}"
    except AppGone:
        reason, why = "", "ended without leaving the screen"
    restore(attributes, bytes.fromhex(sys.argv[4]) + f"flagtui: {why}; {CHECKED_LATER}\n".encode())
    if reason and os.getppid() == app:
        os.kill(app, SIGKILL)


if __name__ == "__main__":
    main()
