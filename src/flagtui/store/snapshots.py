"""Snapshots of lists on disk, so that a start or a lost connection shows rows with their age.

Rows carry no payloads, so none is ever stored. A snapshot is written beside the old one and renamed, so that
two programs at once or a crash leave either the old or the new one. Nothing here raises: an unreadable
snapshot is renamed, one of another user is not read, and for one that cannot be written the reason is
available.
"""

import os
import re
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic

import msgspec
from msgspec import Struct

from flagtui.models.rows import DiskRow
from flagtui.private_folders import is_foreign, make_private, place_sum
from flagtui.store.kinds import KINDS, Kind
from flagtui.store.snapshot_files import FOLDER as EARLIER
from flagtui.store.snapshot_files import HEAD_BYTES, MAGIC, find_earlier, keep_earlier, pack_words, words_end

_ARRAY_OF_THREE: Final = b"\x93"
_LONG_ARRAY: Final = b"\xdd"
"""In MessagePack, before the number of items in four bytes."""
_AT_ONCE: Final = 1_000
_SUFFIX: Final = ".rows"
_UNREADABLE: Final = ".unreadable"
_BEGUN: Final = ".new"
_NAME_LENGTH: Final = 80
_BEGUN_LENGTH: Final = 40
"""Characters at the start of a name of an unreadable or unfinished snapshot."""
_KEEP_SECONDS: Final = 30 * 86_400
_BEGUN_SECONDS: Final = 3_600
_SIZE_LIMIT: Final = 64 * 1024 * 1024
_FOLDER_LIMIT: Final = 256 * 1024 * 1024


class SnapshotPlace(Struct, frozen=True):
    """The origin of the rows."""

    profile: str
    host: str
    project: str
    kind: Kind
    """`flags`, `experiments` or `events`."""
    part: str = ""
    """The content of the rows; empty for the rows of the list."""

    @property
    def file_name(self) -> str:
        """Return a readable file name, different for similar places."""
        parts = (self.profile, self.host, self.project, *filter(None, (self.part,)), self.kind)
        return f"{_readable(*parts)}-{place_sum(*parts)}{_SUFFIX}"


class Snapshot(Struct, Generic[DiskRow], frozen=True):
    """Rows at a past moment."""

    place: SnapshotPlace
    rows: tuple[DiskRow, ...]
    taken_at: float
    """When the server sent them, Unix seconds."""


