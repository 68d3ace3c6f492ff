"""A scan in several processes."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from flagtui.code.file_scanner import FileScanner
from flagtui.code.read_ahead import ReadAhead
from flagtui.code.scan_request import ScanRequest
from flagtui.code.stored_results import FileResults
from flagtui.code.worker_process import FileQueue, WorkerProcess


def scan_files(
    root: Path, files: Sequence[str], request: ScanRequest, ahead: ReadAhead | None = None
) -> list[FileResults]:
    """Return the results of files, from as many processes as pay."""
    workers: list[WorkerProcess] = []
    if ahead is not None and ahead.reads(files):
        queue = ahead.queue
        workers.append(ahead.scan(request))
    else:
        queue = FileQueue()
        queue.fill(files)
    scanner = FileScanner(root, request)
    # Elsewhere a copy of a process is unsafe, and a new one takes longer to start than it saves.
    count = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    with queue:
        for _ in range(1 + len(workers), min(count, len(files) // request.files_per_process)):
            workers.append(WorkerProcess(lambda _pipe: scanner.scan(queue.take())))
        parts = [scanner.scan(queue.take(request.report)), *(worker.results() for worker in workers)]
    complete = [part for part in parts if part is not None]
    # A process ended early, such as for lack of memory, and with it the result of what it took.
    return complete if len(complete) == len(parts) else [scanner.scan(files)]
