"""Shorten long lists: the first items, and how many more there are; wrap long texts."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from textwrap import wrap
from typing import Final

from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

LINES: Final = 200
"""The most lines of one list in a pane; the JSON tab has all items."""

IN_JSON: Final = "; the JSON tab has all"
"""Where to find the rest of a list that the record itself holds."""
LONGEST: Final = 20_000
"""Characters of one value that are shown, wrapped; the rest is counted."""
_PERCENT: Final = re.compile(r"(?<=\d) %")
_JOINT: Final = "\x1f"
"""In place of a space that is not broken; safe text has no control characters."""
_SLASH: Final = re.compile(r"(?<=\w)/(?=\w)")
_SEAM: Final = "\x1e"
"""Between two parts of a path, before a space that is dropped again."""
Block = Iterable[list[Piece]]
"""The lines of one item of a list."""
LinesIn = Callable[[int], Iterator[list[Piece]]]
"""The lines of a text in a width."""


def shorten(
    blocks: Iterable[Block], total: int, plural: str, lines: int | None = LINES, rest: str = IN_JSON
) -> Iterator[list[Piece]]:
    """Yield the lines of complete items up to about `lines` lines, then how many of `total` remain.

    `blocks` is read lazily, only as far as it is shown; without `lines` it is shown whole.
    """
    shown = drawn = 0
    for block in blocks:
        for line in block:
            yield line
            drawn += 1
        shown += 1
        if lines is not None and drawn >= lines:
            break
    if shown < total:
        yield more_line(total - shown, plural, rest)


def more_line(count: int, plural: str, rest: str = IN_JSON) -> list[Piece]:
    """Return `… and 1,801 more conditions; the JSON tab has all`."""
    return [(f"  … and {count:,} more {plural}{rest}", "$faint")]


def window(count: int, place: int, room: int) -> range:
    """Return the range of `room` of `count` items around `place`; all items if they fit."""
    first = min(max(0, place - room // 2), max(0, count - room))
    return range(first, min(count, first + room))


def join_words(words: Sequence[str], most: int, room: int, sign: str = "") -> str:
    """Join words as `#web #checkout and 9,988 more`, each made safe and cut to `room` characters."""
    shown = " ".join(f"{sign}{safe_text(word, room)}" for word in words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most:,} more"


def in_short(names: Sequence[str], most: int) -> str:
    """Join names as `a, b and 3 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def are_longer(lines_in: LinesIn, room: int, width: int) -> bool:
    """Return whether they are more than there is room for."""
    return len([*islice(lines_in(width), max(0, room) + 1)]) > room


def lay_out_long(
    lines_in: LinesIn, room: int, width: int, beside_bar: int, *, is_short: bool
) -> list[list[Piece]]:
    """Return all lines of a text that is too long: on a short screen without empty ones.

    Where that is not enough, they are as wide as the scroll bar leaves them room.
    """
    if is_short and not are_longer(lambda cells: filter(None, lines_in(cells)), room, width):
        return [*filter(None, lines_in(width))]
    lines = lines_in(max(1, min(width, beside_bar)))
    return [*(filter(None, lines) if is_short else lines)]


def wrap_safe(text: str, room: int, longest: int = LONGEST) -> list[str]:
    """Return the text in safe lines of at most `room` characters; a number stays with its percent sign.

    A path that is longer than a line is broken after a slash.
    """
    room = max(20, room)
    joined = _PERCENT.sub(f"{_JOINT}%", safe_text(text, longest))
    parts = (_SLASH.sub(f"/{_SEAM} ", word) if len(word) > room else word for word in joined.split(" "))
    lines = wrap(" ".join(parts), room, break_on_hyphens=False)
    return [line.replace(_JOINT, " ").replace(f"{_SEAM} ", "").removesuffix(_SEAM) for line in lines] or [""]
