"""Parse a search line into terms, and report the pieces that are invalid."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Generic

import msgspec
from msgspec import Struct

from flagtui.models.rows import Row
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import (
    Facts,
    Qualifier,
    QueryPerson,
    Reading,
    Test,
    Value,
    Vocabulary,
    WrongValue,
    unknown_qualifier,
)

_WORD: Final = re.compile(r"\S+")
_NAME: Final = re.compile(r"([A-Za-z_]+):(?!//)")
_WITH_PATTERNS: Final = frozenset({"key", "flag", "name"})
NO_OWNER: Final = "the owner of the key is not known"
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
    mark: str
    """`"` for a quoted value, `/` for a pattern, else empty."""


def split(line: str) -> list[Piece]:
    """Return every piece of the line, left to right. An unclosed quote or pattern extends to the end."""
    pieces: list[Piece] = []
    line = line[:LINE_LIMIT]
    while word := _WORD.search(line, pieces[-1].end if pieces else 0):
        pieces.append(_piece(line, word.start()))
    return pieces


def piece_at(line: str, cursor: int) -> Piece | None:
    """Return the piece that the cursor is in or right after."""
    return next((piece for piece in split(line) if piece.start <= cursor <= piece.end), None)


def quote(value: str) -> str:
    """Return the value as written in a line: in quotes if it needs them."""
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
        value, end = _read_enclosed(line, value_start, mark)
    else:
        word = _WORD.match(line, value_start)
        end = word.end() if word else value_start
        mark, value = "", line[value_start:end]
    return Piece(start, end, is_negated, name, value, mark)


def _read_enclosed(line: str, opening: int, mark: str) -> tuple[str, int]:
    """Return the text up to the closing mark. In a pattern a backslash escapes the next character."""
    place = opening + 1
    while place < len(line) and line[place] != mark:
        place += 2 if mark == "/" and line[place] == "\\" else 1
    place = min(place, len(line))
    return line[opening + 1 : place], min(place + 1, len(line))


_SEPARATORS: Final = r"[\s_-]*"
_JOINT: Final = re.compile(f"{_SEPARATORS}\0{_SEPARATORS}")
"""Between two words of a phrase, including separators at their own ends."""


class QueryProblem(msgspec.Struct, frozen=True):
    """A piece that was ignored, with its position in the line and the reason."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class Term(Generic[Row]):
    """One valid piece. Two terms are equal when they mean the same, wherever they are in the line."""

    name: str
    """The qualifier's name; empty for words."""
    words: tuple[str, ...]
    """Folded: the parts of a phrase, or the values of a qualifier."""
    is_negated: bool
    start: int = field(compare=False)
    end: int = field(compare=False)
    reading: Reading[Row] | None = field(default=None, compare=False, repr=False)
    """How a qualifier's value is tested; None for words."""

    @property
    def is_plain_word(self) -> bool:
        """Return whether the term is a word that must occur as it is."""
        return not self.name and not self.is_negated and len(self.words) == 1


class Query(msgspec.Struct, Generic[Row], frozen=True):
    """A parsed line. Nothing in it can fail any more."""

    line: str
    terms: tuple[Term[Row], ...]
    problems: tuple[QueryProblem, ...]
    vocabulary: Vocabulary[Row]

    @property
    def shows(self) -> frozenset[str]:
        """Return the kinds of hidden rows that the line shows."""
        tests = {
            word for term in self.terms if term.name == "is" and not term.is_negated for word in term.words
        }
        tests |= {word for term in self.terms if term.reading for word in term.reading.shows}
        return frozenset(tests & self.vocabulary.hidden.keys())

    def lacks(self, facts: Facts) -> Iterator[QueryProblem]:
        """Yield the qualifiers that are ignored because a fact is missing, with the reason."""
        for term in self.terms:
            if term.reading is None or not (lack := term.reading.lack or NO_OWNER * ("me" in term.words)):
                continue
            if term.reading.test(facts) is None:
                yield QueryProblem(term.start, term.end, f"{term.name}: {lack}")

    @property
    def names_me(self) -> bool:
        """Return whether the line is about the signed-in user."""
        return any(term.name in ("by", "owner") and "me" in term.words for term in self.terms)

    @property
    def longest_word(self) -> str:
        """Return the longest word, for a server that searches one word; empty without words."""
        return max((term.words[0] for term in self.terms if term.is_plain_word), key=len, default="")

    def narrows(self, other: "Query[Row]") -> bool:
        """Return whether every match of this query certainly matches the other."""
        if self.shows != other.shows:
            return False
        return all(any(_implies(mine, theirs) for mine in self.terms) for theirs in other.terms)


