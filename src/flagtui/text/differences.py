"""Draw JSON that folds, and the differences between two states of a record."""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final, Literal

from msgspec import Struct

from flagtui.changes.difference import MISSING, each_difference
from flagtui.changes.flags.flag_words import in_words, mask_line
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.styled import Piece

LINES: Final = 12
"""The most lines of one value."""
CHARACTERS: Final = 4_000
"""The most characters of one value."""
PATHS: Final = 60
"""The most differing paths."""
MOST_COUNTED: Final = 1_000
"""Differing paths that are counted: there can be tens of thousands."""
BOOKKEEPING: Final = (
    "version",
    "updated_at",
    "last_modified_by",
    "version_timestamp",
    "modified_by",
    "is_historical",
)
"""Fields that differ after every change, whatever was changed."""


def diff_lines(
    before: Mapping[str, JSON],
    after: Mapping[str, JSON],
    *,
    is_secret: bool = False,
    nothing: str = "no recorded differences",
    names: Names = NO_NAMES,
) -> Iterator[list[Piece]]:
    """Yield, for each differing path, the words, the path, the previous and the new value."""
    every = (line for line in each_difference(dict(before), dict(after)) if line.path[0] not in BOOKKEEPING)
    lines = [*islice(every, MOST_COUNTED + 1)]
    if not lines:
        yield [(nothing, "$text-muted")]
    for line in lines[:PATHS]:
        shown = mask_line(line) if is_secret else line
        yield [(safe_text(in_words(shown, before, after, names), 200), "")]
        yield [("  ", ""), (safe_text(line.where, 160), "$text-muted")]
        yield from _value("  - ", shown.before, "$error")
        yield from _value("  + ", shown.after, "$success")
        yield []
    if (more := len(lines) - PATHS) > 0:
        count = f"{more:,}" if len(lines) <= MOST_COUNTED else f"more than {more - 1:,}"
        yield [(f"… {count} more differences", "$faint")]


def _value(sign: str, value: JSON, style: str) -> Iterator[list[Piece]]:
    if value is MISSING:
        return
    text, is_whole = _start_of_json(value)
    lines = safe_lines(text, CHARACTERS, LINES)
    for line in lines if is_whole else [*lines[:LINES], "… and more"]:
        yield [(sign, style), (line, style)]
        sign = " " * len(sign)


def _start_of_json(value: JSON) -> tuple[str, bool]:
    """Return the value as indented JSON, or its start, and whether that is all: it can be megabytes."""
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False), True
    text = ""
    for part in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        if len(text) > CHARACTERS:
            return text, False
        text += part
    return text, True


Path = tuple[str | int, ...]
JsonPart = Literal["scalar", "folded", "opened", "closed"]
TEXT_LIMIT: Final = 2_000
"""The most characters of one value."""
UNFOLDED: Final[frozenset[Path]] = frozenset()


class JsonRow(Struct, frozen=True, gc=False):
    """A line of JSON: the path of the value that begins or ends there, and the kind of line.

    There can be hundreds of thousands; without cycles, the garbage collector need not track them.
    """

    path: Path
    part: JsonPart
    value: JSON
    """The value of this path, or the closing bracket of a value."""
    is_last: bool
    """Whether it is the last item of its object or list, without a comma."""

    @property
    def can_fold(self) -> bool:
        """Whether it is the first line of an object or list with content."""
        return self.part in ("opened", "folded")

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the line, created when it is drawn, since few lines are."""
        step = self.path[-1] if self.path and self.part != "closed" else 0
        name = (_key(step), (": ", "$faint")) if isinstance(step, str) else ()
        comma: tuple[Piece, ...] = () if self.is_last or self.part == "opened" else ((",", "$faint"),)
        return (*_indent(len(self.path)), *name, *self._pieces(), *comma)

    def _pieces(self) -> tuple[Piece, ...]:
        match self.part:
            case "scalar":
                return (scalar(self.value),)
            case "folded":
                return _folded_piece(self.value)
            case "opened":
                return (("{" if isinstance(self.value, dict) else "[", "$text-muted"),)
            case _:
                return ((self.value, "$text-muted"),)

    @property
    def text(self) -> str:
        """The text without its colours."""
        return "".join(text for text, _ in self.pieces)


def json_rows(value: JSON, folded: Collection[Path] = UNFOLDED) -> Iterator[JsonRow]:
    """Yield the value as indented lines, lazily; a folded value takes one line."""
    return _rows(value, (), folded, is_last=True)


def json_lines(value: JSON) -> Iterator[list[Piece]]:
    """Yield the lines of a value with nothing folded."""
    for row in json_rows(value):
        yield [*row.pieces]


def _rows(value: JSON, path: Path, folded: Collection[Path], *, is_last: bool) -> Iterator[JsonRow]:
    if not isinstance(value, dict | list) or not value:
        yield JsonRow(path, "scalar", value, is_last)
        return
    if path in folded:
        yield JsonRow(path, "folded", value, is_last)
        return
    yield JsonRow(path, "opened", value, is_last)
    last = len(value) - 1
    for place, (key, inner) in enumerate(value.items() if isinstance(value, dict) else enumerate(value)):
        yield from _rows(inner, (*path, key), folded, is_last=place == last)
    yield JsonRow(path, "closed", "}" if isinstance(value, dict) else "]", is_last)


def _folded_piece(value: JSON) -> tuple[Piece, ...]:
    """Return one line; an object is shown by its key or name if it has one."""
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    name = (value.get("key") or value.get("name")) if isinstance(value, dict) else None
    shown: Piece = scalar(name) if isinstance(name, str) else ("", "")
    gap = " " if shown[0] else ""
    return (f"{opening} ", "$text-muted"), shown, (f"{gap}… {len(value):,} {closing}", "$text-muted")


def scalar(value: JSON) -> Piece:
    """Return one value in the colour of its type."""
    if isinstance(value, str):
        return safe_text(json.dumps(value, ensure_ascii=False), TEXT_LIMIT), "$success"
    if isinstance(value, bool) or value is None:
        return json.dumps(value), "$secondary"
    if isinstance(value, dict | list):
        return json.dumps(value), "$text-muted"
    return safe_text(json.dumps(value), 60), "$warning"


def _key(key: str) -> Piece:
    return safe_text(json.dumps(key, ensure_ascii=False), 200), "$primary"


def _indent(depth: int) -> tuple[Piece, ...]:
    return (("  " * depth, ""),) if depth else ()
