"""JSON as coloured lines that can be folded. Every piece of text is made safe here."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from flagtui.models.json_value import JSON
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

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
