"""The times and sizes of tracked files in the index of git: a first scan then examines no file for them.

The format is that of gitformat-index(5), version 2.
"""

import os
import re
from collections.abc import Sequence
from typing import Final

from flagtui.code.file_content import Stamp, pack_moment, stamp_of

_HEADER: Final = b"DIRC\0\0\0\2"
_COUNT_END: Final = 12
_ENTRY: Final = re.compile(rb"(.{16}).{4}(.{4}).{12}(.{4}).{20}[\0-\x3f].([^\0]+)\0{1,8}", re.DOTALL)
"""Times of both changes; device; number; mode and owners; size; content; flags of a plain entry; path."""
_SAMPLE: Final = 16


def read_stamps(root: str, index: bytes, listed: bytes, settled_at: int) -> dict[str, Stamp]:
    """Return the stamps of files that did not change since a moment in Unix nanoseconds, as git has them.

    None for an index that is read otherwise than git read it for its list, or that has other times than the
    files, such as one that was copied with them.
    """
    count = int.from_bytes(index[len(_HEADER) : _COUNT_END], "big")
    entries = _ENTRY.findall(index, _COUNT_END)[:count] if index.startswith(_HEADER) else []
    paths, tracked = listed.split(b"\0")[:-1], [entry[3] for entry in entries]
    start = tracked.index(paths[0]) if paths and paths[0] in tracked else 0
    entries = entries[start : start + len(paths)]
    if len(tracked) != count or tracked[start : start + len(paths)] != paths:
        return {}
    limit, names = pack_moment(settled_at), os.fsdecode(listed).split("\0")
    stamps = {
        name: times + number + size
        for name, (times, number, size, _) in zip(names, entries, strict=False)
        if times < limit > times[8:]
    }
    return stamps if _is_current(root, names[:-1], stamps) else {}


def _is_current(root: str, names: Sequence[str], stamps: dict[str, Stamp]) -> bool:
    """Return whether most files of a sample have their stamp. Where they have not, git did not look since."""
    sample = names[:: max(1, len(names) // _SAMPLE)]
    same = 0
    for name in sample:
        try:
            same += stamp_of(os.lstat(f"{root}/{name}")) == stamps.get(name)
        except OSError:
            continue
    return 2 * same > len(sample)
