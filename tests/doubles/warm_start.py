"""Programs forked from a Python that has imported them already, for tests of what comes after a start.

Most of a start is imports, the same ones every time. A fork has a terminal and an environment of its own,
ends as any Python does, and is adopted by the process that asked for it, which may wait for it.

usage, by `fork` alone: python -m tests.doubles.warm_start SOCKET
"""

import ctypes
import gc
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fcntl import ioctl
from functools import cache
from importlib import import_module
from pathlib import Path
from termios import TIOCSCTTY
from typing import Final

IMPORTED: Final = (
    "flagtui.app.app",
    "flagtui.api.http_library",
    "flagtui.cli.demo",
    "flagtui.cli.demo_service",
    "flagtui.service.application",
    "flagtui.service.sample_data",
)
"""And what the app loads in the background. `flagtui.cli.main` would hide the function of this name, and
`flagtui.cli.app_session` takes the class of the app, which doubles replace before."""
PACKET: Final = 1 << 17
ADOPTED: Final = b"adopted"
_ONCE: Final = ("LANG", "LC_", "PYTHONIOENCODING", "PYTHONUTF8", "TEXTUAL_", "TERM_PROGRAM", "FLAGTUI_HTTP")
"""Beginnings of variables that Python, or a module that is imported, reads only once."""
_ADOPT_ORPHANS: Final = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""


class Forked:
    """A program that was forked: as much of `subprocess.Popen` as a terminal needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end, so many seconds at most. Raises TimeoutExpired."""
        if timeout is not None:
            end = os.pidfd_open(self.pid)
            try:
                if not select.select([end], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("a forked program", timeout)
            finally:
                os.close(end)
        return self._wait(0)

    def _wait(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


@dataclass(frozen=True)
class _Server:
    connection: socket.socket
    environment: Mapping[str, str]
    process: "subprocess.Popen[bytes]"


def fork(command: Sequence[str], environment: Mapping[str, str], terminal: int) -> Forked | None:
    """Start a command of this Python on a terminal; None where a fork would differ from a start."""
    if sys.platform != "linux" or command[0] != sys.executable or command[1] == "-c":
        return None
    server = _server()
    if _read_once(environment) != _read_once(server.environment):
        return None
    told = json.dumps([command[1:], dict(environment), str(Path.cwd())]).encode()
    socket.send_fds(server.connection, [told], [terminal])
    pid = int(server.connection.recv(PACKET))
    assert server.connection.recv(PACKET) == ADOPTED
    return Forked(pid)


def _read_once(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_ONCE)}


@cache
def _server() -> _Server:
    """One for a process of tests; it ends with that."""
    from tests.doubles.terminal import usual_environment

    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)
    environment = {**usual_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", __name__, str(its.fileno())]
    with its:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, pass_fds=[its.fileno()], env=environment
        )
    return _Server(ours, environment, process)


def _import() -> None:
    for name in IMPORTED:
        import_module(name)
    preload = import_module("flagtui.app.shell.preload")
    for name in (*preload.SERVER, *preload.REST):
        import_module(name)
    gc.freeze()


def _serve(connection: socket.socket) -> list[str]:
    """Returns in every program that is forked, with its arguments."""
    while True:
        told, terminals, _flags, _address = socket.recv_fds(connection, PACKET, 1)
        if not told:
            raise SystemExit
        if child := os.fork():
            os.close(terminals[0])
            os.waitpid(child, 0)
            connection.send(ADOPTED)
            continue
        if pid := os.fork():
            # The other one is adopted when its parent ends.
            connection.send(str(pid).encode())
            os._exit(0)
        connection.close()
        arguments, environment, folder = json.loads(told)
        _move(terminals[0], environment, folder)
        return list(arguments)


def _move(terminal: int, environment: Mapping[str, str], folder: str) -> None:
    """From here on this process has its own terminal, environment and folder."""
    os.setsid()
    ioctl(terminal, TIOCSCTTY, 0)
    for stream in range(3):
        os.dup2(terminal, stream)
    os.close(terminal)
    # As Python makes them for a terminal. Those from before remember what they led to.
    sys.stdin = open(0, errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1, errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)


def _run(arguments: list[str]) -> None:
    """As `python ARGUMENTS` would."""
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).parent))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    _import()
    _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
