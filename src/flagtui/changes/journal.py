"""The journal: every change of this user on disk before it is sent, in JSON lines that survive a crash.

Two programs may write at once. A line cut off by a crash stays where it is and is skipped.
"""

import contextlib
import errno
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

import msgspec

from flagtui import local_time
from flagtui.changes.journal_entries import (
    ApprovalRequest,
    Ending,
    Entry,
    apply_outcome,
    begun,
    opening,
    search_entries,
    with_directions,
)
from flagtui.models.json_value import JSON
from flagtui.private_folders import NO_LINK, make_private

if sys.platform != "win32":
    import fcntl

ROTATE_AT: Final = 8 * 1024 * 1024
"""Bytes after which a new file is begun."""
LOCK_PATIENCE: Final = 2.0
"""Seconds to wait for another program that is writing its line."""
NO_LOCKS: Final = "it needs Linux or macOS"
"""Why a file that programs lock cannot be written on Windows."""
DAY: Final = 86_400.0
"""Seconds a file may be older than the entries it is searched for: clocks are sometimes set back."""
RECOVERY_WINDOW: Final = 30 * DAY
"""Seconds after which it is not looked up any more how a change ended."""
IN_FLIGHT_FOR: Final = 90.0
"""Seconds a write of another running program may still be in flight."""


class JournalUnwritable(Exception):
    """The line is not safely on disk; the message gives the reason."""


class Stored(Protocol):
    """A record as the server has it."""

    @property
    def id(self) -> int | str: ...

    @property
    def version(self) -> int | None: ...


class Numbered(msgspec.Struct, frozen=True):
    """The journal's data of a record that has no versions."""

    id: int | str
    version: int | None = None


class Disk(msgspec.Struct, frozen=True):
    """The system calls of the journal; a test replaces them with a full disk."""

    write: Callable[[int, bytes], int] = os.write
    sync: Callable[[int], None] = os.fsync