def read_line(line: str, vocabulary: Vocabulary[Row]) -> Query[Row]:
    """Parse a line in any vocabulary. Never raises: invalid pieces become problems."""
    terms: list[Term[Row]] = []
    problems: list[QueryProblem] = []
    for piece in split(line):
        try:
            term = _term(piece, vocabulary)
        except WrongValue as wrong:
            problems.append(QueryProblem(piece.start, piece.end, str(wrong)))
        else:
            terms.extend([term] if term else [])
    if len(line) > LINE_LIMIT:
        problems.append(
            QueryProblem(LINE_LIMIT, len(line), f"only the first {LINE_LIMIT:,} characters are read")
        )
    return Query(line, tuple(terms), tuple(problems), vocabulary)


def compile_query(
    query: Query[Row],
    *,
    now: float,
    me: QueryPerson | None = None,
    more_text: Callable[[Row], str] | None = None,
) -> Test[Row]:
    """Return one test of a row. Lists use a Finder, which does the same over prepared rows.

    `more_text` returns searchable text that is not in the row.
    """
    facts = Facts(now, me)
    on_text = [text_test(term) for term in query.terms if not term.name]
    tests = [row_test(term, facts) for term in query.terms]
    hiding = [test for word, test in query.vocabulary.hidden.items() if word not in query.shows]
    on_rows = [test for test in tests if test is not None] + [_negation(test) for test in hiding]

    def text_of(row: Row) -> str:
        text = query.vocabulary.text(row)
        return text if more_text is None else f"{text}\0{more_text(row)}"

    def passes(row: Row) -> bool:
        folded = fold(text_of(row)) if on_text else ""
        return all(test(folded) for test in on_text) and all(test(row) for test in on_rows)

    return passes


def text_test(term: Term[Row]) -> Callable[[str], bool]:
    """Return the test of folded text for a word or phrase."""
    if len(term.words) == 1:
        word = term.words[0]
        return (lambda text: word not in text) if term.is_negated else (lambda text: word in text)
    search = re.compile(_SEPARATORS.join(map(re.escape, term.words))).search
    return lambda text: (search(text) is None) is term.is_negated


def row_test(term: Term[Row], facts: Facts) -> Test[Row] | None:
    """Return the test of a row for a qualifier; None for words, and when a fact is missing."""
    reading = term.reading
    test = reading.test(facts) if reading else None
    if reading is None or test is None:
        return None
    if reading.of is not None:
        test = _test_of(reading.of, test, is_folded=reading.is_folded)
    return _negation(test) if term.is_negated else test


def _term(piece: Piece, vocabulary: Vocabulary[Row]) -> Term[Row] | None:
    if piece.name is None:
        words = _words(piece)
        return Term("", words, piece.is_negated, piece.start, piece.end) if words else None
    qualifier = vocabulary.qualifiers.get(piece.name)
    if qualifier is None:
        raise WrongValue(unknown_qualifier(piece.name, vocabulary.qualifiers))
    reading = _read(qualifier, piece)
    return Term(piece.name, reading.words, piece.is_negated, piece.start, piece.end, reading)


def _read(qualifier: Qualifier[Row], piece: Piece) -> Reading[Row]:
    value = Value(piece.value, is_quoted=piece.mark == '"', is_pattern=piece.mark == "/")
    try:
        return qualifier.read(value)
    except WrongValue as wrong:
        detail = f"{wrong}; " if str(wrong) else ""
        raise WrongValue(f"{qualifier.name}: {detail}use {qualifier.allowed}") from None


def _words(piece: Piece) -> tuple[str, ...]:
    """Return a word, or the parts of a phrase, between which spaces, hyphens and underscores may occur."""
    folded = fold(piece.value)
    if piece.mark != '"':
        return (folded,) if folded else ()
    parts = folded.split()
    if len(parts) < 2:
        return tuple(parts)
    solid = "\0".join(part for part in parts if part.strip("-_"))
    # A separator at the end of a part joins the one between parts: two in a row would be slow.
    return tuple(_JOINT.sub("\0", solid).split("\0")) if solid else ()


def _test_of(of: Callable[[Row], Any], test: Test[Any], *, is_folded: bool) -> Test[Row]:
    if is_folded:
        return lambda row: test(fold(of(row)))
    return lambda row: test(of(row))


def _negation(test: Test[Row]) -> Test[Row]:
    return lambda row: not test(row)


def _implies(mine: Term[Row], theirs: Term[Row]) -> bool:
    if mine == theirs:
        return True
    if mine.name != theirs.name or mine.is_negated or theirs.is_negated:
        return False
    if mine.reading and theirs.reading:
        return mine.reading.implies(theirs.reading)
    return mine.is_plain_word and theirs.is_plain_word and theirs.words[0] in mine.words[0]
