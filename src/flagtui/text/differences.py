"""Values in lines: JSON that folds, and two states of a record side by side, what moved in words."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.changes.difference import MISSING, difference
from flagtui.changes.flags.flag_words import hidden, in_words
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_lines, safe_text
from flagtui.text.styled import Piece

LINES: Final = 12
"""Lines of one value that are shown."""
PATHS: Final = 60
"""Places that are shown."""
UNTOLD: Final = (
    "version",
    "updated_at",
    "last_modified_by",
    "version_timestamp",
    "modified_by",
    "is_historical",
)
"""Fields that move with every change and say nothing about it."""


def diff_lines(
    before: Mapping[str, JSON],
    after: Mapping[str, JSON],
    *,
    is_secret: bool = False,
    nothing: str = "nothing that is written down",
    names: Names = NO_NAMES,
) -> Iterator[list[Piece]]:
    """Place by place: the words, the path, what was and what is."""
    known = [
        line for line in difference(dict(before), dict(after)) if line.path[:1] not in {(n,) for n in UNTOLD}
    ]
    if not known:
        yield [(nothing, "$text-muted")]
    for line in known[:PATHS]:
        shown = hidden(line) if is_secret else line
        yield [(safe_text(in_words(shown, before, after, names), 200), "")]
        yield [("  ", ""), (safe_text(line.where, 160), "$text-muted")]
        yield from _value("  - ", shown.before, "$error")
        yield from _value("  + ", shown.after, "$success")
        yield []
    if len(known) > PATHS:
        yield [(f"… {len(known) - PATHS} more places", "$faint")]


def _value(sign: str, value: JSON, style: str) -> Iterator[list[Piece]]:
    if value is MISSING:
        return
    text = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict | list) else None)
    for line in safe_lines(text, 4_000, LINES):
        yield [(sign, style), (line, style)]
        sign = " " * len(sign)


Path = tuple[str | int, ...]
TEXT_LIMIT: Final = 2_000
"""Characters of one value that are shown."""
UNFOLDED: Final[frozenset[Path]] = frozenset()


@dataclass(frozen=True)
class JsonRow:
    """One line: what it shows, and the path of the value that begins or ends there."""

    path: Path
    pieces: tuple[Piece, ...]
    can_fold: bool = False
    """True for the first line of an object or a list that has something in it."""

    @property
    def text(self) -> str:
        """The words without their colours."""
        return "".join(text for text, _ in self.pieces)


def json_rows(value: JSON, folded: Collection[Path] = UNFOLDED) -> Iterator[JsonRow]:
    """The value as indented lines; what is folded takes one."""
    yield from _rows(value, (), folded, (), ())


def json_lines(value: JSON) -> Iterator[list[Piece]]:
    """The same for places where nothing is folded."""
    for row in json_rows(value):
        yield [*row.pieces]


def _rows(
    value: JSON, path: Path, folded: Collection[Path], name: tuple[Piece, ...], end: tuple[Piece, ...]
) -> Iterator[JsonRow]:
    head = (*_indent(len(path)), *name)
    if not isinstance(value, dict | list) or not value:
        yield JsonRow(path, (*head, scalar(value), *end))
        return
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    if path in folded:
        yield JsonRow(path, (*head, *_folded(value, opening, closing), *end), True)
        return
    yield JsonRow(path, (*head, (opening, "$text-muted")), True)
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    for place, (key, inner) in enumerate(pairs):
        comma: tuple[Piece, ...] = ((",", "$faint"),) if place < len(pairs) - 1 else ()
        named = (_key(key), (": ", "$faint")) if isinstance(key, str) else ()
        yield from _rows(inner, (*path, key), folded, named, comma)
    yield JsonRow(path, (*_indent(len(path)), (closing, "$text-muted"), *end))


def _folded(value: JSON, opening: str, closing: str) -> tuple[Piece, ...]:
    """One line; an object that has a key or a name is known by it."""
    name = (value.get("key") or value.get("name")) if isinstance(value, dict) else None
    shown: Piece = scalar(name) if isinstance(name, str) else ("", "")
    gap = " " if shown[0] else ""
    return (f"{opening} ", "$text-muted"), shown, (f"{gap}… {len(value):,} {closing}", "$text-muted")


def scalar(value: JSON) -> Piece:
    """One value in the colour of its kind."""
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