def _readable(*parts: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", "-".join(parts).lower()).strip("-.")[:_NAME_LENGTH]


class _Stored(msgspec.Struct, array_like=True):
    taken_at: float
    fields: tuple[str, ...]
    rows: msgspec.Raw


def snapshots_in(cache: Path | None) -> "Snapshots":
    """Return the snapshots in the folder of the cache; without one, none are kept."""
    return Snapshots(cache / "rows" if cache else None)


class Snapshots:
    """A folder of snapshots, one file for each place."""

    def __init__(
        self,
        folder: Path | None,
        *,
        clock: Callable[[], float] = time.time,
        size_limit: int = _SIZE_LIMIT,
        folder_limit: int = _FOLDER_LIMIT,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._size_limit = size_limit
        self._folder_limit = folder_limit
        self.off_reason = "" if folder else "there is no folder for them"
        """Why nothing is written any more; empty if there is no problem."""
        self._refusals: dict[SnapshotPlace, str] = {}

    def save(
        self,
        place: SnapshotPlace,
        rows: Sequence[DiskRow],
        row_type: type[DiskRow],
        *,
        taken_at: float | None = None,
    ) -> bool:
        """Write the rows as of `taken_at`, or now; return False when they cannot be stored.

        Unix seconds. `why_not_kept` has the reason: a disk error ends all writing; rows that no file can hold
        end nothing.
        """
        if self._folder is None or self.off_reason:
            return False
        now = self._clock()
        pieces = _encode(rows, row_type, now if taken_at is None else taken_at, place.kind)
        try:
            make_private(self._folder)
            path = self._folder / place.file_name
            if not _write(path, pieces, now, self._size_limit):
                self._refusals[place] = f"larger than {self._size_limit // 1024**2} MiB"
                return False
            keep_earlier(path, now if taken_at is None else taken_at)
            self._prune(self._folder, now)
        except OSError as error:
            self.off_reason = f"{error.strerror or error}: {self._folder}"
            return False
        except (OverflowError, ValueError, msgspec.MsgspecError) as error:
            self._refusals[place] = f"a value that no copy can hold ({type(error).__name__})"
            return False
        self._refusals.pop(place, None)
        return True

    def why_not_kept(self, place: SnapshotPlace) -> str:
        """Return why the rows were not written the last time; empty when they were, or there is no folder."""
        return (self.off_reason or self._refusals.get(place, "")) if self._folder else ""

    def load(self, place: SnapshotPlace, row_type: type[DiskRow]) -> Snapshot[DiskRow] | None:
        """Return the last snapshot; None without one that this version can read."""
        return self._read(self._folder / place.file_name, place, row_type) if self._folder else None

    def moments(self, place: SnapshotPlace) -> tuple[int, ...]:
        """Return the times of the stored snapshots, Unix seconds, oldest first."""
        return tuple(self._earlier(place))

    def load_before(
        self, place: SnapshotPlace, row_type: type[DiskRow], moment: float
    ) -> Snapshot[DiskRow] | None:
        """Return the list as of that moment: the last snapshot taken before it."""
        earlier = self._earlier(place)
        taken = [at for at in earlier if at <= moment]
        return self._read(earlier[taken[-1]], place, row_type) if taken else None

    def _earlier(self, place: SnapshotPlace) -> dict[int, Path]:
        if self._folder is None:
            return {}
        try:
            return find_earlier(self._folder / place.file_name)
        except OSError:
            return {}

    def _read(self, path: Path, place: SnapshotPlace, row_type: type[DiskRow]) -> Snapshot[DiskRow] | None:
        try:
            # A pipe at this path would block the start.
            if not path.is_file() or path.stat().st_size > self._size_limit:
                return None
            if any(map(is_foreign, (str(path), str(self._folder)))):
                return None
            body = path.read_bytes()
        except OSError:
            return None
        try:
            return Snapshot(place, *_decode(body, row_type))
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError):
            with suppress(OSError):
                path.replace(path.with_suffix(_UNREADABLE))
            return None

    def forget_all(self, profile: str, host: str) -> None:
        """Remove the snapshots of every project of a profile on this host, valid and broken ones."""
        if self._folder is None:
            return
        # With the separator of host and project; otherwise a host whose name begins with this one would
        # match.
        start = f"{_readable(profile, host)}-"[:_NAME_LENGTH]
        with suppress(OSError):
            for path, _found in list(_files(self._folder)):
                if path.name.startswith(start[:_BEGUN_LENGTH] if path.suffix == _BEGUN else start):
                    with suppress(OSError):
                        path.unlink()

    def _prune(self, folder: Path, now: float) -> None:
        """Remove old snapshots, then the oldest while there is too much."""
        room = self._folder_limit
        counted: set[int] = set()
        for path, status in sorted(_files(folder), key=lambda each: -each[1].st_mtime):
            limit = _BEGUN_SECONDS if path.suffix == _BEGUN else _KEEP_SECONDS
            room -= 0 if status.st_ino in counted else status.st_size
            counted.add(status.st_ino)
            if room < 0 or now - status.st_mtime > limit:
                with suppress(OSError):
                    path.unlink()


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in (*folder.iterdir(), *(folder / EARLIER).iterdir()):
        if path.suffix in (_SUFFIX, _UNREADABLE, _BEGUN):
            with suppress(OSError):
                yield path, path.stat()


def _write(path: Path, pieces: Iterable[bytes], now: float, limit: int) -> bool:
    """Replace the file atomically, unless it would be too large. The new one is private from the start."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem[:_BEGUN_LENGTH], suffix=_BEGUN)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes(HEAD_BYTES))
            checksum = 0
            for piece in pieces:
                checksum = zlib.crc32(piece, checksum)
                file.write(piece)
                if file.tell() > limit:
                    return False
            file.seek(0)
            file.write(MAGIC + checksum.to_bytes(HEAD_BYTES - len(MAGIC), "big"))
        os.utime(name, (now, now))
        Path(name).replace(path)
    finally:
        # Gone already after the rename.
        with suppress(OSError):
            Path(name).unlink()
    return True


def _encode(rows: Sequence[DiskRow], row_type: type[DiskRow], now: float, kind: Kind) -> Iterator[bytes]:
    """Yield words for completion, then the bytes of a `_Stored` in chunks, to save memory for long lists."""
    name = KINDS[kind].label
    tags = {tag for row in rows for tag in getattr(row, "tags", ())}
    yield pack_words((getattr(row, name) for row in rows), sorted(tags))
    encode = msgspec.msgpack.Encoder().encode
    yield _ARRAY_OF_THREE + encode(now) + encode(_stored_fields(row_type))
    yield _LONG_ARRAY + len(rows).to_bytes(4, "big")
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        yield b"".join(map(encode, some))


def _decode(stored: bytes, row_type: type[DiskRow]) -> tuple[tuple[DiskRow, ...], float]:
    """Return the rows and their time. Raises ValueError or msgspec.MsgspecError for other content."""
    body = memoryview(stored)[HEAD_BYTES:]
    checksum = int.from_bytes(stored[len(MAGIC) : HEAD_BYTES], "big")
    if not stored.startswith(MAGIC) or zlib.crc32(body) != checksum:
        raise ValueError("damaged")
    copy = msgspec.msgpack.decode(body[words_end(body) :], type=_Stored)
    if copy.fields != _stored_fields(row_type):
        raise ValueError("rows of another version")
    return msgspec.msgpack.decode(copy.rows, type=tuple[row_type, ...]), copy.taken_at  # type: ignore[valid-type]


def _stored_fields(row_type: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names of all values in a row, in order: rows are written without them."""
    inner = getattr(row_type, "INNER", ())
    return (*row_type.__struct_fields__, *(name for each in inner for name in _stored_fields(each)))
