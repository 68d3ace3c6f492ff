"""Small private files, written whole or not at all."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from flagtui.private_folders import make_missing


def replace_file(path: Path, text: str) -> None:
    """Writes the whole file, readable by its owner alone, or leaves the old one. Raises OSError."""
    make_missing(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    finally:
        # Gone already when it took the old one's place.
        with suppress(OSError):
            Path(name).unlink()


def write_new(path: Path, text: str) -> None:
    """Write a new file that its owner alone can read.

    Raises:
        OSError: also when there is one already.
        UnicodeEncodeError: the text has halves of UTF-16 pairs.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, UnicodeEncodeError):
        # A disk that is full has taken the name and not the words, as has text that no file can hold.
        path.unlink(missing_ok=True)
        raise


def why_not_private(path: Path) -> str:
    """Why others could read or have written the file; empty when only its owner can. Raises OSError."""
    found = path.stat()
    if not hasattr(os, "getuid"):
        return ""
    if found.st_uid != os.getuid():
        return "it belongs to somebody else"
    if found.st_mode & 0o077:
        return f"others may read it; do: chmod 600 {path}"
    return ""
