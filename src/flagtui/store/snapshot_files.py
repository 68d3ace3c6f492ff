"""Files of snapshots: the words for completion at their start, and which older ones are kept.

Completion reads the words, so nothing here imports the decoder of rows.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from flagtui.private_folders import make_private

MAGIC: Final = b"flagtui rows 2\n"
_SUM_BYTES: Final = 4
_LENGTH_BYTES: Final = 4
HEAD_BYTES: Final = len(MAGIC) + _SUM_BYTES
"""Bytes before the part that the checksum covers."""
_BETWEEN: Final = "\n\n"
FOLDER: Final = "earlier"
_HOUR: Final = 3_600
_DAY: Final = 86_400
_MONTH: Final = 30 * _DAY


def pack_words(names: Iterable[str], tags: Iterable[str]) -> bytes:
    """Return names and tags, one per line, after their length; without words that a terminal would obey."""
    lines = ("\n".join(filter(str.isprintable, words)) for words in (names, tags))
    text = _BETWEEN.join(lines).encode("utf-8", "replace")
    return len(text).to_bytes(_LENGTH_BYTES, "big") + text


def words_end(body: "bytes | memoryview") -> int:
    """Return the start of the rows, in the part that the checksum covers."""
    return _LENGTH_BYTES + int.from_bytes(body[:_LENGTH_BYTES], "big")


def read_words(path: Path, *, is_tag: bool = False) -> list[str]:
    """Return the packed names, or tags; empty when the file has none or cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES + _LENGTH_BYTES)
            length = words_end(head[HEAD_BYTES:]) - _LENGTH_BYTES if head.startswith(MAGIC) else 0
            text = file.read(length)
        names, _, tags = text.decode().partition(_BETWEEN)
    except (OSError, ValueError):
        return []
    if len(text) < length:
        return []
    return (tags if is_tag else names).splitlines()


def keep_earlier(path: Path, taken_at: float) -> None:
    """Keep the snapshot just written under its time as well, as a hard link.

    Without hard links there are no earlier snapshots. A snapshot that another program replaced meanwhile is
    skipped; that program keeps its own. Raises OSError for other failures.
    """
    folder = path.parent / FOLDER
    make_private(folder)
    with suppress(FileExistsError, FileNotFoundError, PermissionError, NotImplementedError):
        os.link(path, folder / f"{path.stem}@{int(taken_at)}{path.suffix}")
    kept = find_earlier(path)
    for moment in kept.keys() - worth_keeping(kept, taken_at):
        with suppress(FileNotFoundError):
            kept[moment].unlink()


def find_earlier(path: Path) -> dict[int, Path]:
    """Return the snapshots by time, Unix seconds, oldest first. Raises OSError."""
    snapshots = {}
    folder = path.parent / FOLDER
    for other in folder.iterdir() if folder.is_dir() else ():
        stem, _at, moment = other.stem.partition("@")
        if stem == path.stem and other.suffix == path.suffix and moment.isascii() and moment.isdigit():
            snapshots[int(moment)] = other
    return dict(sorted(snapshots.items()))


def worth_keeping(moments: Iterable[int], now: float) -> set[int]:
    """Return the first of each hour of the last day, of each day of the last month, and the newest."""
    kept: dict[tuple[int, int], int] = {}
    newest = 0
    for moment in sorted(moments):
        newest = moment
        for span, unit in ((_DAY, _HOUR), (_MONTH, _DAY)):
            if now - moment < span:
                kept.setdefault((unit, moment // unit), moment)
    return {*kept.values(), newest}
