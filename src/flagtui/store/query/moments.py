"""Moments as people type them while something is on fire: `14:05`, `20m`, `yesterday`, `2026-03-01T14:05`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from typing import Final

from flagtui import local_time
from flagtui.models.change_row import ChangeRow
from flagtui.store.query.language import QueryProblem
from flagtui.store.query.vocabulary import WrongValue

MOMENTS: Final = "a time such as 14:05, 20m, 2h, 7d, today, yesterday or 2026-03-01T14:05"
BEFORE: Final = 3_600.0
"""Seconds before a moment in which its cause is looked for first."""
AFTER: Final = 900.0

_SPAN: Final = re.compile(r"(\d{1,6})(s|m|min|h|d|w)", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(:\d{2})?", re.ASCII)
_CENTRE: Final = re.compile(r"(?:^|(?<=\s))@\s*((?:\d{4}-\d\d-\d\d|today|yesterday)\s+\d{1,2}:\S+|\S+)?")


@dataclass(frozen=True, slots=True)
class Centre:
    """The moment that everything is held against, Unix seconds."""

    at: float

    @property
    def since(self) -> float:
        return self.at - BEFORE

    @property
    def until(self) -> float:
        return self.at + AFTER

    def holds(self, at: float | None) -> bool:
        """Whether a change at that time is within the window."""
        return at is not None and self.since <= at <= self.until


def read_moment(text: str, now: float) -> float:
    """Unix seconds, read in the person's zone. A time of day is the last one there was. Raises WrongValue."""
    wanted = text.strip().lower()
    day, _, clock = wanted.partition(" ")
    try:
        if span := _SPAN.fullmatch(wanted):
            return now - int(span[1]) * _SECONDS[span[2]]
        if day in ("today", "yesterday"):
            at = local_time.read_clock(clock) if clock else time()
            return local_time.on_day(at, now, -1 if day == "yesterday" else 0)
        if _CLOCK.fullmatch(wanted):
            return local_time.last(local_time.read_clock(wanted), now)
        return local_time.read_iso(text)
    except (ValueError, OverflowError, OSError):
        raise WrongValue from None


def moment_of(line: str) -> tuple[str, str]:
    """What stands behind the `@` of a line, and the rest of the line."""
    match = _CENTRE.search(line)
    if match is None:
        return "", line.strip()
    return match[1] or "", f"{line[: match.start()]} {line[match.end() :]}".strip()


def split_centre(line: str, now: float) -> tuple[Centre | None, str, tuple[QueryProblem, ...]]:
    """The `@ 14:05` of a line, and the line with blanks in its place so that positions stay."""
    match = _CENTRE.search(line)
    if match is None:
        return None, line, ()
    rest = line[: match.start()] + " " * (match.end() - match.start()) + line[match.end() :]
    try:
        return Centre(read_moment(match[1] or "", now)), rest, ()
    except WrongValue:
        return (
            None,
            rest,
            (QueryProblem(match.start(), match.end(), f"@ needs {MOMENTS}, in {local_time.label(now)}"),),
        )


def by_closeness(rows: Sequence[ChangeRow], order: Sequence[int], centre: Centre) -> list[int]:
    """What can have caused it first: near before the moment and far-reaching; later changes come last."""
    return sorted(order, key=lambda index: _suspicion(rows[index], centre))


def _suspicion(row: ChangeRow, centre: Centre) -> tuple[bool, bool, float, int]:
    if row.at is None:
        return True, True, float("inf"), -row.place
    distance = abs(centre.at - row.at)
    # A change of everything is looked at as early as one of nothing that was made twice as near.
    heard = distance / (1 + row.weight)
    is_inside = centre.holds(row.at)
    return not is_inside, is_inside and row.at > centre.at, heard if is_inside else distance, -row.place
