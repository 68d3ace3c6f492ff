"""Small private files, replaced in one step."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, text: str) -> None:
    """Writes the text as the whole file, readable by its owner alone, or leaves the old one. Raises OSError.

    A link is followed, so that settings kept elsewhere stay there.
    """
    path = path.resolve()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
