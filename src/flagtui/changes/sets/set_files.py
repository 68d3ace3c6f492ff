"""Change sets on disk: private files written atomically, and a lock that names its holder."""

import contextlib
import errno
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from flagtui.changes.journal import NO_LOCKS, lock
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, as_text, read_text
from flagtui.config.files import replace_file
from flagtui.private_folders import NO_LINK, make_private, may_exist

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a file that are read; a set of 1,000 flags of the largest size is smaller."""
LOCK_PATIENCE: Final = 1.0
"""Seconds to wait for another program, which holds a set for one command or while its app is staging."""


class SetFile(msgspec.Struct, frozen=True):
    """One change set in a file."""

    path: Path

    @property
    def exists(self) -> bool:
        """Whether there is a set, or may be one: reading it reports a folder without access."""
        return may_exist(self.path)

    def read(self) -> ChangeSet:
        """Return the set. Raises ChangeSetError."""
        try:
            with self.path.open("rb") as file:
                text = file.read(LARGEST + 1)
        except FileNotFoundError:
            raise ChangeSetError("missing", f"there is no file {self.path}") from None
        except OSError as fault:
            raise _unreadable(f"{self.path} cannot be read", fault) from None
        if len(text) > LARGEST:
            what = f"{self.path} has more than {LARGEST // 1024 // 1024} MiB, so it is no change set"
            raise ChangeSetError("malformed", what)
        return read_text(text, str(self.path))

    def write(self, change_set: ChangeSet) -> None:
        """Replace the file, readable by its owner only, or keep the previous one. Raises ChangeSetError."""
        try:
            replace_file(self.path, as_text(change_set))
        except OSError as fault:
            raise _unreadable(f"{self.path} cannot be written", fault) from None

    def create(self, change_set: ChangeSet) -> None:
        """Write a new file. Raises ChangeSetError, also when the file exists."""
        if os.path.lexists(self.path):
            what = f"{self.path} exists, and is not overwritten"
            raise ChangeSetError("unreadable", what, "Remove it, or choose another name.")
        self.write(change_set)

    def remove(self) -> None:
        """Remove the file. Raises ChangeSetError."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as fault:
            raise _unreadable(f"{self.path} cannot be removed", fault) from None


def staged_file(folder: Path, host: str, project: str) -> SetFile:
    """Return the file of the staged set of this host and project, in the folder of the sets."""
    return SetFile(folder / f"staged-{_slug(host, project)}.json")


@contextlib.contextmanager
def hold(folder: Path, name: str, holder: str, patience: float = LOCK_PATIENCE) -> Iterator[None]:
    """Keep other programs from a set until the block ends; `holder` names this program to them.

    Raises:
        ChangeSetError: another program holds it, or the folder cannot be written.
    """
    path = folder / f"{name}.lock"
    try:
        make_private(folder)
        if sys.platform == "win32":
            raise OSError(errno.ENOTSUP, NO_LOCKS)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
    except OSError as fault:
        raise _unreadable(f"{folder} cannot be used for change sets", fault) from None
    try:
        try:
            lock(descriptor, patience)
        except BlockingIOError:
            other = os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another program"
            reason = f"{other} has this change set open"
            raise ChangeSetError("open", reason, "Wait for it, or end it.") from None
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{holder} (process {os.getpid()})".encode(), 0)
        except OSError as fault:
            raise _unreadable(f"{folder} cannot be used for change sets", fault) from None
        yield
    finally:
        os.close(descriptor)


def lock_name(file: SetFile) -> str:
    """Return the name of the lock of a staged set."""
    return file.path.stem


def _slug(host: str, project: str) -> str:
    """Return a file name for the place; the hash keeps similar hosts apart."""
    plain = re.sub(r"[^a-z0-9]+", "-", f"{host.partition('://')[2] or host}-{project}".lower()).strip("-")
    return f"{plain[:80]}-{hashlib.sha256(f'{host} {project}'.encode()).hexdigest()[:8]}"


def _unreadable(what: str, fault: OSError) -> ChangeSetError:
    reason = fault.strerror or "the system refused it"
    is_full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
    fix = "Make room on the disk." if is_full else "Check the folder and its access rights."
    return ChangeSetError("unreadable", f"{what}: {reason}", fix)
