"""Patterns that cannot hang: `key:/…/` runs in time proportional to the key.

The standard library tries alternatives one after the other, and `(a+)+$` on a long key takes years. Here all
alternatives advance together, one character at a time, and the sets of positions reached are cached, so that
each is computed once. The price: no back references and no look-around.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Final

import msgspec

from flagtui.store.query.pattern_needs import Needs, needs_of
from flagtui.store.query.pattern_syntax import (
    Alternation,
    Edge,
    InTurn,
    Node,
    PatternError,
    Repeat,
    Symbol,
    parse_pattern,
    without_idle_ends,
)
from flagtui.store.query.value_tests import ValueTest

__all__ = ["Pattern", "PatternError"]

_POSITION_LIMIT: Final = 2_000
_MEMORY_LIMIT: Final = 20_000
"""Cached steps; beyond them the cache is emptied."""


class Pattern(ValueTest[str]):
    """A pattern searched anywhere in a folded text.

    Raises PatternError with the error and its position.
    """

    def __init__(self, source: str) -> None:
        self._positions: list[_Position] = []
        start = self._add(_Position(accepts=True))
        whole = parse_pattern(source)
        self._parts = whole.parts if isinstance(whole, InTurn) else ()
        tree = without_idle_ends(whole)
        self._needs: Needs = needs_of(tree)
        self._start = self._build(tree, start)
        self._forget()

    def __call__(self, value: str) -> bool:
        needs = self._needs
        return all(test(value) for test in needs.all_of) and (needs.is_enough or self._walk(value))

    def each(self, values: Sequence[str]) -> bytes:
        """Return a byte for each value: 1 where the pattern matches."""
        if not self._needs.all_of:
            return bytes(map(self._walk, values))
        first, *others = self._needs.all_of
        held = first.each(values)
        if self._needs.is_enough:
            return held
        left = list(compress(range(len(values)), held))
        for test in others:
            left = list(compress(left, test.each([values[index] for index in left])))
        passing = bytearray(len(values))
        for index in left:
            passing[index] = self._walk(values[index])
        return bytes(passing)

    def implies(self, other: object) -> bool:
        """Return whether this pattern begins with the other: every typed letter narrows the matches."""
        if not isinstance(other, Pattern) or not other._parts:
            return False
        return self._parts[: len(other._parts)] == other._parts

    def _walk(self, text: str) -> bool:
        reached = self._first
        for character in text:
            if reached.is_decided:
                return reached.accepts
            reached = reached.following.get(character) or self._step(reached, character)
        return reached.accepts or reached.accepts_at_end

    def _forget(self) -> None:
        self._known: dict[tuple[frozenset[int], bool], _Reached] = {}
        self._remembered = 0
        self._first = self._remember(self._closure([self._start], is_first=True), is_first=True)

    def _step(self, reached: "_Reached", character: str) -> "_Reached":
        if self._remembered >= _MEMORY_LIMIT:
            self._forget()
        onward = [
            position.after
            for index in reached.positions
            if (position := self._positions[index]).symbol is not None and position.symbol.accepts(character)
        ]
        following = self._remember(self._closure([*onward, self._start]))
        reached.following[character] = following
        self._remembered += 1
        return following

    def _remember(self, positions: frozenset[int], *, is_first: bool = False) -> "_Reached":
        reached = self._known.get((positions, is_first))
        if reached is None:
            at_end = self._closure(list(positions), is_first=is_first, is_last=True)
            accepts, accepts_at_end = self._accepts(positions), self._accepts(at_end)
            is_stuck = not is_first and not accepts_at_end and not self._goes_on(positions)
            reached = _Reached(positions, accepts or is_stuck, accepts, accepts_at_end)
            self._known[positions, is_first] = reached
        return reached

    def _goes_on(self, positions: frozenset[int]) -> bool:
        """Return whether some character leads further; False for instance after a `^` that did not match."""
        return any(self._positions[index].symbol is not None for index in positions)

    def _accepts(self, positions: frozenset[int]) -> bool:
        return any(self._positions[index].accepts for index in positions)

    def _closure(
        self, indices: list[int], *, is_first: bool = False, is_last: bool = False
    ) -> frozenset[int]:
        """Return every position reachable without reading a character."""
        reached: set[int] = set()
        waiting = list(indices)
        while waiting:
            index = waiting.pop()
            if index in reached:
                continue
            reached.add(index)
            position = self._positions[index]
            edge = position.edge
            if edge is None or (edge == "^" and is_first) or (edge == "$" and is_last):
                waiting.extend(position.free)
        return frozenset(reached)

    def _add(self, position: "_Position") -> int:
        if len(self._positions) >= _POSITION_LIMIT:
            raise PatternError("the pattern is too large; use smaller repeats")
        self._positions.append(position)
        return len(self._positions) - 1

    def _build(self, node: Node, after: int) -> int:
        """Return the position where the node begins; after a match of it the pattern continues at `after`."""
        match node:
            case Symbol():
                return self._add(_Position(symbol=node, after=after))
            case Edge(kind):
                return self._add(_Position(edge=kind, free=[after]))
            case InTurn(parts):
                for part in reversed(parts):
                    after = self._build(part, after)
                return after
            case Alternation(options):
                return self._add(_Position(free=[self._build(option, after) for option in options]))
            case Repeat():
                return self._build_repeat(node, after)

    def _build_repeat(self, repeat: Repeat, after: int) -> int:
        if repeat.high is None:
            loop = self._add(_Position(free=[after]))
            self._positions[loop].free.append(self._build(repeat.node, loop))
            start = loop
        else:
            start = after
            for _ in range(repeat.high - repeat.low):
                start = self._add(_Position(free=[after, self._build(repeat.node, start)]))
        for _ in range(repeat.low):
            start = self._build(repeat.node, start)
        return start


class _Position(msgspec.Struct):
    """A position in the pattern: after a symbol, or one that can be skipped."""

    symbol: Symbol | None = None
    after: int = 0
    free: list[int] = []
    edge: str | None = None
    accepts: bool = False


class _Reached(msgspec.Struct, eq=False):
    """All positions reachable after some text."""

    positions: frozenset[int]
    is_decided: bool
    """Whether no further text changes the result, which is `accepts`."""
    accepts: bool
    accepts_at_end: bool
    following: "dict[str, _Reached]" = {}
