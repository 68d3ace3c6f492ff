"""The bytes of source files, several at a time, and why others are skipped."""

import errno
import os
import time
from collections.abc import Iterable, Iterator
from stat import S_ISREG
from struct import Struct
from struct import error as StructError
from typing import Final, Literal, NamedTuple

from flagtui.code.byte_search import SearchBuffer
from flagtui.code.folder_files import FLAGS, HAS_READV, open_folder, read_into

SIZE_LIMIT: Final = 2_000_000
"""Bytes; larger files are data."""
BATCH_BYTES: Final = 64_000
"""Bytes of files that are searched together: each search of one file takes longer to start than to run."""
_LINE_END: Final = ord("\n")
_BINARY_BYTES: Final = 8_000
"""Bytes at the start in which a NUL makes a file binary, as in git."""
_MINIFIED_BYTES: Final = 5_000
_PART_OF_LINES: Final = 8
"""The part of a file that has enough lines to be no minified one, in nearly all files."""
_LINE_BYTES: Final = 500
"""Bytes of an average line from which on a file is minified."""

SETTLED: Final = 2 * 10**9
"""Nanoseconds after which every file system gives a change another time. Git has the same rule."""
Stamp = bytes
"""Size, times of the last change of the content and of anything, and number: equal if a file is unchanged."""
_pack_stamp: Final = Struct("<qqqQ").pack
SkipReason = Literal["binary", "large", "links", "minified", "missing", "submodules", "unreadable"]


def keeps_results() -> bool:
    """Return whether another scan can use the results: a build (`CI`) has new files each time."""
    return not os.environ.get("CI")


def stamp_of(facts: os.stat_result) -> Stamp:
    parts = facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino
    try:
        return _pack_stamp(*parts)
    except StructError:
        # A time after the year 2262.
        return repr(parts).encode()


FilePlace = tuple[str, int, int]
"""Path, start and end of a file in a buffer."""


class FileBatch(NamedTuple):
    """Files one after the other in a buffer, which the next batch overwrites unless the reader keeps them.

    The bytes have no NUL, and one behind them. A line end behind each file keeps it apart from the next.
    """

    buffer: SearchBuffer
    start: int
    end: int
    files: list[FilePlace]

    def content(self, start: int, end: int) -> bytes:
        """Return the bytes between two positions."""
        return bytes(memoryview(self.buffer.bytes)[start:end])


class FileReader:
    """Reads files below one folder into the same buffer: making one for each takes longer than reading."""

    def __init__(self, root: str, settled: int | None = None, kept_bytes: int = 0) -> None:
        """Read below the root; keep stamps of files that changed `settled` nanoseconds ago, or none.

        Batches are kept until they have so many bytes, or until `keeps_batches` is set to false.
        """
        self.skipped: dict[str, SkipReason] = {}
        self.stamps: dict[str, Stamp] = {}
        """Of each file that has the same bytes while its stamp is the same.

        One that changed later could change once more without another time.
        """
        self.problems: list[str] = []
        """A line for each file that the system refuses to open."""
        self._root = root
        self._has_stamps = settled is not None
        self._settled_at = time.time_ns() - (settled or 0)
        self.keeps_batches = kept_bytes > 0
        self._kept_bytes = kept_bytes
        self._buffer = SearchBuffer(kept_bytes + BATCH_BYTES + SIZE_LIMIT + 2)
        self._view = memoryview(self._buffer.bytes)

    def batches(self, names: Iterable[str]) -> Iterator[FileBatch]:
        """Yield the files of source code in their order; count the others."""
        files: list[FilePlace] = []
        start = end = 0
        with open_folder(self._root) as (folder, above):
            for name in names:
                size = self._read(name, folder, above, end)
                if isinstance(size, int):
                    files.append((name, end, end + size))
                    end += size + 1
                    self._view[end - 1] = _LINE_END
                else:
                    self.skipped[name] = size
                if end >= start + BATCH_BYTES:
                    self.keeps_batches &= end < self._kept_bytes
                    yield self._batch(start, end, files)
                    start = end = end + 1 if self.keeps_batches else 0
                    files = []
        yield self._batch(start, end, files)

    def _batch(self, start: int, end: int, files: list[FilePlace]) -> FileBatch:
        self._view[end] = 0
        if self._buffer.has_nul(start, end):
            files = [file for file in files if self._is_text(*file)]
        return FileBatch(self._buffer, start, end, files)

    def _is_text(self, name: str, start: int, end: int) -> bool:
        """Return whether the file is no binary one; replace its NULs by spaces."""
        is_binary = self._is_binary(start, end)
        if is_binary:
            self.skipped[name] = "binary"
        self._view[start:end] = bytes(self._view[start:end]).replace(b"\0", b" ")
        return not is_binary

    def _read(self, name: str, folder: int | None, above: str, start: int) -> int | SkipReason:
        """Read the file to this place of the buffer; return the number of bytes, or why it is skipped."""
        try:
            handle = os.open(above + name, FLAGS, dir_fd=folder)
            try:
                # Before it is read: after a change meanwhile, the stamp is an earlier one.
                facts = os.fstat(handle) if self._has_stamps else None
                room = self._view[start : start + SIZE_LIMIT + 1]
                size = os.readv(handle, [room]) if HAS_READV else read_into(handle, room)
            finally:
                os.close(handle)
        except (FileNotFoundError, NotADirectoryError):
            # Deleted since git listed it, or not in a sparse checkout.
            return "missing"
        except IsADirectoryError:
            return "submodules"
        except OSError as error:
            if error.errno == errno.ELOOP:
                return "links"
            if os.path.isdir(f"{self._root}/{name}"):  # noqa: PTH112
                # Windows opens no submodule.
                return "submodules"
            self.problems.append(f"{name} cannot be read: {error.strerror}.")
            return "unreadable"
        if facts is not None and (size == facts.st_size or size > SIZE_LIMIT):
            # Not a file that the system makes up for its reader, nor a pipe.
            is_settled = facts.st_mtime_ns < self._settled_at > facts.st_ctime_ns
            if is_settled and (size or S_ISREG(facts.st_mode)):
                self.stamps[name] = stamp_of(facts)
        if size > SIZE_LIMIT:
            return "large"
        if size > _MINIFIED_BYTES and self._has_long_lines(start, size):
            return "binary" if self._is_binary(start, start + size) else "minified"
        return size

    def _is_binary(self, start: int, end: int) -> bool:
        return self._buffer.has_nul(start, min(end, start + _BINARY_BYTES))

    def _has_long_lines(self, start: int, size: int) -> bool:
        """Return whether the average line is long. Nearly always, few lines show that it is not."""
        parts = (start + size // _PART_OF_LINES, start + size)
        return all(bytes(self._view[start:end]).count(b"\n") * _LINE_BYTES < size for end in parts)
