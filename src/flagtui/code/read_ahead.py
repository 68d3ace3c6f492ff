"""A second process that reads source files while this one loads what knows the keys of flags.

It lists the files of a folder, reads as many as it may keep, and scans its share when it gets the keys.
"""

import marshal
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from flagtui.code.file_content import FileBatch, FileReader
from flagtui.code.repository_settings import RepositorySettings, list_sources
from flagtui.code.source_files import SourceTree
from flagtui.code.stored_results import FileResults, keeps_results
from flagtui.code.worker_process import FileQueue, WorkerProcess

if TYPE_CHECKING:
    from flagtui.code.scan_request import ScanRequest

LEAST_FILES: Final = 2_000
"""Files below which one process is done before another has the keys."""
_BYTES_KEPT: Final = 64_000_000
"""Bytes of files that are kept at most until the keys are there."""
_LISTED: Final = b"1"

_reader: "ReadAhead | None" = None
"""The process that this one started for its current folder."""


def start_reading() -> None:
    """Read the files of the current folder ahead, where it is in a repository and a processor is idle."""
    global _reader
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        return
    # The folder was deleted, or the system has no process left.
    with suppress(OSError):
        folder = Path.cwd()
        # Any other folder can have far more files than the command is asked about.
        if any((each / ".git").exists() for each in (folder, *folder.parents)):
            _reader = ReadAhead(folder)


def take_reader(folders: Sequence[Path]) -> "ReadAhead | None":
    """Return the process that reads these folders ahead; None where none does."""
    global _reader
    reader, _reader = _reader, None
    if reader is None or [*folders] == [reader.folder]:
        return reader
    reader.stop()
    return None


class ReadAhead:
    """A process that lists and reads the files of a folder until it gets a request."""

    def __init__(self, folder: Path, least_files: int = LEAST_FILES) -> None:
        assert sys.platform == "linux"
        self.folder = folder
        self.begun = time.time_ns()
        """Files are read as they are at this time, or later."""
        self.queue = FileQueue()
        self._least_files = least_files
        self._files: list[str] = []
        # A pipe takes no list of ten thousand files before it is read.
        self._listing = os.memfd_create("files")
        self._requests, self._request = os.pipe()
        self.worker = WorkerProcess(self._work)
        self.queue.end()
        os.close(self._requests)

    def sources(self) -> tuple[SourceTree, RepositorySettings] | None:
        """Return the files and the settings of their repository; None where the process failed."""
        if self.worker.read(len(_LISTED)) != _LISTED:
            return None
        with os.fdopen(self._listing, "rb") as file:
            file.seek(0)
            root, names, skipped, problems, settings = marshal.loads(file.read())
        self._files = names.split("\0") if names else []
        self.queue.share(self._files)
        return SourceTree(Path(root), self._files, Counter(skipped), problems), RepositorySettings(*settings)

    def reads(self, files: Sequence[str]) -> bool:
        """Return whether these are the files that it reads."""
        return files is self._files and len(files) >= self._least_files

    def scan(self, request: "ScanRequest") -> WorkerProcess:
        """Let the process scan its share of the files."""
        # The process ended where no one takes the keys: its results are missing then.
        with suppress(BrokenPipeError), os.fdopen(self._request, "wb") as pipe:
            marshal.dump((tuple(request.keys), tuple(request.languages)), pipe)
        return self.worker

    def stop(self) -> None:
        """Let the process end."""
        os.close(self._request)

    def _work(self, pipe: BinaryIO) -> FileResults:
        os.close(self._request)
        _leave_terminal()
        tree, settings = list_sources([self.folder], self.folder)
        with os.fdopen(self._listing, "wb", closefd=False) as file:
            # One text, which takes less time to read than as many as there are files.
            names = "\0".join(tree.files)
            root = os.fspath(tree.root)
            marshal.dump((root, names, dict(tree.skipped), tree.problems, astuple(settings)), file)
        self.queue.fill(tree.files)
        pipe.write(_LISTED)
        pipe.flush()
        return self._scan(tree, settings) if len(tree.files) >= self._least_files else FileResults()

    def _scan(self, tree: SourceTree, settings: RepositorySettings) -> FileResults:
        reader = FileReader(str(tree.root), has_stamps=keeps_results())
        batches = reader.batches(self.queue.take())
        kept: list[FileBatch] = []
        request = b""
        os.set_blocking(self._requests, False)
        size = 0
        for batch in batches:
            kept.append(batch.copy())
            size += batch.size
            with suppress(BlockingIOError):
                request = os.read(self._requests, 1)
                break
            if size > _BYTES_KEPT:
                break
        os.set_blocking(self._requests, True)
        with os.fdopen(self._requests, "rb") as pipe:
            request += pipe.read()
        if not request:
            return FileResults()
        # Loaded while the files are read.
        from flagtui.code.file_scanner import FileScanner
        from flagtui.code.scan_request import ScanRequest

        keys, languages = marshal.loads(request)
        scanner = FileScanner(tree.root, ScanRequest(keys, settings, languages))
        return scanner.scan_batches(reader, chain(kept, batches))


def _leave_terminal() -> None:
    """Close what the command reads and writes, so that no reader of its output waits for this process."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
