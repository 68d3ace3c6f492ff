"""An interval as a bar of characters on an axis that several of them share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from flagtui.app.widgets.glyphs import UNICODE, Glyphs, glyphs_for, terminal_encoding

WIDEST: Final = 0.6
"""Relative difference at which the axis ends: one absurd interval must not flatten the others."""
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Strokes:
    """One cell each."""

    left: str
    line: str
    point: str
    right: str
    zero: str
    more_left: str
    more_right: str


_DRAWN: Final = Strokes("├", "─", "●", "┤", "│", "‹", "›")
_TYPED: Final = Strokes("[", "-", "*", "]", "|", "<", ">")


def strokes_for(glyphs: Glyphs) -> Strokes:
    """What the terminal can write."""
    return _DRAWN if glyphs is UNICODE else _TYPED


def strokes_here() -> Strokes:
    """What this terminal can write."""
    return strokes_for(glyphs_for(terminal_encoding()))


def axis_of(intervals: Iterable[Bounds]) -> Bounds:
    """The axis that shows all of these, zero among them, as far as `WIDEST` allows."""
    known = list(intervals)
    low = min((min(bounds) for bounds in known), default=0.0)
    high = max((max(bounds) for bounds in known), default=0.0)
    low, high = max(-WIDEST, min(0.0, low)), min(WIDEST, max(0.0, high))
    return (low, high) if high > low else (-0.1, 0.1)


def bar(interval: Bounds | None, point: float | None, axis: Bounds, width: int, strokes: Strokes) -> str:
    """`   ├────●───┤` in exactly `width` cells; what reaches beyond the axis ends in an arrow."""
    cells = [" "] * width
    cells[_cell(0.0, axis, width)] = strokes.zero
    if interval is None:
        return "".join(cells)
    low, high = min(interval), max(interval)
    left, right = _cell(low, axis, width), _cell(high, axis, width)
    for place in range(left, right + 1):
        cells[place] = strokes.line
    cells[left] = strokes.more_left if low < axis[0] else strokes.left
    cells[right] = strokes.more_right if high > axis[1] else strokes.right
    middle = (low + high) / 2 if point is None else point
    if axis[0] <= middle <= axis[1]:
        cells[_cell(middle, axis, width)] = strokes.point
    return "".join(cells)


def _cell(value: float, axis: Bounds, width: int) -> int:
    share = (min(max(value, axis[0]), axis[1]) - axis[0]) / (axis[1] - axis[0])
    return round(share * (width - 1))
