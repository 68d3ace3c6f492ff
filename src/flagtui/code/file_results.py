"""Results of a scan by file; a process sends them to another, or stores them."""

import msgspec

from flagtui.code.file_content import SkipReason, Stamp
from flagtui.code.reference_records import FileReferences


class FileResults(msgspec.Struct):
    stamps: list[msgspec.Raw] = []
    """Encoded stamps by file: of each file whose result can be stored."""
    references: list[FileReferences] = []
    skipped: dict[str, SkipReason] = {}
    problems: list[str] = []
    """A line for each file that cannot be read."""
    files: int = 0
    """Files that were read to the end."""

    def add(self, other: "FileResults") -> None:
        self.stamps += other.stamps
        self.references += other.references
        self.skipped |= other.skipped
        self.problems += other.problems
        self.files += other.files

    def encode(self) -> bytes:
        """Return the bytes for another process."""
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> "FileResults | None":
        """Return the results from another process; None where it failed."""
        try:
            return msgspec.msgpack.decode(data, type=cls)
        except msgspec.DecodeError:
            return None


def encode_stamps(stamps: dict[str, Stamp]) -> msgspec.Raw:
    """Return the stamps as they are stored: no process reads those of another."""
    return msgspec.Raw(msgspec.msgpack.encode(stamps))
