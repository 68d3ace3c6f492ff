"""An app whose keys hold the interpreter lock, so that no other Python code runs until they end.

`b` is hours of backtracking, `d` a minute of nothing, `s` lasts until the watchdog has read the next key.
`e` gives the terminal to another program for a second. `q` ends, and `w` does with 5.

With STUCK_GOES_ON in the environment lost keys end nothing; the title of the terminal is `lost` then.
"""

import ctypes
import os
import re
import subprocess
import sys
import termios
from typing import ClassVar

from textual.driver import Driver

from flagtui.app.terminal.quiet_driver import QuietDriver
from flagtui.app.terminal.terminal_app import TerminalApp

LIBRARY = ctypes.PyDLL(None)
"""Its functions are called with the interpreter lock."""
NEVER = 1_000.0
"""Seconds after which another thread may ask for the lock."""


class WatchedDriver(QuietDriver):
    WATCHED_AFTER: ClassVar = 0.0
    SILENCE: ClassVar = float(os.environ.get("STUCK_SILENCE", "2"))


class Stuck(TerminalApp[None]):
    def get_driver_class(self) -> type[Driver]:
        return WatchedDriver

    def report_lost_keys(self) -> None:
        if "STUCK_GOES_ON" not in os.environ:
            self.exit(return_code=7)
        elif self._driver is not None:
            self._driver.write("\x1b]0;lost\x07")
            self._driver.flush()

    def key_b(self) -> None:
        re.match("(a+)+$", "a" * 60 + "b")

    def key_d(self) -> None:
        LIBRARY.usleep(60_000_000)

    def key_s(self) -> None:
        sys.setswitchinterval(NEVER)
        for awaited in (True, False):
            while has_unread_keys() is not awaited:
                LIBRARY.usleep(10_000)
        sys.setswitchinterval(0.005)

    def key_e(self) -> None:
        with self.suspend():
            subprocess.run(["sleep", "1"], check=True)

    def key_w(self) -> None:
        if not self._exit:
            self.exit(return_code=5)

    def key_q(self) -> None:
        self.exit()


def has_unread_keys() -> bool:
    count = ctypes.c_int()
    LIBRARY.ioctl(0, ctypes.c_ulong(termios.FIONREAD), ctypes.byref(count))
    return count.value > 0


if __name__ == "__main__":
    app = Stuck()
    app.run()
    raise SystemExit(app.return_code)
