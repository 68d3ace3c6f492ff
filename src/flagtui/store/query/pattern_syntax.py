"""The grammar of `key:/…/`: letters, `.`, classes, `* + ? {2,5}`, `|`, groups, `^` and `$`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from flagtui.store.query.value_tests import fold

PATTERN_LIMIT: Final = 200
_DEPTH_LIMIT: Final = 20
_REPEAT_LIMIT: Final = 100


class PatternError(ValueError):
    """An invalid pattern; the text has the reason."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One character; `accepts` gets it folded. Two are equal when they are written alike."""

    written: str
    accepts: Callable[[str], bool] = field(compare=False)
    letter: str = ""
    """The character, if the symbol matches only one."""


_ANY: Final = Symbol(".", lambda _any: True)


class Edge(msgspec.Struct, frozen=True):
    kind: str


class InTurn(msgspec.Struct, frozen=True):
    """A sequence: one node after another."""

    parts: "tuple[Node, ...]"


class Alternation(msgspec.Struct, frozen=True):
    """Any of the options."""

    options: "tuple[Node, ...]"


class Repeat(msgspec.Struct, frozen=True):
    """The node at least `low` and at most `high` times; None is unlimited."""

    node: "Node"
    low: int
    high: int | None

    def least(self) -> "Node":
        """Return the repeat with its minimum only."""
        return self.node if self.low == 1 else Repeat(self.node, self.low, self.low)


Node = Symbol | Edge | InTurn | Alternation | Repeat

_ANYTHING: Final = Repeat(_ANY, 0, None)


def parse_pattern(source: str) -> Node:
    """Return the pattern as a tree. Raises PatternError."""
    if len(source) > PATTERN_LIMIT:
        raise PatternError(f"a pattern has at most {PATTERN_LIMIT} characters")
    return _Parser(source).parse()


def without_idle_ends(tree: Node) -> Node:
    """Return the pattern without parts that do not affect a search: `^.*ab+` needs no more than `ab`."""
    if not isinstance(tree, InTurn):
        return tree
    from_start = _without_idle_start(tree.parts, "^")
    return InTurn(_without_idle_start(from_start[::-1], "$")[::-1])


def _without_idle_start(parts: tuple[Node, ...], edge: str) -> tuple[Node, ...]:
    while parts:
        first, *others = parts
        if isinstance(first, Edge) and first.kind == edge and others and others[0] == _ANYTHING:
            parts = parts[2:]
        elif isinstance(first, Repeat) and first.low == 0:
            parts = parts[1:]
        else:
            return (first.least(), *others) if isinstance(first, Repeat) else parts
    return parts


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CLASSES: Final[dict[str, Callable[[str], bool]]] = {
    "d": str.isdigit,
    "w": _is_word,
    "s": str.isspace,
    "D": lambda character: not character.isdigit(),
    "W": lambda character: not _is_word(character),
    "S": lambda character: not character.isspace(),
}


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._place = 0
        self._depth = 0

    def parse(self) -> Node:
        node = self._choice()
        if self._place < len(self._source):
            raise PatternError("a ) has no ( before it")
        return node

    def _peek(self) -> str:
        return self._source[self._place : self._place + 1]

    def _take(self) -> str:
        character = self._peek()
        self._place += 1
        return character

    def _skip(self, character: str) -> bool:
        is_there = self._peek() == character
        self._place += is_there
        return is_there

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self._skip("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeat(self._single()))
        return InTurn(tuple(parts))

    def _single(self) -> Node:
        character = self._take()
        if character in "*+?":
            raise PatternError(f"nothing to repeat before {character}")
        if character in "^$":
            return Edge(character)
        if character == "(":
            return self._group()
        if character == ".":
            return _ANY
        if character == "[":
            begun, accepts = self._place, self._set()
            return Symbol("[" + self._source[begun : self._place], accepts)
        if character == "\\":
            return self._escaped_symbol()
        letters = tuple(Symbol(letter, _literal(letter), letter) for letter in fold(character))
        return letters[0] if len(letters) == 1 else InTurn(letters)

    def _escaped_symbol(self) -> Symbol:
        character, accepts = self._peek(), self._escape()
        return Symbol("\\" + character, accepts, "" if character in _CLASSES else character)

    def _group(self) -> Node:
        self._depth += 1
        if self._depth > _DEPTH_LIMIT:
            raise PatternError(f"groups nest at most {_DEPTH_LIMIT} deep")
        if self._skip("?") and not self._skip(":"):
            raise PatternError("look-around and named groups are not available")
        node = self._choice()
        if not self._skip(")"):
            raise PatternError("a ( has no ) behind it")
        self._depth -= 1
        return node

    def _repeat(self, node: Node) -> Node:
        bounds = self._bounds()
        if bounds is None:
            return node
        if isinstance(node, Edge):
            raise PatternError(f"{node.kind} cannot repeat")
        self._skip("?")  # A search has the same result for short and long matches.
        if self._peek() in ("*", "+", "?", "{") and self._peek():
            raise PatternError("a repeat cannot follow a repeat")
        return Repeat(node, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        if self._skip("*"):
            return 0, None
        if self._skip("+"):
            return 1, None
        if self._skip("?"):
            return 0, 1
        if self._skip("{"):
            return self._counts()
        return None

    def _counts(self) -> tuple[int, int | None]:
        end = self._source.find("}", self._place)
        low, comma, high = self._source[self._place : max(end, self._place)].partition(",")
        if end < 0 or not all(part.isascii() and part.isdigit() for part in (low, high or low)):
            raise PatternError("a repeat is written {2}, {2,} or {2,5}")
        self._place = end + 1
        lowest = int(low)
        highest = int(high) if high else None if comma else lowest
        if max(lowest, highest or 0) > _REPEAT_LIMIT or (highest is not None and highest < lowest):
            raise PatternError(f"a repeat counts upwards, to {_REPEAT_LIMIT} at most")
        return lowest, highest

    def _escape(self) -> Callable[[str], bool]:
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character]
        if not character or character.isalnum():
            raise PatternError(f"\\{character} is not available; only \\d \\w \\s and \\ before a sign")
        return _literal(character)

    def _set(self) -> Callable[[str], bool]:
        is_negated = self._skip("^")
        members: list[Callable[[str], bool]] = []
        while self._peek() != "]" or not members:
            members.append(self._member())
        self._place += 1
        within = tuple(members)
        if is_negated:
            return lambda character: not any(accepts(character) for accepts in within)
        return lambda character: any(accepts(character) for accepts in within)

    def _member(self) -> Callable[[str], bool]:
        first = self._take()
        if not first:
            raise PatternError("a [ has no ] behind it")
        if first == "\\":
            return self._escape()
        rest = self._source[self._place : self._place + 2]
        if len(rest) == 2 and rest[0] == "-" and rest[1] not in "]\\":
            self._place += 2
            return _between(first, rest[1])
        return _literal(first)


def _literal(character: str) -> Callable[[str], bool]:
    folded = fold(character)
    return lambda letter: letter == folded


def _between(first: str, last: str) -> Callable[[str], bool]:
    if first > last:
        raise PatternError(f"[{first}-{last}] runs backwards")
    return lambda letter: first <= letter <= last or first <= letter.upper() <= last