class Journal(msgspec.Struct, frozen=True):
    """The journal in one folder."""

    folder: Path
    clock: Callable[[], float] = time.time
    disk: Disk = Disk()
    rotate_at: int = ROTATE_AT
    lock_patience: float = LOCK_PATIENCE

    @property
    def path(self) -> Path:
        """The file that grows."""
        return self.folder / "journal.jsonl"

    def begin(self, entry: Entry) -> None:
        """Append the entry and return once it is safe on disk. Raises `JournalUnwritable`."""
        self._append(opening(entry))

    def finish(
        self,
        id: str,
        ending: Ending,
        record: Stored | None = None,
        note: str = "",
        server_values: Mapping[str, JSON] | None = None,
        request: ApprovalRequest | None = None,
    ) -> None:
        """Store how it ended, and the record where it is known. A second call can settle more.

        `server_values` were chosen by the server; the undo needs them. `request` is what it waits for.
        """
        line = {"step": "outcome", "id": id, "at": local_time.stamp(self.clock()), "outcome": ending}
        number = None if record is None else record.id or None
        version = None if record is None else record.version
        stored: dict[str, JSON] = {"after": dict(server_values)} if server_values else {}
        if request is not None:
            stored |= {"request": request.id}
            stored |= {"is_earlier_request": True} if request.is_earlier else {}
        self._append({**line, "record": number, "version": version, "note": note, **stored})

    def entries(self, since: float = 0.0, text: str = "") -> list[Entry]:
        """Return all changes begun since then (Unix seconds), newest first; `text` filters by words."""
        entries: dict[str, Entry] = {}
        for line in self._lines(since):
            id = line.get("id")
            if line.get("step") == "begin" and (entry := begun(line)) is not None:
                entries.setdefault(entry.id, entry)
            elif line.get("step") == "outcome" and isinstance(id, str) and id in entries:
                entries[id] = apply_outcome(entries[id], line)
        kept = [entry for entry in with_directions(entries) if entry.at >= since]
        kept.sort(key=lambda entry: entry.at)
        return search_entries(reversed(kept), text)

    def unresolved(self) -> list[Entry]:
        """Return changes without a known outcome, except those another process is still waiting for."""
        now = self.clock()
        recent = self.entries(since=now - RECOVERY_WINDOW)
        return [entry for entry in recent if entry.is_open and not _is_in_flight(entry, now)]

    def torn_lines(self) -> int:
        """Count the lines that cannot be read: cut off by a crash, or damaged."""
        return sum(1 for raw in self._raw_lines() if _parse_line(raw) is None)

    def fault(self) -> str:
        """Return which file cannot be read, with the reason; empty when all can."""
        path = self.folder
        try:
            if not path.exists():
                return ""
            os.scandir(path).close()
            for path in self.files():
                # A pipe would never end.
                if not path.is_file():
                    return f"{path}: it is no file"
                path.open("rb").close()
        except OSError as fault:
            return f"{path}: {fault.strerror or 'it cannot be read'}"
        return ""

    def files(self) -> list[Path]:
        """Return every file of the journal, oldest first."""
        try:
            rotated = sorted(self.folder.glob("journal-*.jsonl"))
            return [*rotated, *([self.path] if self.path.exists() else [])]
        except OSError:
            return []

    def _lines(self, since: float) -> Iterator[dict[str, JSON]]:
        return (line for raw in self._raw_lines(since) if (line := _parse_line(raw)) is not None)

    def _raw_lines(self, since: float = 0.0) -> Iterator[bytes]:
        for path in self.files():
            # `fault` reports an unreadable file; a pipe would never end.
            with contextlib.suppress(OSError):
                if not path.is_file() or path.stat().st_mtime < since - DAY:
                    continue
                yield from (line for line in path.read_bytes().split(b"\n") if line)

    def _append(self, line: Mapping[str, JSON]) -> None:
        try:
            text = json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
            data = f"{text}\n".encode()
            with self._lock(len(data)) as descriptor:
                self._write(descriptor, data)
        except OSError as fault:
            reason = fault.strerror or "it cannot be written"
            raise JournalUnwritable(f"{self.path}: {reason}") from fault
        except (ValueError, RecursionError) as fault:
            raise JournalUnwritable("this change cannot be written down as JSON") from fault

    def _write(self, descriptor: int, data: bytes) -> None:
        start = os.fstat(descriptor).st_size
        if start and os.pread(descriptor, 1, start - 1) != b"\n":
            # A process crashed within a line: end that line before ours begins.
            data = b"\n" + data
        try:
            left = memoryview(data)
            while left:
                left = left[self.disk.write(descriptor, bytes(left)) :]
            self.disk.sync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, start)
            raise

    @contextlib.contextmanager
    def _lock(self, coming: int) -> Iterator[int]:
        make_private(self.folder)
        descriptor = self._open()
        try:
            while not self._is_current(descriptor, coming):
                os.close(descriptor)
                descriptor = self._open()
            yield descriptor
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        if sys.platform == "win32":
            raise OSError(errno.ENOTSUP, NO_LOCKS)
        is_new = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is no file")
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != 0o600:
                os.fchmod(descriptor, 0o600)
            if is_new:
                self._sync_folder()
            lock(descriptor, self.lock_patience)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _is_current(self, descriptor: int, coming: int) -> bool:
        """Return whether the locked file is still the current one; start a new one when it is full."""
        mine = os.fstat(descriptor)
        try:
            current = self.path.lstat()
        except FileNotFoundError:
            return False
        if (mine.st_dev, mine.st_ino) != (current.st_dev, current.st_ino):
            return False
        if mine.st_size == 0 or mine.st_size + coming <= self.rotate_at:
            return True
        self.path.rename(self.folder / f"journal-{time.time_ns():020d}.jsonl")
        self._sync_folder()
        return False

    def _sync_folder(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def lock(descriptor: int, patience: float) -> None:
    """Lock an open file for this program. Raises BlockingIOError after `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _parse_line(raw: bytes) -> dict[str, JSON] | None:
    line: JSON = None
    try:
        line = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # The quick decoder does not take everything, such as half a surrogate pair.
        with contextlib.suppress(ValueError, RecursionError):
            line = json.loads(raw)
    return line if isinstance(line, dict) else None


def _is_in_flight(entry: Entry, now: float) -> bool:
    if entry.ending or not 0 <= now - entry.at < IN_FLIGHT_FOR or entry.pid in (0, os.getpid()):
        return False
    try:
        os.kill(entry.pid, 0)
    except OSError as fault:
        return isinstance(fault, PermissionError)
    return True
