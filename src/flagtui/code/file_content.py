"""The bytes of one source file, and the reason why a file is skipped."""

import errno
import os
from dataclasses import dataclass
from typing import Final, Literal

SIZE_LIMIT: Final = 2_000_000
"""Bytes; larger files are data."""
_BINARY_BYTES: Final = 8_000
"""Bytes at the start in which a NUL makes a file binary, as in git."""
_MINIFIED_BYTES: Final = 5_000
_LINE_BYTES: Final = 500
"""Bytes of an average line from which on a file is minified."""

_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
"""Links are not followed, so no loop is entered; a pipe does not wait for its writer."""

SkipReason = Literal["binary", "large", "links", "minified", "missing"]


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not searched."""

    reason: SkipReason


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that the system refuses to open."""

    problem: str


class FileReader:
    """Reads files below one folder into the same buffer: making one for each takes longer than reading."""

    def __init__(self, root: str) -> None:
        # Shorter paths: the system walks through the folders above once.
        self._folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self._buffer = bytearray(SIZE_LIMIT + 1)
        self._view = memoryview(self._buffer)

    def close(self) -> None:
        """Close the folder."""
        os.close(self._folder)

    def read(self, name: str) -> bytes | SkippedFile | UnreadableFile:
        """Return the bytes of the file, or why there are none."""
        try:
            handle = os.open(name, _FLAGS, dir_fd=self._folder)
            try:
                size = os.readv(handle, [self._buffer])
            finally:
                os.close(handle)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            # Deleted since git listed it, or a submodule.
            return SkippedFile("missing")
        except OSError as error:
            if error.errno == errno.ELOOP:
                return SkippedFile("links")
            return UnreadableFile(f"{name} cannot be read: {error.strerror}.")
        if size > SIZE_LIMIT:
            return SkippedFile("large")
        data = bytes(self._view[:size])
        if data.find(b"\0", 0, _BINARY_BYTES) >= 0:
            return SkippedFile("binary")
        if size > _MINIFIED_BYTES and data.count(b"\n") * _LINE_BYTES < size:
            return SkippedFile("minified")
        return data
