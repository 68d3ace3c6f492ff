"""A second process that reads source files while this one loads what knows the keys of flags.

It reads up to half of the files of a folder, and scans its share when it gets the keys.
It starts before what it does not need is loaded.
"""

import marshal
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from msgspec.structs import astuple

from flagtui.code.file_content import SETTLED, FileReader, keeps_results
from flagtui.code.git import GitListing
from flagtui.code.source_files import SourceTree, list_sources
from flagtui.code.worker_process import FileQueue, WorkerProcess

if TYPE_CHECKING:
    from flagtui.code.file_rules import FileRules

LEAST_FILES: Final = 2_000
"""Files below which one process is done before another has the keys."""
_BYTES_KEPT: Final = 64_000_000
"""Bytes of files that are kept at most until the keys are there."""
_SENT: Final = b"1"


class ReadAhead:
    """A process that lists and reads the files of a folder until it gets the keys."""

    def __init__(self, folder: str, listing: GitListing, settled: int | None = None) -> None:
        assert sys.platform == "linux"
        self.folder = folder
        listing.wait()
        self._listing = listing
        self.queue = FileQueue()
        self._settled = SETTLED if settled is None else settled
        self._files: list[str] = []
        # A pipe takes no list of ten thousand files or keys before it is read.
        self._shared = os.memfd_create("shared")
        self._requests, self._request = os.pipe()
        self.worker = WorkerProcess(self._work)
        self.queue.end()
        os.close(self._requests)

    def sources(self) -> SourceTree | None:
        """Return the files; None where the process failed."""
        if self.worker.read(len(_SENT)) != _SENT:
            return None
        root, names, skipped, problems = self._get()
        self._files = names.split("\0") if names else []
        self.queue.share(self._files)
        return SourceTree(Path(root), self._files, Counter(skipped), problems)

    def reads(self, files: Sequence[str]) -> bool:
        """Return whether these are the files that it reads."""
        return files is self._files and len(files) >= LEAST_FILES

    def scan(self, rules: "FileRules") -> WorkerProcess:
        """Let the process scan its share of the files."""
        self._put(astuple(rules))
        # The process has ended: its results are missing then.
        with suppress(BrokenPipeError):
            os.write(self._request, _SENT)
        return self.worker

    def stop(self) -> None:
        """Let the process end."""
        os.close(self._request)

    def _put(self, value: Any) -> None:
        with os.fdopen(self._shared, "wb", closefd=False) as file:
            file.seek(0)
            marshal.dump(value, file)

    def _get(self) -> Any:
        with os.fdopen(self._shared, "rb", closefd=False) as file:
            file.seek(0)
            return marshal.load(file)

    def _work(self, pipe: BinaryIO) -> bytes:
        os.close(self._request)
        _leave_terminal()
        folder = Path(self.folder)
        tree = list_sources([folder], folder, self._listing)
        root = os.fspath(tree.root)
        # One text, which takes less time to read than as many as there are files.
        self._put((root, "\0".join(tree.files), dict(tree.skipped), tree.problems))
        self.queue.fill(tree.files)
        pipe.write(_SENT)
        pipe.flush()
        return self._scan(root, len(tree.files)) if len(tree.files) >= LEAST_FILES else b""

    def _scan(self, root: str, files: int) -> bytes:
        reader = FileReader(root, self._settled if keeps_results() else None, _BYTES_KEPT)
        batches = reader.batches(self.queue.take())
        kept = []
        # Only this process can scan what it keeps: with more than half, it would end last.
        left = files // 2
        request = b""
        os.set_blocking(self._requests, False)
        for batch in batches:
            kept.append(batch)
            left -= len(batch.files)
            with suppress(BlockingIOError):
                request = os.read(self._requests, 1)
                break
            if not reader.keeps_batches or left <= 0:
                break
        os.set_blocking(self._requests, True)
        reader.keeps_batches = False
        # Loaded while the command loads the keys.
        from flagtui.code.file_rules import FileRules
        from flagtui.code.file_scanner import FileScanner

        if (request or os.read(self._requests, 1)) != _SENT:
            return b""
        scanner = FileScanner(FileRules(*self._get()))
        return scanner.scan(reader, chain(kept, batches)).encode()


def _leave_terminal() -> None:
    """Close what the command reads and writes, so that no reader of its output waits for this process."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
