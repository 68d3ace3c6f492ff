"""Axes of a chart: round numbers up the side, days below."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Scale:
    """From one percentage to another; zero and every round number stand in the middle of a row."""

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
    """The axis that holds every value and zero, and bounds as far as they leave the values readable."""
    known = list(values)
    lifts = [0.0, *(lift for lift, _, _ in known)]
    reach = max(WIDEST, 1.5 * max(map(abs, lifts)))
    bounds = [min(max(bound, -reach), reach) for _, *both in known for bound in both if bound is not None]
    low, high = min(lifts + bounds), max(lifts + bounds)
    if high - low < TINY:
        low, high = -1.0, 1.0
    fitting = _fitting(low, high, max(LEAST_ROWS, rows))
    return min(fitting, key=lambda scale: (len(scale.ticks) < 2, scale.high - scale.low))


def _fitting(low: float, high: float, rows: int) -> Iterator[Scale]:
    """Axes of so many rows that hold both ends."""
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
    """`+20 %`, `0 %`, `−0.5 %`: with the decimals that the step has."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{value:+.{decimals}f}" if abs(value) > step / 2 else "0"
    return f"{text} %".replace("-", "−")


def day_ticks(days: Sequence[date], width: int) -> list[tuple[int, str]]:
    """Places of days that fit below `width` cells, with their words, from the first day on."""
    if not days:
        return []
    most = max(1, width // LABEL)
    step = next((step for step in DAY_STEPS if (len(days) - 1) // step + 1 <= most), len(days))
    return [(place, day_words(days[place])) for place in range(0, len(days), step)]


def day_words(day: date) -> str:
    """`25 Oct`."""
    return f"{day.day} {day:%b}"
