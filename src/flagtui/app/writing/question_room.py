"""The facts of a question in the room that there is for them."""

from collections.abc import Callable, Iterator
from itertools import islice

from flagtui.text.styled import Piece

Facts = Callable[[int], Iterator[list[Piece]]]
"""The lines of the facts in a width."""


def are_longer(facts: Facts, room: int, width: int) -> bool:
    """Return whether they take more lines than there are."""
    return len(_first(facts(width), room)) > room


def lay_out(facts: Facts, room: int, width: int, beside_bar: int, *, is_short: bool) -> list[list[Piece]]:
    """Return all lines: if too many, without empty ones on a short screen, then beside a scroll bar."""
    rest = facts(width)
    first = _first(rest, room)
    if len(first) > room and is_short:
        rest = filter(None, facts(width))
        first = _first(rest, room)
    if len(first) > room and beside_bar < width:
        rest = facts(max(1, beside_bar))
        first = [*(filter(None, rest) if is_short else rest)]
    return [*first, *rest]


def _first(lines: Iterator[list[Piece]], room: int) -> list[list[Piece]]:
    return [*islice(lines, max(0, room) + 1)]
