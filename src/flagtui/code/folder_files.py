"""A folder of source files, and how the system opens, examines and reads those below it.

Windows has no descriptors of folders and neither `O_NOFOLLOW` nor `readv`; it gets whole paths.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from typing import Final

FLAGS: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
"""Links are not followed, so no loop is entered; a pipe does not wait for its writer."""
_HAS_DESCRIPTORS: Final = {os.open, os.stat} <= os.supports_dir_fd
HAS_READV: Final = hasattr(os, "readv")


@contextmanager
def open_folder(root: str) -> Iterator[tuple[int | None, str]]:
    """Yield a descriptor of the folder, and what comes before a name below it: nothing beside a descriptor.

    Shorter paths are faster: the system walks through the folders above once.
    """
    if not _HAS_DESCRIPTORS:
        yield None, os.path.join(root, "")  # noqa: PTH118
        return
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder, ""
    finally:
        os.close(folder)


def read_into(handle: int, view: memoryview) -> int:
    """Read an open file into the view, where the system has no `readv`; return the number of bytes."""
    with FileIO(handle, closefd=False) as file:
        return file.readinto(view)
