"""The area of a chart: round numbers up the side, days below, dots of braille or letters within."""

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Final

import msgspec

from flagtui.app.widgets.glyphs import UNICODE, Glyphs
from flagtui.text.styled import Piece

LOW_APART: Final = (2, 3, 4)
HIGH_APART: Final = (3, 4, 5)
"""Rows from one number to the next, in a low chart and in a high one."""
HIGH: Final = 20
"""Rows of a high chart."""
LEAST_ROWS: Final = 3
"""One above zero, one below."""
TINY: Final = 1e-9
WIDEST: Final = 60.0
"""Percent up to which an interval widens the axis: one absurd first day must not flatten the others."""
LABEL: Final = 9
"""Cells for a day and the space beside it."""
DAY_STEPS: Final = (1, 2, 7, 14, 28, 91, 182, 364)

Known = tuple[float, float | None, float | None]
"""A value and its bounds, in percent."""


class Scale(msgspec.Struct, frozen=True):
    """The range of percentages that the rows cover; zero and round numbers are in the middle of a row."""

    low: float
    high: float
    step: float
    """Between two round numbers."""

    @property
    def ticks(self) -> tuple[float, ...]:
        """The round numbers, lowest first."""
        first = math.ceil(self.low / self.step - TINY)
        last = math.floor(self.high / self.step + TINY)
        return tuple(self.step * place for place in range(first, last + 1))


def scale_of(values: Iterable[Known], rows: int) -> Scale:
    """Return an axis that contains every value and zero, and bounds as far as the values stay readable."""
    points = list(values)
    lifts = [0.0, *(lift for lift, _, _ in points)]
    reach = max(WIDEST, 1.5 * max(map(abs, lifts)))
    bounds = [min(max(bound, -reach), reach) for _, *both in points for bound in both if bound is not None]
    low, high = min(lifts + bounds), max(lifts + bounds)
    if high - low < TINY:
        low, high = -1.0, 1.0
    fitting = _fitting(low, high, max(LEAST_ROWS, rows))
    return min(fitting, key=lambda scale: (len(scale.ticks) < 2, scale.high - scale.low))


