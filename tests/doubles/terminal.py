"""A pseudo-terminal with a program in it: press keys, wait for what a person would see, look at the bytes.

Waiting is for something on the screen or for the end of the program, never for a time to pass.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyte
from tests.doubles.warm_start import fork

DEADLINE_SECONDS = 20.0
MODES = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
FOLDERS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")
"""Variables that name folders of a person."""
ENVIRONMENT = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}


class Terminal:
    """Use it as a context manager; leaving it ends the program, by its process id, if it still runs."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        environment: Mapping[str, str] | None = None,
        is_cold: bool = False,
    ) -> None:
        """Starts the program; a fork of what has imported it already, unless the test is about starting."""
        self.sent = bytearray()
        """Every byte the program wrote."""
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self._keyboard, self._line = pty.openpty()
        self._resize(*size)
        self.attributes_before = self.attributes()
        variables = {**usual_environment(), **(environment or {})}
        forked = None if is_cold else fork(command, variables, self._line)
        self.process = forked or self._start(command, variables)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()
        os.close(self._line)

    def hang_up(self) -> None:
        """Take the terminal away, as a lost connection does."""
        if self._keyboard >= 0:
            os.close(self._keyboard)
        self._keyboard = -1

    @property
    def lines(self) -> list[str]:
        """What a person sees."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def press(self, keys: str, *, until: str = "") -> None:
        """Send the characters in one packet; read until the screen matches a pattern, if one is given."""
        os.write(self._keyboard, keys.encode())
        if until:
            self.wait_for(until)

    def wait_for(self, pattern: str) -> None:
        """Read until the screen matches."""
        shown = f"{pattern!r} on the screen"
        self.wait_until(lambda: re.search(pattern, self.text) is not None, shown, is_of_output=True)

    def wait_for_bytes(self, content: bytes) -> None:
        """Read until the program has written these bytes."""
        self.wait_until(lambda: content in self.sent, repr(content), is_of_output=True)

    def wait_for_rest(self, seconds: float = 0.6) -> None:
        """Read until nothing more comes for so long: for pictures, which are of a screen at rest."""
        while select.select([self._keyboard], [], [], seconds)[0]:
            self._read(0.0)

    def wait_for_end(self) -> int:
        """Read until the program has ended and return its exit code, negative for a signal."""
        self.wait_until(lambda: self.process.poll() is not None, "the end of the program")
        self._read(0.0)
        assert self.process.returncode is not None
        return self.process.returncode

    def press_to_end(self, keys: str) -> int:
        """Send the characters and return the exit code that the program ends with."""
        self.press(keys)
        return self.wait_for_end()

    def wait_until_stopped(self) -> None:
        """Wait until the program has put itself to sleep, and read what it wrote until then."""
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        self._read(0.0)

    def resize(self, width: int, height: int) -> None:
        self._resize(width, height)
        self.screen.resize(height, width)
        os.kill(self.process.pid, signal.SIGWINCH)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this program alone."""
        os.kill(self.process.pid, number)

    def attributes(self) -> list[Any]:
        """Echo, line mode and the rest, as the terminal has them now."""
        return termios.tcgetattr(self._line)

    def modes_on(self) -> set[str]:
        """Private modes turned on and not off again; what a new terminal has on is not among them."""
        on: set[str] = set()
        for numbers, switch in MODES.findall(bytes(self.sent)):
            for number in numbers.decode().split(";"):
                (on.add if switch == b"h" else on.discard)(number)
        return on - {"25", "7"}

    def _start(self, command: Sequence[str], variables: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        line = self._line
        return subprocess.Popen(
            command,
            stdin=line,
            stdout=line,
            stderr=line,
            env=variables,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(line, termios.TIOCSCTTY, 0),
        )

    def wait_until(self, reached: Callable[[], bool], what: str, *, is_of_output: bool = False) -> None:
        """Read until something has happened; if it is of the output, look again only after more of that."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not reached():
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(
                    f"waited {DEADLINE_SECONDS:.0f} s for {what}; the screen shows:\n{self.text}"
                )
            self._read(left if is_of_output else min(left, 0.05))

    def _read(self, seconds: float) -> None:
        while select.select([self._keyboard] if self._keyboard >= 0 else [], [], [], seconds)[0]:
            try:
                data = os.read(self._keyboard, 65536)
            except OSError:
                return
            self.sent += data
            self._stream.feed(data)
            seconds = 0.0

    def _resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._line, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


def usual_environment() -> dict[str, str]:
    """The variables of every program, but for what a test gives it."""
    dropped = ("TEXTUAL", "FLAGTUI", "NO_COLOR", "COLUMNS", "LINES", "STY", "TMUX")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, **ENVIRONMENT}
