"""Copies of this process, and the queue from which each takes its share of files.

Imports no library: a copy starts before the command does.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final

CHUNK_FILES: Final = 64
"""Least number of files that a process takes at once."""
_CHUNKS: Final = 256
"""Most parts of a queue: each has a number of one byte."""


class FileQueue:
    """The files of a scan; each process takes the next ones when it is done with others."""

    def __init__(self) -> None:
        self._numbers, self._start = os.pipe()
        self._files: Sequence[str] = ()

    def fill(self, files: Sequence[str]) -> None:
        """Let processes take these files."""
        self.share(files)
        os.write(self._start, bytes(range(-(-len(files) // self._size))))
        self.end()

    def share(self, files: Sequence[str]) -> None:
        """Name the files that another process put into the queue."""
        self._files = files
        self._size = max(CHUNK_FILES, -(-len(files) // _CHUNKS))

    def end(self) -> None:
        """Let this process put nothing into the queue; it ends when no process can."""
        os.close(self._start)

    def __enter__(self) -> "FileQueue":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._numbers)

    def take(self, report: Callable[[int, int], None] | None = None) -> Iterator[str]:
        """Yield files until there are no more."""
        while number := os.read(self._numbers, 1):
            start = number[0] * self._size
            if report is not None:
                report(start, len(self._files))
            yield from self._files[start : start + self._size]


class WorkerProcess:
    """A copy of this process that sends the result of its work through a pipe."""

    def __init__(self, work: Callable[[BinaryIO], bytes]) -> None:
        end, start = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            code = 1
            try:
                os.close(end)
                with os.fdopen(start, "wb") as pipe:
                    pipe.write(work(pipe))
                code = 0
            finally:
                os._exit(code)
        os.close(start)
        self._pipe = os.fdopen(end, "rb")

    def read(self, size: int) -> bytes:
        """Return bytes that the work wrote before its result; fewer where the process ended."""
        return self._pipe.read(size)

    def result(self) -> bytes:
        """Return the result; a part of it where the process failed."""
        with self._pipe:
            return self._pipe.read()

    def wait(self) -> None:
        """Wait until the process ended."""
        os.waitpid(self.process, 0)
