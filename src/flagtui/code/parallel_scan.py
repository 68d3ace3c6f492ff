"""A scan in several processes."""

import atexit
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from flagtui.code.file_content import FileReader
from flagtui.code.file_results import FileResults
from flagtui.code.file_scanner import FileScanner
from flagtui.code.read_ahead import ReadAhead
from flagtui.code.scan_request import ScanRequest
from flagtui.code.worker_process import FileQueue, WorkerProcess


@contextmanager
def scan_files(
    root: Path, files: Sequence[str], request: ScanRequest, ahead: ReadAhead | None = None
) -> Iterator[list[FileResults]]:
    """Yield the results of files, from as many processes as pay; they end meanwhile."""
    rules = request.rules
    workers: list[WorkerProcess] = []
    if ahead is not None and ahead.reads(files):
        queue = ahead.queue
        workers.append(ahead.scan(rules))
    else:
        queue = FileQueue()
        queue.fill(files)
    scanner = FileScanner(rules)

    def scan(names: Iterable[str]) -> FileResults:
        reader = FileReader(os.fspath(root), request.settled if request.store else None)
        return scanner.scan(reader, reader.batches(names))

    # Elsewhere a copy of a process is unsafe, and a new one takes longer to start than it saves.
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    with queue:
        # The system has no process left, or no memory for one: those that there are take its share.
        with suppress(OSError):
            for _ in range(1 + len(workers), min(count, len(files) // request.files_per_process)):
                workers.append(WorkerProcess(lambda _pipe: scan(queue.take()).encode()))
        own = scan(queue.take(request.report))
        parts = [own, *(FileResults.decode(worker.result()) for worker in workers)]
    complete = [part for part in parts if part is not None]
    # A process ended early, such as for lack of memory, and with it the result of what it took.
    yield complete if len(complete) == len(parts) else [scan(files)]
    for worker in workers:
        # The system takes a while to free its memory; meanwhile this process reports what it got.
        atexit.register(worker.wait)
