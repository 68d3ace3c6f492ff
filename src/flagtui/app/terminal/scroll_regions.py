"""Finds lines that only moved up or down, so that the terminal can be asked to move them itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import ne
from typing import NamedTuple

from flagtui.app.terminal.screen_cells import Row

FEWEST_LINES = 4
"""With fewer lines that moved, painting them is as cheap."""


class Shift(NamedTuple):
    """The lines from `top` to `bottom` will show what is `by` lines further down now, or up when negative."""

    top: int
    bottom: int
    by: int


def find_shift(old: Sequence[Row], new: Mapping[int, Row]) -> Shift | None:
    """The shift that leaves fewer cells to paint than there are now, if there is one."""
    changed = {y: row for y, row in new.items() if row != old[y]}
    if len(changed) < FEWEST_LINES:
        return None
    where = {_left_text(row): y for y, row in reversed([*enumerate(old)])}
    distances = {y: where[left] - y for y, row in changed.items() if (left := _left_text(row)) in where}
    votes = Counter(distances.values())
    del votes[0]
    by, moved = votes.most_common(1)[0] if votes else (0, 0)
    if moved < FEWEST_LINES:
        return None
    lines = [y for y, distance in distances.items() if distance == by]
    shift = Shift(min(lines[0], lines[0] + by), max(lines[-1], lines[-1] + by), by)
    return shift if _cost_after(shift, old, new) < _cost_before(shift, old, new) else None


def _left_text(row: Row) -> str:
    """What the left half of a line says: a pane beside a list does not move along with it."""
    return "".join([cell[0] for cell in row[: len(row) // 2] if cell is not None])


def _cost_before(shift: Shift, old: Sequence[Row], new: Mapping[int, Row]) -> int:
    return sum(_differing(old[y], new[y]) for y in range(shift.top, shift.bottom + 1) if y in new)


def _cost_after(shift: Shift, old: Sequence[Row], new: Mapping[int, Row]) -> int:
    cost = 0
    for y in range(shift.top, shift.bottom + 1):
        wanted = new.get(y, old[y])
        source = y + shift.by
        is_moved = shift.top <= source <= shift.bottom
        cost += _differing(old[source], wanted) if is_moved else len(wanted)
    return cost


def _differing(one: Row, other: Row) -> int:
    """How many cells differ."""
    return 0 if one == other else sum(map(ne, one, other))
