"""A scan in several processes."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.file_scanner import FileScanner
from flagtui.code.scan_request import ScanRequest
from flagtui.code.stored_results import FileResults

CHUNK_FILES: Final = 64
"""Least number of files that a process takes at once."""


def scan_files(root: Path, files: Sequence[str], request: ScanRequest) -> list[FileResults]:
    """Return the results of files, from as many processes as pay."""
    scanner = FileScanner(root, request)
    # Elsewhere a copy of a process is unsafe, and a new one takes longer to start than it saves.
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    with _FileQueue(files) as queue:
        children = [
            _Child(scanner, queue) for _ in range(1, min(count, len(files) // request.files_per_process))
        ]
        parts = [scanner.scan(queue.take(request.report)), *(child.part() for child in children)]
    complete = [part for part in parts if part is not None]
    # A process ended early, such as for lack of memory, and with it the result of what it took.
    return complete if len(complete) == len(parts) else [scanner.scan(files)]


class _FileQueue:
    """The files of a scan; each process takes the next ones when it is done with others."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self._size = max(CHUNK_FILES, -(-len(files) // 256))
        self._numbers, start = os.pipe()
        os.write(start, bytes(range(-(-len(files) // self._size))))
        os.close(start)

    def __enter__(self) -> "_FileQueue":
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


class _Child:
    """A copy of this process that scans files and sends the result through a pipe."""

    def __init__(self, scanner: FileScanner, queue: _FileQueue) -> None:
        self._end, start = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._process = os.fork()
        if self._process == 0:
            code = 1
            try:
                os.close(self._end)
                with os.fdopen(start, "wb") as pipe:
                    pipe.write(msgspec.msgpack.encode(scanner.scan(queue.take())))
                code = 0
            finally:
                os._exit(code)
        os.close(start)

    def part(self) -> FileResults | None:
        """Return the result; None where the process failed."""
        with os.fdopen(self._end, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(self._process, 0)
        return msgspec.msgpack.decode(data, type=FileResults) if status == 0 else None
