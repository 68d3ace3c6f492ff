"""Who saw which variant, and since when."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

MULTIPLE = "$multiple"
"""The variant of everybody who saw more than one, where such people are excluded."""
Handling = Literal["exclude", "first_seen"]
DAY = 86_400


class Exposure(NamedTuple):
    """One time the flag was asked for; `time` in Unix seconds, UTC."""

    time: float
    variant: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """The variant a person counts for, with their first and last exposure."""

    variant: str
    first: float
    last: float


def assign(exposures: Sequence[Exposure], handling: Handling = "exclude") -> Assignment | None:
    """The variant of one entity; `exposures` are in order of time. None for nobody exposed."""
    if not exposures:
        return None
    first = exposures[0]
    variant = first.variant
    if handling == "exclude" and any(exposure.variant != variant for exposure in exposures):
        variant = MULTIPLE
    return Assignment(variant, first.time, exposures[-1].time)


def by_entity(exposures: Iterable[tuple[str, float, str]]) -> dict[str, list[Exposure]]:
    """(entity, time, variant) grouped by entity, each in order of time."""
    found: dict[str, list[Exposure]] = {}
    for entity, time, variant in exposures:
        found.setdefault(entity, []).append(Exposure(time, variant))
    for seen in found.values():
        seen.sort()
    return found


def exposure_days(
    assignments: Iterable[Assignment], variants: Sequence[str], first_day: int, last_day: int
) -> dict[str, list[int]]:
    """For each variant that was seen: how many were first exposed up to and including each day.

    Days are whole numbers since 1970 in UTC; the order is that of `variants`, with the excluded last.
    """
    new: Counter[tuple[str, int]] = Counter()
    for assignment in assignments:
        new[assignment.variant, int(assignment.first // DAY)] += 1
    seen = {variant for variant, _ in new}
    ordered = [variant for variant in (*variants, MULTIPLE) if variant in seen]
    return {variant: _running(new, variant, first_day, last_day) for variant in ordered}


def totals(days: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The last number of each cumulative series."""
    return {variant: counts[-1] if counts else 0 for variant, counts in days.items()}


def _running(new: Mapping[tuple[str, int], int], variant: str, first_day: int, last_day: int) -> list[int]:
    counts: list[int] = []
    total = sum(count for (seen, day), count in new.items() if seen == variant and day < first_day)
    for day in range(first_day, last_day + 1):
        total += new.get((variant, day), 0)
        counts.append(total)
    return counts
