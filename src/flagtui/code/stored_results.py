"""The results of an earlier scan by file: a file that did not change since is not read again.

They are keys, names and places. Nothing here raises: what cannot be stored or read is missing.
"""

import os
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.file_content import SkipReason, Stamp, stamp_of
from flagtui.code.file_results import FileResults, encode_stamps
from flagtui.code.folder_files import open_folder
from flagtui.code.reference_records import FileReferences
from flagtui.code.syntax import find_parser
from flagtui.private_folders import is_foreign, replace_private

_SIZE_LIMIT: Final = 64 * 1024 * 1024
_SUM_BYTES: Final = 4


class _Stored(msgspec.Struct, array_like=True):
    mark: bytes
    stamps: list[dict[str, Stamp]]
    """As the processes sent them. Files without one have other parts too, which are not used."""
    references: list[FileReferences]
    skipped: dict[str, SkipReason]


class ResultStore:
    """The results of one tree in one file."""

    def __init__(self, path: Path | None, mark: bytes) -> None:
        self._path = path
        self._mark = mark
        """Of everything that results depend on, apart from the files."""

    def load(self, root: Path, names: Sequence[str]) -> tuple[FileResults, Sequence[str]]:
        """Return the results of those files that are as they were, and the other files."""
        stored = self._read()
        if stored is None:
            return FileResults(), names
        earlier: dict[str, Stamp] = {}
        for part in stored.stamps:
            earlier |= part
        stamps = _unchanged_files(root, names, earlier)
        skipped = {name: reason for name, reason in stored.skipped.items() if name in stamps}
        references = [each for each in stored.references if each.path in stamps]
        others = [name for name in names if name not in stamps]
        # Without other files, they stay stored.
        encoded = [encode_stamps(stamps)] if others else []
        return FileResults(encoded, references, skipped, files=len(stamps) - len(skipped)), others

    def save(self, results: FileResults) -> None:
        """Replace the results; those of files without a stamp are missing then."""
        if self._path is None:
            return
        stored = (self._mark, results.stamps, results.references, results.skipped)
        with suppress(OSError, UnicodeEncodeError):
            data = msgspec.msgpack.encode(stored)
            replace_private(self._path, zlib.crc32(data).to_bytes(_SUM_BYTES, "big") + data)

    def _read(self) -> _Stored | None:
        try:
            if self._path is None or is_foreign(str(self._path)) or self._path.stat().st_size > _SIZE_LIMIT:
                return None
            content = self._path.read_bytes()
            data = memoryview(content)[_SUM_BYTES:]
            if zlib.crc32(data) != int.from_bytes(content[:_SUM_BYTES], "big"):
                return None
            stored = msgspec.msgpack.decode(data, type=_Stored)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return stored if stored.mark == self._mark else None


def _unchanged_files(root: Path, names: Iterable[str], stamps: dict[str, Stamp]) -> dict[str, Stamp]:
    """Return the files that are as they were."""
    same = {}
    with open_folder(os.fspath(root)) as (folder, above):
        for name in names:
            earlier = stamps.get(name)
            if earlier is None:
                continue
            try:
                facts = os.stat(above + name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            if stamp_of(facts) == earlier:
                same[name] = earlier
    return same


def mark_of(*parts: object) -> bytes:
    """Return these values, and which program and parser read files, as one value that is compared."""
    return repr((*parts, _program())).encode()


@cache
def _program() -> list[tuple[str, Stamp]]:
    """Return the stamps of the files that read source code."""
    parser = find_parser()
    files = [*Path(__file__).parent.glob("*.py"), *([Path(parser)] if parser else ())]
    return sorted((str(path), stamp_of(path.stat())) for path in files)
