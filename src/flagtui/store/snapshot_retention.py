"""Earlier copies of a list: the first of each hour for a day, the first of each day for a month."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER: Final = "earlier"
_HOUR: Final = 3_600
_DAY: Final = 86_400
_MONTH: Final = 30 * _DAY


def keep_earlier(path: Path, taken_at: float) -> None:
    """Keeps the copy just written under its time as well, as a second name of the same file.

    Where the disk knows no second names there are no earlier copies. A copy that another program has replaced
    in this moment is gone; that program keeps its own. Raises OSError for what else goes wrong.
    """
    folder = path.parent / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileExistsError, FileNotFoundError, PermissionError, NotImplementedError):
        os.link(path, folder / f"{path.stem}@{int(taken_at)}{path.suffix}")
    kept = find_earlier(path)
    for moment in kept.keys() - worth_keeping(kept, taken_at):
        with suppress(FileNotFoundError):
            kept[moment].unlink()


def find_earlier(path: Path) -> dict[int, Path]:
    """The copies there are by their time, Unix seconds, oldest first. Raises OSError."""
    found = {}
    folder = path.parent / FOLDER
    for other in folder.iterdir() if folder.is_dir() else ():
        stem, _at, moment = other.stem.partition("@")
        if stem == path.stem and other.suffix == path.suffix and moment.isascii() and moment.isdigit():
            found[int(moment)] = other
    return dict(sorted(found.items()))


def worth_keeping(moments: Iterable[int], now: float) -> set[int]:
    """The first of each hour of the last day, of each day of the last month, and the newest."""
    kept: dict[tuple[int, int], int] = {}
    newest = 0
    for moment in sorted(moments):
        newest = moment
        for span, unit in ((_DAY, _HOUR), (_MONTH, _DAY)):
            if now - moment < span:
                kept.setdefault((unit, moment // unit), moment)
    return {*kept.values(), newest}