def _fitting(low: float, high: float, rows: int) -> Iterator[Scale]:
    """Yield axes of this number of rows that contain both ends."""
    power = 10.0 ** math.floor(math.log10(high - low))
    for step in (mantissa * power * scale for scale in (0.01, 0.1, 1, 10) for mantissa in (1, 2, 5)):
        for apart in LOW_APART if rows < HIGH else HIGH_APART:
            row = step / apart
            below, above = math.ceil(-low / row - TINY), math.ceil(high / row - TINY)
            left = rows - 1 - below - above
            scale = Scale(-(below + left // 2) * row, (above + left - left // 2) * row, step)
            if left >= 0:
                yield scale


def tick_label(value: float, step: float) -> str:
    """Format a tick as `+20 %`, `0 %` or `−0.5 %`, with the decimals of the step."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{value:+.{decimals}f}" if abs(value) > step / 2 else "0"
    return f"{text} %".replace("-", "−")


def day_ticks(days: Sequence[date], width: int) -> list[tuple[int, str]]:
    """Return the places and labels of days that fit below `width` cells, from the first day on."""
    if not days:
        return []
    most = max(1, width // LABEL)
    step = next((step for step in DAY_STEPS if (len(days) - 1) // step + 1 <= most), len(days))
    return [(place, day_words(days[place])) for place in range(0, len(days), step)]


def day_words(day: date) -> str:
    """Format a day as `25 Oct`."""
    return f"{day.day} {day:%b}"


BAND: Final = "$faint"
QUIET: Final = "$text-muted"
MISSING: Final = "$warning"
_BRAILLE: Final = 0x2800
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille character by row and column."""
MARKED_EVERY: Final = 8
"""Cells between two marks of one line at least."""


class Frame(msgspec.Struct, frozen=True):
    """The characters around the lines."""

    side: str
    tick: str
    corner: str
    bottom: str
    foot: str
    shade: str
    """The look of a band, for the legend; with letters, its character."""
    cross: str
    minus: str


_DRAWN: Final = Frame("│", "┤", "└", "─", "┬", "⠕", "×", "−")
_TYPED: Final = Frame("|", "+", "+", "-", "+", ":", "x", "-")
_COLOURS: Final = ("$primary", "$success", "$secondary", "$warning")


def frame_for(glyphs: Glyphs) -> Frame:
    """Return the frame that the terminal can draw."""
    return _DRAWN if glyphs is UNICODE else _TYPED


def line_styles(glyphs: Glyphs) -> tuple[Piece, ...]:
    """Return the mark of each line, which distinguishes it from the others without colour, and that colour.

    From the fifth line on they come again.
    """
    return tuple(zip("●◆▲■" if glyphs is UNICODE else "*o#@", _COLOURS, strict=True))


class Canvas:
    """Draws days and percents as rows of pieces. Values outside the scale are cut off."""

    def __init__(self, size: tuple[int, int], scale: Scale, days: int, glyphs: Glyphs, *, lines: int) -> None:
        self.width, self.height = size
        self._scale = scale
        self._days = days
        self._styles = line_styles(glyphs)
        self._lines = lines
        self._is_drawn = glyphs is UNICODE
        self.frame = frame_for(glyphs)
        self._across, self._down = (2, 4) if self._is_drawn else (1, 1)
        self._dots: dict[tuple[int, int], tuple[int, str]] = {}
        self._shade: dict[tuple[int, int], int] = {}
        self._marks: dict[tuple[int, int], Piece] = {}

    def column_of(self, place: int) -> int:
        """Return the cell of a day."""
        return round(self._x(place) / self._across - (0.25 if self._is_drawn else 0.0))

    def row_of(self, value: float) -> int:
        """Return the cell of a percentage."""
        return round(self._share(value) * (self.height - 1))

    def band(self, bounds: Sequence[tuple[int, float, float]], number: int) -> None:
        """Shade what lies between low and high, from day to day."""
        ends = [(self._x(place), self._within(high), self._within(low)) for place, low, high in bounds]
        if len(ends) == 1:
            # A day alone has no neighbour to be shaded towards.
            ends.append((ends[0][0] + 1, *ends[0][1:]))
        for (x, top, bottom), (until, last_top, last_bottom) in pairwise(ends):
            for column in range(round(x), round(until) + 1):
                share = (column - x) / (until - x) if until > x else 0.0
                begin, end = top + (last_top - top) * share, bottom + (last_bottom - bottom) * share
                for row in range(round(begin), round(end) + 1):
                    self._shade_dot(column, row, number)

    def line(self, points: Sequence[tuple[int, float]], number: int) -> None:
        """Join the days by a line and mark the last; one of several is marked on the way, too."""
        places = [(self._x(place), self._y(value)) for place, value in points]
        style = self._styles[number % len(self._styles)]
        for (x, y), (until, last) in pairwise(places):
            before = round(y)
            for column in range(round(x), round(until) + 1):
                share = (column - x) / (until - x) if until > x else 1.0
                row = round(y + (last - y) * share)
                for step in range(min(before, row), max(before, row) + 1):
                    # Between two columns a steep line goes straight up.
                    if step != before or before == row or column == round(x):
                        self._dot(column, step, style)
                before = row
        every = math.ceil(MARKED_EVERY * max(1, self._days - 1) / self.width)
        for x, y in places[-1:] if self._lines == 1 else places[::-every]:
            # In the cell of the line's own dot: a row above or below it would show another value.
            self._mark(round(x) // self._across, round(y) // self._down, *style)

    def crosses(self, places: Sequence[int]) -> None:
        """Draw days without a value as crosses on the line of zero."""
        for place in places:
            self._mark(self.column_of(place), self.row_of(0.0), self.frame.cross, MISSING)

    def rows(self) -> Iterator[list[Piece]]:
        """Yield the rows from the top, with neighbours of one style as one piece."""
        zero = self.row_of(0.0) if self._scale.low <= 0 <= self._scale.high else -1
        for row in range(self.height):
            pieces: list[Piece] = []
            for column in range(self.width):
                character, style = self._cell(column, row, row == zero)
                if pieces and pieces[-1][1] == style:
                    pieces[-1] = (pieces[-1][0] + character, style)
                else:
                    pieces.append((character, style))
            yield pieces

    def _cell(self, column: int, row: int, is_zero: bool) -> Piece:
        at = (column, row)
        if at in self._marks:
            return self._marks[at]
        if at in self._dots:
            bits, style = self._dots[at]
            return (chr(_BRAILLE + bits) if self._is_drawn else chr(bits)), style
        if is_zero:
            return self.frame.bottom, QUIET
        if at in self._shade:
            return (chr(_BRAILLE + self._shade[at]) if self._is_drawn else self.frame.shade), BAND
        return " ", ""

    def _dot(self, column: int, row: int, style: Piece) -> None:
        at = (column // self._across, row // self._down)
        if not self._is_inside(at):
            return
        if not self._is_drawn:
            self._dots[at] = (ord(style[0]), style[1])
            return
        bits = _DOTS[row % self._down][column % self._across]
        self._dots[at] = (self._dots.get(at, (0, ""))[0] | bits, style[1])

    def _shade_dot(self, column: int, row: int, number: int) -> None:
        at = (column // self._across, row // self._down)
        # Few dots, and others for each line: where bands overlap they are darker.
        every = 4 if self._lines == 1 else 8
        if self._is_inside(at) and (not self._is_drawn or (column + 2 * row + 3 * number) % every == 0):
            self._shade[at] = self._shade.get(at, 0) | _DOTS[row % self._down][column % self._across]

    def _mark(self, column: int, row: int, character: str, style: str) -> None:
        if self._is_inside((column, row)):
            self._marks[column, row] = (character, style)

    def _is_inside(self, at: tuple[int, int]) -> bool:
        return 0 <= at[0] < self.width and 0 <= at[1] < self.height

    def _share(self, value: float) -> float:
        return (self._scale.high - value) / (self._scale.high - self._scale.low)

    def _x(self, place: int) -> float:
        """Return the x position in dots: the middle of a cell for the first and the last day."""
        share = place / (self._days - 1) if self._days > 1 else 0.5
        return share * (self.width - 1) * self._across + (self._across - 1) / 2

    def _within(self, value: float) -> float:
        """Clamp a position to the scale: an end beyond it can be millions of dots away."""
        return self._y(min(max(value, self._scale.low), self._scale.high))

    def _y(self, value: float) -> float:
        return self._share(value) * (self.height - 1) * self._down + (self._down - 1) / 2
