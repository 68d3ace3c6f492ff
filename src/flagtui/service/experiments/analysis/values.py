"""Exposures of people or groups to variants, and the worth of their events to a metric."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

import msgspec

from flagtui.service.experiments.analysis.metric import Aggregation, Metric, Retention

MULTIPLE = "$multiple"
"""The variant of people who saw several, if they are excluded."""
Handling = Literal["exclude", "first_seen"]
DAY = 86_400


class Exposure(NamedTuple):
    """A call of the flag; `time` in Unix seconds, UTC."""

    time: float
    variant: str


class Assignment(msgspec.Struct, frozen=True):
    """The variant a person counts for, with their first and last exposure."""

    variant: str
    first: float
    last: float


def assign(exposures: Sequence[Exposure], handling: Handling = "exclude") -> Assignment | None:
    """Return the variant of one entity; `exposures` are in order of time. None without any."""
    if not exposures:
        return None
    first = exposures[0]
    variant = first.variant
    if handling == "exclude" and any(exposure.variant != variant for exposure in exposures):
        variant = MULTIPLE
    return Assignment(variant, first.time, exposures[-1].time)


def by_entity(exposures: Iterable[tuple[str, float, str]]) -> dict[str, list[Exposure]]:
    """Group (entity, time, variant) by entity, each in order of time."""
    by_name: dict[str, list[Exposure]] = {}
    for entity, time, variant in exposures:
        by_name.setdefault(entity, []).append(Exposure(time, variant))
    for seen in by_name.values():
        seen.sort()
    return by_name


def exposure_days(
    assignments: Iterable[Assignment], variants: Sequence[str], first_day: int, last_day: int
) -> dict[str, list[int]]:
    """Return how many entities were first exposed to each variant up to and including each day.

    Days are whole numbers since 1970 in UTC. All `variants` are present in their order; `MULTIPLE` is last,
    and only present if an entity has it.
    """
    new: Counter[tuple[str, int]] = Counter()
    for assignment in assignments:
        new[assignment.variant, int(assignment.first // DAY)] += 1
    has_multiple = any(variant == MULTIPLE for variant, _ in new)
    ordered = (*variants, MULTIPLE) if has_multiple else variants
    return {variant: _running(new, variant, first_day, last_day) for variant in ordered}


def totals(days: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return the last number of each cumulative series."""
    return {variant: counts[-1] if counts else 0 for variant, counts in days.items()}


def _running(new: Mapping[tuple[str, int], int], variant: str, first_day: int, last_day: int) -> list[int]:
    before = sum(count for (seen, day), count in new.items() if seen == variant and day < first_day)
    added = (new.get((variant, day), 0) for day in range(first_day, last_day + 1))
    return [*accumulate(added, initial=before)][1:]


LARGEST = 1e100
"""Numbers beyond are taken as absent: their squares could not be summed."""


class Occurrence(NamedTuple):
    """One stored event as one of the metric's sources sees it; `time` in Unix seconds."""

    time: float
    event: int
    """Distinguishes events: one event is at most one step of a funnel."""
    role: int
    """Index into the metric's sources."""
    value: float | str | None = None
    """The property asked for: a number, or an identity to be counted once."""


class Amount(msgspec.Struct, frozen=True):
    """The value that one entity adds to its variant."""

    numerator: float
    denominator: float = 0.0
    steps: int = 0
    """Of a funnel: steps reached after the exposure."""


def entity_value(
    metric: Metric,
    assignment: Assignment,
    exposures: Sequence[Exposure],
    occurrences: Sequence[Occurrence],
    mature_by: float | None = None,
) -> Amount | None:
    """Return the value of one entity; None if it is not counted. All sequences are in order of time.

    `mature_by`: count only those whose window had closed by then.
    """
    if metric.kind == "retention":
        return _retention(metric, assignment, occurrences, mature_by)
    if mature_by is not None and metric.window and assignment.first + metric.window > mature_by:
        return None
    if metric.kind == "funnel":
        reached = _steps_reached(metric, exposures, occurrences)
        return Amount(1.0 if reached == len(metric.sources) else 0.0, steps=reached)
    sides = [_side(metric, role, assignment, occurrences) for role in range(len(metric.sources))]
    if metric.threshold is not None:
        sides[0] = 1.0 if sides[0] >= metric.threshold else 0.0
    return Amount(sides[0], sides[1] if len(sides) > 1 else 0.0)


