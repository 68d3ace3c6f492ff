"""A search line cut into pieces that remember where they stood, so that a screen can underline them."""

import re
from typing import Final

from msgspec import Struct

_NAME: Final = re.compile(r"([A-Za-z_]+):(?!//)")
_WITH_PATTERNS: Final = frozenset({"key", "flag", "name"})
LINE_LIMIT: Final = 1_000
"""Characters of a line that are read: more than is typed; a pasted log file is cut."""


class Piece(Struct, frozen=True):
    """One word or one `name:value`, with half-open positions in the line."""

    start: int
    end: int
    is_negated: bool
    name: str | None
    """Lower case and without the colon; None for a word."""
    value: str
    """Without its quotes or slashes."""
    value_start: int
    """Where the value begins, its opening quote or slash included."""
    mark: str
    """`"` for a quoted value, `/` for a pattern, else empty."""


def split(line: str) -> list[Piece]:
    """Every piece of the line, left to right. An unclosed quote or pattern reaches to the end of the line."""
    pieces = []
    place, end = 0, min(len(line), LINE_LIMIT)
    while place < end:
        if line[place].isspace():
            place += 1
            continue
        piece = _piece(line[:end], place)
        place = piece.end
        pieces.append(piece)
    return pieces


def piece_at(line: str, cursor: int) -> Piece | None:
    """The piece the cursor is in or right after."""
    return next((piece for piece in split(line) if piece.start <= cursor <= piece.end), None)


def quoted(value: str) -> str:
    """The value as it has to be written in a line: in quotes when it would not survive without."""
    needs_quotes = any(character.isspace() for character in value) or "," in value
    return f'"{value}"' if needs_quotes or not value else value


def _piece(line: str, start: int) -> Piece:
    is_negated = line[start] == "-"
    place = start + is_negated
    match = _NAME.match(line, place)
    name = match[1].lower() if match else None
    value_start = match.end() if match else place
    mark = line[value_start : value_start + 1]
    if mark == '"' or (mark == "/" and name in _WITH_PATTERNS):
        value, end = _enclosed(line, value_start, mark)
    else:
        mark, end = "", _bare_end(line, value_start)
        value = line[value_start:end]
    return Piece(start, end, is_negated, name, value, value_start, mark)


def _bare_end(line: str, place: int) -> int:
    while place < len(line) and not line[place].isspace():
        place += 1
    return place


def _enclosed(line: str, opening: int, mark: str) -> tuple[str, int]:
    """The text up to the closing mark. In a pattern a backslash keeps the next character from closing it."""
    place = opening + 1
    while place < len(line) and line[place] != mark:
        place += 2 if mark == "/" and line[place] == "\\" else 1
    place = min(place, len(line))
    return line[opening + 1 : place], min(place + 1, len(line))
