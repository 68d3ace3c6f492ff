"""Check whether the files of an open database are still the ones that were opened."""

import os
import sqlite3
from pathlib import Path

_Identity = tuple[int, int] | None
"""Device and inode; None for no file."""


class DatabaseMoved(sqlite3.OperationalError):
    """The name of the open database leads to another file or to none."""


class DatabaseFiles:
    """The identities of the database file, its log and its index; make it once the database is open.

    SQLite keeps the files open, so after a rename, a deletion or a replacement it continues to write to
    files that no other program finds under the name: commits succeed and are lost. Source:
    https://www.sqlite.org/howtocorrupt.html, "Unlinking or renaming a database file while in use".
    """

    def __init__(self, path: Path) -> None:
        # The log and the index lie beside the file that a symbolic link leads to.
        real = path.resolve()
        self._path = str(path.absolute())
        self._companions = (f"{real}-wal", f"{real}-shm")
        self._opened = _identity(self._path)
        self._opened_companions = self._identify_companions()
        self._is_moved = False

    def check_file(self) -> None:
        """Raise DatabaseMoved when the file is not the opened one. Costs one stat call.

        After a check that failed every later one does: a file that comes back may hold what another program
        wrote to it.
        """
        if _identity(self._path) != self._opened:
            self._is_moved = True
        if self._is_moved:
            raise DatabaseMoved(f"{self._path} was moved, replaced or deleted while it was open")

    def check_all(self) -> None:
        """Check the file, its log and index. Costs three stat calls."""
        # Several threads check: each may only ever set it.
        if self._identify_companions() != self._opened_companions:
            self._is_moved = True
        self.check_file()

    def _identify_companions(self) -> tuple[_Identity, ...]:
        return tuple(map(_identity, self._companions))


def _identity(path: str) -> _Identity:
    try:
        status = os.stat(path)  # noqa: PTH116  # Path.stat() takes twice as long
    except OSError:
        return None
    return status.st_dev, status.st_ino
