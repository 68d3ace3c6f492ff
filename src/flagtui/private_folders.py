"""Folders that only their owner can enter, whatever the umask; where those are that a start needs at once;
files read up to a size.

Imports no library: the first frame of a start is kept in such a folder.
"""

# pathlib takes longer to import than everything here takes to run.
# ruff: noqa: PTH101, PTH102, PTH105, PTH108, PTH111, PTH112, PTH116, PTH117, PTH118, PTH120, PTH123

import os
import sys
from errno import ENOTDIR

PRIVATE = 0o700
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""Opens no file through a link; nothing on Windows."""


class ForeignFolder(PermissionError):
    """The folder, or the link to it, belongs to another user."""

    def __str__(self) -> str:
        # There is no number of a system's fault to name.
        return str(self.strerror)


def make_private(folder: "str | os.PathLike[str]") -> None:
    """Make the folder and its missing parents for this user alone, or take the access of others away.

    Raises:
        ForeignFolder: another user could read or exchange what is put there.
        OSError: it cannot be made.
    """
    path = os.fspath(folder)
    make_missing(path)
    facts = os.stat(path)
    if is_foreign(path):
        raise ForeignFolder(None, "the folder belongs to another user")
    if facts.st_mode & 0o077:
        try:
            os.chmod(path, facts.st_mode & PRIVATE)
        except OSError:
            # Some file systems have no modes; their mount options decide who can enter.
            return


def make_missing(folder: "str | os.PathLike[str]") -> None:
    """Make the folder and its missing parents for this user alone; leave what exists. Raises OSError."""
    path = os.fspath(folder)
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and not os.path.lexists(parent):
        make_missing(parent)
    try:
        os.mkdir(path, PRIVATE)
    except FileExistsError:
        # Another program has made it in this moment, or it is no folder.
        if not os.path.isdir(path):
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), path) from None
    else:
        # The umask may have taken the owner's own rights.
        os.chmod(path, PRIVATE)


def replace_private(path: "os.PathLike[str]", data: bytes) -> None:
    """Replace a file of this user alone; until the new data are complete, it has the old. Raises OSError."""
    import tempfile

    folder = os.path.dirname(path)
    make_private(folder)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    finally:
        # Renamed already unless that failed.
        if os.path.lexists(name):
            os.unlink(name)


def read_file(path: "os.PathLike[str]", most: int) -> bytes:
    """Return the content of a file. Raises OSError, also for more than `most` MiB: a device has no end."""
    with open(path, "rb") as file:
        content = file.read(most * 1024 * 1024 + 1)
    if len(content) > most * 1024 * 1024:
        raise OSError(None, f"it has more than {most:,} MiB")
    return content


def place_sum(*parts: str) -> str:
    """Return 16 hexadecimal digits for the name of a file, which differ for similar places.

    Two checksums: a hash needs OpenSSL, which takes longer to load than such a file to read.
    """
    import zlib

    text = chr(0).join(parts).encode(errors="surrogatepass")
    return f"{zlib.crc32(text):08x}{zlib.adler32(text):08x}"


def is_foreign(path: str) -> bool:
    """Return whether another user owns the folder, or the link to it: the link decides where files go."""
    if not hasattr(os, "getuid"):
        return False
    return {os.stat(path).st_uid, os.lstat(path).st_uid} != {os.getuid()}


def may_exist(path: "str | os.PathLike[str]") -> bool:
    """Return whether anything has this name, or may have it: reading it reports a folder without access."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def frames_folder() -> str:
    """Return the folder of frames in the cache folder of this system."""
    return os.path.join(find_folder("XDG_CACHE_HOME", ".cache", "Caches"), "flagtui", "frames")


def find_folder(variable: str, default: str, on_a_mac: str) -> str:
    """Return a folder of this system for the files of programs, found without a library."""
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", on_a_mac)
    given = os.environ.get(variable, "")
    return given if os.path.isabs(given) else os.path.join(home, default)
