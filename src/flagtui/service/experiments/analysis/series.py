"""A metric computed as of any moment, and as of the end of every day."""

import bisect
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from flagtui.service.experiments.analysis.metric import Metric
from flagtui.service.experiments.analysis.samples import Sample, tally
from flagtui.service.experiments.analysis.values import (
    DAY,
    Amount,
    Exposure,
    Handling,
    Occurrence,
    assign,
    entity_value,
)

MOST_DAYS = 1_000
_INSTANT = 1e-6


class History(msgspec.Struct, frozen=True):
    """The records of one experiment and one metric, in order of time."""

    metric: Metric
    exposures: Mapping[str, Sequence[Exposure]]
    occurrences: Mapping[str, Sequence[Occurrence]]
    variants: Sequence[str]
    handling: Handling = "exclude"
    only_matured: bool = False


def samples_at(history: History, moment: float, late: float = 0.0) -> list[Sample]:
    """Return the samples from exposures up to `moment`, and events up to `late` seconds after it."""
    return next(walk(history, [(moment, moment + late)]))


def walk(history: History, moments: Sequence[tuple[float, float]]) -> Iterator[list[Sample]]:
    """Yield cumulative samples at each (last exposure, last event) moment, given in ascending order.

    An entity is evaluated again only if it has new events, so the cost of a day depends on its events.
    """
    agenda = _agenda(history, moments)
    values: dict[str, dict[str, Amount]] = {variant: {} for variant in history.variants}
    standing: dict[str, str] = {}
    for place, (exposed_by, happened_by) in enumerate(moments):
        for entity in history.exposures if history.only_matured else agenda[place]:
            values.get(standing.pop(entity, ""), {}).pop(entity, None)
            valued = _value_of(history, entity, exposed_by, happened_by)
            if valued and valued[0] in values:
                variant, value = valued
                values[variant][entity] = value
                standing[entity] = variant
        yield tally(history.metric, values, history.variants)


def day_ends(start: float, end: float, now: float) -> dict[int, float]:
    """Return the moment as of which each day since 1970 is reported, from the start to the end or today.

    Of an experiment that has run for years, the last `MOST_DAYS`.
    """
    last = min(end, now)
    last_day = int(last // DAY)
    days = range(max(int(start // DAY), last_day - MOST_DAYS + 1), last_day + 1)
    return {day: min((day + 1) * DAY - _INSTANT, last) for day in days}


def _agenda(history: History, moments: Sequence[tuple[float, float]]) -> list[set[str]]:
    """Return, for each moment, the entities with news since the previous one."""
    agenda: list[set[str]] = [set() for _ in moments]
    exposed, happened = [first for first, _ in moments], [second for _, second in moments]
    for entity, exposures in history.exposures.items():
        places = {bisect.bisect_left(exposed, exposure.time) for exposure in exposures}
        places |= {
            bisect.bisect_left(happened, occurrence.time)
            for occurrence in history.occurrences.get(entity, ())
        }
        for place in places:
            if place < len(agenda):
                agenda[place].add(entity)
    return agenda


def _value_of(
    history: History, entity: str, exposed_by: float, happened_by: float
) -> tuple[str, Amount] | None:
    """Return the variant one entity counts for and its value there, as far as was known by then."""
    exposures = history.exposures[entity]
    exposures = exposures[: _up_to(exposures, exposed_by)]
    assignment = assign(exposures, history.handling)
    if assignment is None:
        return None
    occurrences = history.occurrences.get(entity, ())
    occurrences = occurrences[: _up_to(occurrences, happened_by)]
    mature_by = happened_by if history.only_matured else None
    value = entity_value(history.metric, assignment, exposures, occurrences, mature_by)
    return None if value is None else (assignment.variant, value)


def _up_to(timed: Sequence[Exposure] | Sequence[Occurrence], moment: float) -> int:
    return bisect.bisect_right(timed, moment, key=lambda item: item[0])
