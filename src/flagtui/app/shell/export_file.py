"""Files to keep: new ones in the folder flagtui was started in, readable by their owner alone."""

import os
from pathlib import Path

from flagtui import local_time
from flagtui.text.notices import Notice


def export(name: str, text: str, what: str, now: float) -> Notice:
    """Writes `flags-20260302-090000Z.json` for `flags.json`, and says where; never over another file."""
    stem, ending = name.rsplit(".", 1)
    path = Path.cwd() / f"{stem}-{local_time.file_stamp(now)}.{ending}"
    try:
        write_new(path, text)
    except OSError as fault:
        return Notice(f"not written: {fault.strerror or fault}", "error")
    return Notice(f"written to {path}: {what}")


def write_new(path: Path, text: str) -> None:
    """A new file that only its owner reads. Raises OSError, also when there is one already."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
