"""Write files on the user's request."""

from pathlib import Path

from flagtui import local_time
from flagtui.config.files import write_new
from flagtui.text.styled import Notice


def export(name: str, text: str, what: str, now: float) -> Notice:
    """Write `flags-20260302-090000Z.json` for `flags.json` and return where; never overwrite a file."""
    stem, ending = name.rsplit(".", 1)
    try:
        # The folder may be gone by now.
        path = Path.cwd() / f"{stem}-{local_time.file_stamp(now)}.{ending}"
        write_new(path, text)
    except OSError as fault:
        return Notice(f"not written: {fault.strerror or fault}", "error")
    except UnicodeEncodeError:
        return Notice("not written: it has characters that no file can hold", "error")
    return Notice(f"written to {path}: {what}")