def number(value: object) -> float | None:
    """Return a property as a number: numbers, and text that is one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        converted = float(value)
    except (ValueError, OverflowError):
        return None
    return converted if -LARGEST < converted < LARGEST else None


def _side(metric: Metric, role: int, assignment: Assignment, occurrences: Sequence[Occurrence]) -> float:
    end = assignment.last + metric.window if metric.window else float("inf")
    inside = (occurrence for occurrence in occurrences if assignment.first <= occurrence.time < end)
    values = [occurrence.value for occurrence in inside if occurrence.role == role]
    return _aggregate(metric.sources[role].aggregation, values)


_OF_NUMBERS: Mapping[Aggregation, Callable[[list[float]], float]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "avg": lambda numbers: sum(numbers) / len(numbers),
}


def _aggregate(aggregation: Aggregation, values: Sequence[float | str | None]) -> float:
    """Aggregate the values; absent numbers count as zero, and no events give zero."""
    if aggregation == "total":
        return float(len(values))
    if aggregation in ("unique_session", "dau", "unique_group"):
        return float(len({value for value in values if value not in (None, "")}))
    numbers = [number(value) or 0.0 for value in values]
    return _OF_NUMBERS[aggregation](numbers) if numbers else 0.0


def _steps_reached(metric: Metric, exposures: Sequence[Exposure], occurrences: Sequence[Occurrence]) -> int:
    """Return the most steps done after any one exposure and within the window of that one.

    Without a window the first exposure sees all that later ones see.
    """
    starts = exposures if metric.window else exposures[:1]
    best = 0
    for start in starts:
        end = start.time + metric.window if metric.window else float("inf")
        seen = [occurrence for occurrence in occurrences if start.time <= occurrence.time <= end]
        best = max(best, _walk(metric, seen))
    return best


def _walk(metric: Metric, seen: Sequence[Occurrence]) -> int:
    if metric.order == "unordered":
        return _count_matches(metric, seen)
    reached, used = 0, -1
    events: dict[int, set[int]] = {}
    for occurrence in seen:
        events.setdefault(occurrence.event, set()).add(occurrence.role)
    for event, roles in events.items():
        if reached in roles and event != used:
            reached, used = reached + 1, event
            if reached == len(metric.sources):
                break
        elif metric.order == "strict" and reached and reached - 1 not in roles:
            break
    return reached


def _count_matches(metric: Metric, seen: Sequence[Occurrence]) -> int:
    """Return the largest number of steps that can each have an event of their own (augmenting paths)."""
    events: list[set[int]] = [set() for _ in metric.sources]
    for occurrence in seen:
        events[occurrence.role].add(occurrence.event)
    taken: dict[int, int] = {}

    def place(step: int, tried: set[int]) -> bool:
        for event in events[step] - tried:
            tried.add(event)
            if event not in taken or place(taken[event], tried):
                taken[event] = step
                return True
        return False

    return sum(place(step, set()) for step in range(len(events)))


def _retention(
    metric: Metric, assignment: Assignment, occurrences: Sequence[Occurrence], mature_by: float | None
) -> Amount | None:
    """Return 1 of 1 for people who returned in time, 0 of 1 for others, None for those who never started."""
    rule = metric.retention or Retention(0, 0, 0, True)
    end = assignment.first + metric.window if metric.window else float("inf")
    inside = (occurrence for occurrence in occurrences if assignment.first <= occurrence.time <= end)
    starts = [occurrence.time for occurrence in inside if occurrence.role == 0]
    if not starts:
        return None
    start = starts[0] if rule.first_start else starts[-1]
    if mature_by is not None and start + rule.end > mature_by:
        return None
    base = _round_down(start, rule.rounding)
    returns = (
        _round_down(occurrence.time, rule.rounding) - base
        for occurrence in occurrences
        if occurrence.role == 1
    )
    came_back = any(rule.start <= later <= rule.end for later in returns)
    return Amount(1.0 if came_back else 0.0, 1.0)


def _round_down(time: float, rounding: int) -> float:
    return time - time % rounding if rounding else time
