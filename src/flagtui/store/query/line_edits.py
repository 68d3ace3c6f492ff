"""Edit the search line by single keys and by Tab, so that the line alone determines the rows."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from flagtui.models.rows import Row
from flagtui.store.query.language import Piece, Query, piece_at, quote, split
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Vocabulary

_OFFERED: Final = 50


class Chip(Struct, frozen=True):
    """The header's text for one qualifier, such as `type any`."""

    label: str
    value: str
    is_set: bool


_CHIPS: Final = (("state", "is"), ("type", "type"), ("kind", "kind"), ("runtime", "runtime"))


def cycle(line: str, name: str, vocabulary: Vocabulary[Any]) -> str:
    """Return the line with the qualifier at its next value, without it after the last one.

    A value outside the cycle, or several at once, changes to the first one.
    """
    values = vocabulary.qualifiers[name].cycle
    pieces = [piece for piece in split(line) if piece.name == name]
    following = _following(pieces, values)
    written = f"{name}:{following}" if following else ""
    if not pieces:
        return f"{line.rstrip()} {written}".lstrip()
    for piece in reversed(pieces[1:]):
        line = _without(line, piece)
    first = pieces[0]
    if not written:
        return _without(line, first)
    return line[: first.start] + written + line[first.end :]


def complete(
    line: str, cursor: int, seen_values: Mapping[str, Sequence[str]], vocabulary: Vocabulary[Any]
) -> list[str]:
    """Return completions of the piece at the cursor, best first: `type:`, `type:boolean`, `tag:checkout`.

    `seen_values` has values of the records by qualifier name, and keys under the empty name.
    """
    piece = piece_at(line, cursor)
    sign = "-" if piece and piece.is_negated else ""
    if piece is None or piece.name is None:
        typed = fold(piece.value) if piece else ""
        names = [f"{sign}{name}:" for name in vocabulary.qualifiers if name.startswith(typed)]
        keys = filter(str.isprintable, _matching(typed, seen_values.get("", ())) if typed else [])
        return [*names, *(sign + key for key in keys)][:_OFFERED]
    qualifier = vocabulary.qualifiers.get(piece.name)
    if qualifier is None:
        return [f"{sign}{name}:" for name in vocabulary.qualifiers if name.startswith(piece.name)]
    before, _comma, typed = piece.value.rpartition(",")
    before += "," if before else ""
    values = (*qualifier.values, *seen_values.get(piece.name, ()))
    written = (_qualifier(piece.name, before, value) for value in _matching(fold(typed), values))
    return [sign + each for each in islice(filter(None, written), _OFFERED)]


def _qualifier(name: str, before: str, value: str) -> str:
    """Return the qualifier with one more value; empty for a value that no line can hold, such as `a"b c`."""
    text = f"{name}:{before}{quote(value)}"
    pieces = split(text)
    is_read_back = len(pieces) == 1 and pieces[0].value == before + value and value.isprintable()
    return text if is_read_back else ""


def accept(line: str, cursor: int, chosen: str) -> tuple[str, int]:
    """Return the line with the piece at the cursor replaced by a completion, and the new cursor."""
    piece = piece_at(line, cursor)
    start, end = (piece.start, piece.end) if piece else (cursor, cursor)
    is_whole = not chosen.endswith(":")
    rest = line[end:]
    gap = " " if is_whole and not rest.startswith(" ") else ""
    return line[:start] + chosen + gap + rest, start + len(chosen) + is_whole


def describe(query: Query[Row]) -> tuple[Chip, ...]:
    """Return the chips of the header, `any` for qualifiers missing in the line."""
    qualifiers = query.vocabulary.qualifiers
    return tuple(Chip(label, *_chip_value(query, name)) for label, name in _CHIPS if name in qualifiers)


def _chip_value(query: Query[Row], name: str) -> tuple[str, bool]:
    terms = [
        ("not " if term.is_negated else "") + "|".join(term.words)
        for term in query.terms
        if term.name == name
    ]
    return (" ".join(terms), True) if terms else ("any", False)


def _following(pieces: list[Piece], values: tuple[str, ...]) -> str:
    if len(pieces) != 1 or pieces[0].is_negated or pieces[0].value.lower() not in values:
        return values[0]
    place = values.index(pieces[0].value.lower()) + 1
    return values[place] if place < len(values) else ""


def _without(line: str, piece: Piece) -> str:
    return f"{line[: piece.start].rstrip()} {line[piece.end :].lstrip()}".strip()


def _matching(typed: str, values: Sequence[str]) -> list[str]:
    """Return values that begin with the typed text, then those that contain it (two letters or more)."""
    folded = {value: fold(value) for value in dict.fromkeys(values)}
    beginning = [value for value, text in folded.items() if text.startswith(typed)]
    if len(typed) < 2:
        return beginning
    return beginning + [value for value, text in folded.items() if text.find(typed) > 0]
