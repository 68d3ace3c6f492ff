"""Programs forked from a Python that has imported them, for tests of their later behaviour.

Most of a start is imports, the same ones every time. A fork has a terminal and an environment of its own,
ends as any Python does, and is adopted by the process that asked for it, which may wait for it.

usage, by `fork` alone: python -m tests.doubles.warm_start SOCKET
"""

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fcntl import ioctl
from functools import cache
from importlib import import_module
from pathlib import Path
from termios import TIOCSCTTY
from typing import Final

IMPORTED: Final = (
    *("flagtui.app.app", "flagtui.api.http_library", "flagtui.cli.commands.demo"),
    *("flagtui.cli.launch.demo_service", "flagtui.cli.commands.flags.flag_changes"),
    *("flagtui.cli.commands.flags.flag_views", "flagtui.cli.commands.serve"),
    *("flagtui.service.application", "flagtui.service.sample_data"),
)
"""And what the app loads in the background. `flagtui.cli.main` would hide the function of this name, and
`flagtui.cli.launch.app_session` takes the class of the app, which doubles replace before."""
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
        if timeout is not None and self.returncode is None:
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


def run(
    command: Sequence[str], environment: Mapping[str, str], *, stdin: str = "", folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end without a terminal, forked where that is as good as a start."""
    with ExitStack() as files:
        streams = [files.enter_context(tempfile.TemporaryFile("w+")) for _stream in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        stdin_file, stdout_file, stderr_file = (stream.fileno() for stream in streams)
        program = start(command, environment, stdin_file, stdout_file, stderr_file, folder)
        try:
            code = program.wait(60)
        except subprocess.TimeoutExpired:
            os.kill(program.pid, signal.SIGKILL)
            program.wait()
            raise
        for stream in streams:
            stream.seek(0)
        return subprocess.CompletedProcess(command, code or 0, *(stream.read() for stream in streams[1:]))


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
    folder: Path | None = None,
) -> "Forked | subprocess.Popen[bytes]":
    """Start a command on three streams, forked where that is as good as a start."""
    return fork(command, environment, stdin, stdout, stderr, folder=folder) or subprocess.Popen(
        command, env=environment, stdin=stdin, stdout=stdout, stderr=stderr, cwd=folder
    )


def fork(
    command: Sequence[str], environment: Mapping[str, str], *streams: int, folder: Path | None = None
) -> Forked | None:
    """Start a command of this Python on a terminal, or on three streams.

    Returns None where a fork would differ from a start.
    """
    if sys.platform != "linux" or command[0] != sys.executable or command[1] == "-c":
        return None
    server = _server()
    if _read_once(environment) != _read_once(server.environment):
        return None
    request = json.dumps([command[1:], dict(environment), str(folder or Path.cwd())]).encode()
    socket.send_fds(server.connection, [request], list(streams))
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
    atexit.register(_end, ours, process)
    return _Server(ours, environment, process)


def _end(connection: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    """End the server, which reads the closed connection; Python would report both as left open."""
    connection.close()
    process.wait()


def _import() -> None:
    for name in IMPORTED:
        import_module(name)
    preload = import_module("flagtui.app.shell.preload")
    for name in (*preload.SERVER, *preload.REST):
        import_module(name)
    # Loaded when it is first used, by what asks a server.
    import_module("flagtui.api.http_library").load_library("")
    gc.freeze()


def _serve(connection: socket.socket) -> list[str]:
    """Returns in every program that is forked, with its arguments."""
    while True:
        request, streams, _flags, _address = socket.recv_fds(connection, PACKET, 3)
        if not request:
            raise SystemExit
        if child := os.fork():
            for stream in streams:
                os.close(stream)
            os.waitpid(child, 0)
            connection.send(ADOPTED)
            continue
        if pid := os.fork():
            # The other one is adopted when its parent ends.
            connection.send(str(pid).encode())
            os._exit(0)
        connection.close()
        arguments, environment, folder = json.loads(request)
        _move(streams, environment, folder)
        return list(arguments)


def _move(streams: Sequence[int], environment: Mapping[str, str], folder: str) -> None:
    """From here on this process has its own terminal or streams, environment and folder."""
    os.setsid()
    is_terminal = len(streams) == 1
    if is_terminal:
        ioctl(streams[0], TIOCSCTTY, 0)
    for number, stream in enumerate([*streams] * (3 if is_terminal else 1)):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    # As Python makes them. Those from before remember what they led to.
    sys.stdin = open(0, errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1 if is_terminal else -1, errors="surrogateescape", closefd=False)  # noqa: SIM115
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
