"""Small private files, written atomically."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from flagtui.private_folders import NO_LINK, make_missing


def replace_file(path: Path, text: str, before: Callable[[], object] | None = None) -> None:
    """Replace the file, readable by its owner only, or keep the old one. Raises OSError.

    `before` runs once the new content is on disk; if it raises, the old one is kept.
    """
    make_missing(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            before()
        Path(name).replace(path)
    finally:
        # Gone already after the rename.
        with suppress(OSError):
            Path(name).unlink()


def write_new(path: Path, text: str) -> None:
    """Write a new file that its owner alone can read.

    Raises:
        OSError: also when there is one already.
        UnicodeEncodeError: the text has halves of UTF-16 pairs.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except (OSError, UnicodeEncodeError):
        # A full disk created the name without the content, as did text that no file can hold.
        path.unlink(missing_ok=True)
        raise
