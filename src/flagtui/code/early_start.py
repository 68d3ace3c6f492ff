"""The start of the process that reads source files ahead, while git lists them.

Imports no library: git runs while what both processes need is loaded.
"""

import os
import sys

from flagtui.code.git import GitListing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flagtui.code.read_ahead import ReadAhead

_reader: "ReadAhead | None" = None
"""The process that this one started for its current folder."""


def start_reading(settled: int | None = None) -> None:
    """Read the files of the current folder ahead, where it is in a repository and a processor is idle.

    Results can be stored of files that changed `settled` nanoseconds ago, by default as long as is safe.
    """
    global _reader
    # A Python that was built on an old system, as uv and conda had them, lacks `memfd_create`.
    if sys.platform != "linux" or not hasattr(os, "memfd_create") or len(os.sched_getaffinity(0)) < 2:
        return
    try:
        folder = os.getcwd()  # noqa: PTH109
        # Any other folder can have far more files than the command is asked about.
        if _is_in_repository(folder):
            listing = GitListing()
            from flagtui.code.read_ahead import ReadAhead

            _reader = ReadAhead(folder, listing, settled)
    except OSError:
        # The folder was deleted, or the system has no process left: the command reads alone.
        return


def _is_in_repository(folder: str) -> bool:
    parts = folder.split("/")
    return any(os.path.lexists("/".join((*parts[:count], ".git"))) for count in range(len(parts), 0, -1))


def take_reader(folders: "Sequence[Path]") -> "ReadAhead | None":
    """Return the process that reads these folders ahead; None where none does."""
    global _reader
    reader, _reader = _reader, None
    if reader is None or [*map(os.fspath, folders)] == [reader.folder]:
        return reader
    reader.stop()
    return None
