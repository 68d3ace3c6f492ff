"""The substrings a pattern requires: most texts fail there, at the speed of `in`."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

import msgspec

from flagtui.store.query.pattern_syntax import Alternation, Edge, InTurn, Node, Repeat, Symbol
from flagtui.store.query.value_tests import Begins, Ends, ValueTest, contains_any

AnyOf = frozenset[str]
"""Words of which one must occur."""
_MOST_WORDS: Final = 8
_EMPTY: Final[AnyOf] = frozenset({""})


class Needs(msgspec.Struct, frozen=True):
    """Requirements of a pattern: all of `all_of` must hold."""

    all_of: tuple[ValueTest[str], ...]
    """The most selective first."""
    is_enough: bool
    """Whether the requirements are sufficient: the pattern has no others."""


def needs_of(tree: Node) -> Needs:
    """Return the requirements of the pattern; none when it can match any text."""
    begins, ends = _word_at_edge(tree, "^", 1), _word_at_edge(tree, "$", -1)
    if begins and _is_only(tree, begins):
        return Needs((Begins(begins),), is_enough=True)
    if ends and _is_only(tree, ends):
        return Needs((Ends(ends),), is_enough=True)
    literals = _look(tree)
    clauses = sorted(_clauses_of(literals), key=_selectivity, reverse=True)
    others = [contains_any(clause) for clause in clauses if not clause & {begins, ends}]
    at_edges = [Begins(begins)] * bool(begins) + [Ends(ends)] * bool(ends)
    is_enough = literals.exact is not None and not literals.has_edges and len(clauses) == 1
    return Needs((*at_edges, *others), is_enough)


def _word_at_edge(tree: Node, edge: str, step: int) -> str:
    """Return the letters right after a `^`, or before a `$`, at the end of the whole pattern."""
    parts = tree.parts[::step] if isinstance(tree, InTurn) else ()
    if not parts or parts[0] != Edge(edge):
        return ""
    letters = takewhile(bool, (part.letter if isinstance(part, Symbol) else "" for part in parts[1:]))
    return "".join(letters)[::step]


def _is_only(tree: Node, word: str) -> bool:
    return isinstance(tree, InTurn) and len(tree.parts) == len(word) + 1


class _Needs(msgspec.Struct, frozen=True):
    exact: AnyOf | None
    """All texts that the node matches, if they are few; edges count as nothing."""
    clauses: tuple[AnyOf, ...] = ()
    has_edges: bool = False


def _look(node: Node) -> _Needs:
    match node:
        case Symbol():
            return _Needs(frozenset({node.letter}) if node.letter else None)
        case Edge():
            return _Needs(_EMPTY, has_edges=True)
        case InTurn(parts):
            return _look_along(parts)
        case Alternation(options):
            return _look_at_options([_look(option) for option in options])
        case Repeat(inner, low, high):
            return _look_at_repeat(_look(inner), low, high)


def _look_along(parts: Iterable[Node]) -> _Needs:
    """Return the texts of consecutive nodes, joined as long as they are few."""
    run, clauses = _EMPTY, list[AnyOf]()
    is_exact, has_edges = True, False
    for need in map(_look, parts):
        has_edges |= need.has_edges
        if need.exact is not None and len(run) * len(need.exact) <= _MOST_WORDS:
            run = frozenset(before + after for before in run for after in need.exact)
            continue
        is_exact = False
        clauses += [run, *need.clauses]
        run = need.exact or _EMPTY
    clauses.append(run)
    narrowing = tuple(_without_longer(clause) for clause in clauses if _narrows(clause))
    return _Needs(run if is_exact else None, narrowing, has_edges)


def _look_at_options(options: list[_Needs]) -> _Needs:
    has_edges = any(option.has_edges for option in options)
    exact = [option.exact for option in options if option.exact is not None]
    together = frozenset[str]().union(*exact)
    if len(exact) == len(options) and len(together) <= _MOST_WORDS:
        return _Needs(together, has_edges=has_edges)
    best = [max(_clauses_of(option), key=_selectivity, default=None) for option in options]
    either = frozenset[str]().union(*(clause for clause in best if clause))
    is_clause = None not in best and len(either) <= _MOST_WORDS
    return _Needs(None, (either,) if is_clause else (), has_edges)


def _look_at_repeat(needs: _Needs, low: int, high: int | None) -> _Needs:
    if low == 0:
        is_few = high == 1 and needs.exact is not None and len(needs.exact) < _MOST_WORDS
        return _Needs((needs.exact or _EMPTY) | _EMPTY if is_few else None, has_edges=needs.has_edges)
    return _Needs(None, _clauses_of(needs), needs.has_edges)


def _clauses_of(needs: _Needs) -> tuple[AnyOf, ...]:
    exact = (_without_longer(needs.exact),) if needs.exact is not None and _narrows(needs.exact) else ()
    return needs.clauses or exact


def _without_longer(words: AnyOf) -> AnyOf:
    """Return the words without those that contain another one."""
    return frozenset(word for word in words if not any(less in word for less in words - {word}))


def _narrows(clause: AnyOf) -> bool:
    return bool(clause) and "" not in clause


def _selectivity(clause: AnyOf) -> tuple[int, int]:
    return min(map(len, clause)), -len(clause)
