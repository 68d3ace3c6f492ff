"""Results through whatever the server offers: kept ones, calculated ones, asked ones, the last stored day.

The oldest servers know none of that and tell about one goal only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.details.metric_findings import Findings, Metric, MetricReading
from flagtui.local_time import unix
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import MetricsRun, is_old_share, read_old_result

AT_ONCE: Final = 3
"""Metrics asked for at the same time."""
KEPT_FOR: Final = 3600.0
"""Seconds for which results that the server keeps are shown instead of asking it to compute them."""
WAITS: Final = (1.0, 1.0, 2.0, 3.0, *[5.0] * 30)
"""Seconds between two looks at a calculation: about two and a half minutes in all."""


class Measuring:
    """Fills the readings of an experiment, one after the other. Errors become words."""

    def __init__(
        self,
        client: Client,
        clock: Callable[[], float],
        may_calculate: Callable[[], bool],
        hear: Callable[[ApiError], None] = lambda _error: None,
    ) -> None:
        self._client = client
        self._hear = hear
        self._clock = clock
        self._may_calculate = may_calculate

    async def measure(
        self, found: Findings, experiment: Experiment, *, again: bool
    ) -> AsyncIterator[Findings]:
        """More and more of the results; `again` does with no older ones."""
        if all(reading.metric.is_old for reading in found.readings):
            yield await self._of_the_first_servers(found)
            return
        if not again:
            found = await self.kept(found, experiment)
            yield found
        elif self._may_calculate():
            async for calculated in self._calculated(found):
                found = calculated
                yield found
        if found.awaited:
            async for asked in self._asked(found, experiment):
                yield asked

    async def kept(
        self, found: Findings, experiment: Experiment, urgency: Urgency = Urgency.PERSON
    ) -> Findings:
        """With the results of the last calculation, where that is young enough or there is nothing to add."""
        try:
            run = await self._client.results.latest_recalculation(experiment.id, urgency=urgency)
        except ApiError as error:
            self._hear(error)
            return found
        counted_until = unix(run.query_to or run.completed_at) if run is not None else None
        if run is None or counted_until is None:
            return found
        ended = unix(experiment.end_date)
        is_final = ended is not None and counted_until >= ended
        return adopt(found, run) if is_final or self._clock() - counted_until < KEPT_FOR else found

    async def _calculated(self, found: Findings) -> AsyncIterator[Findings]:
        """Has the server calculate all metrics anew; where it cannot, each metric is asked for by itself."""
        results, id = self._client.results, found.row.id
        try:
            run = await results.recalculate(id)
            for wait in WAITS:
                found = adopt(found, run)
                yield found
                if run.is_over:
                    return
                await self._client.connection.clock.sleep(wait)
                run = await results.recalculation(id, run.id)
        except ApiError as error:
            self._hear(error)
            return

    async def _asked(self, found: Findings, experiment: Experiment) -> AsyncIterator[Findings]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(place: int, reading: MetricReading) -> tuple[int, MetricReading]:
            async with turn:
                return place, await self.read(reading, experiment)

        waiting = [item for item in enumerate(found.readings) if item[1].is_awaited]
        tasks = [asyncio.create_task(one(*item)) for item in waiting]
        try:
            for task in asyncio.as_completed(tasks):
                place, reading = await task
                readings = list(found.readings)
                readings[place] = reading
                found = replace(found, readings=tuple(readings))
                yield _counted(found)
        finally:
            for left in tasks:
                left.cancel()

    async def read(
        self, reading: MetricReading, experiment: Experiment, urgency: Urgency = Urgency.PERSON
    ) -> MetricReading:
        """One metric as of now, else the last day that is stored, else why there is nothing."""
        ask = self._client.results.result
        try:
            result = await ask(experiment.id, reading.metric.raw, urgency=urgency)
        except ApiError as error:
            self._hear(error)
            stored = await self._stored(reading.metric, experiment)
            return stored or replace(reading, is_awaited=False, trouble=error.what)
        return MetricReading(reading.metric, result)

    async def _stored(self, metric: Metric, experiment: Experiment) -> MetricReading | None:
        """The last day the server has computed, for keys that may not ask questions."""
        if not metric.uuid or not metric.fingerprint:
            return None
        try:
            series = await self._client.results.timeseries(experiment.id, metric.uuid, metric.fingerprint)
        except ApiError:
            return None
        told = [(day, result) for day, result in series.days if result is not None]
        return MetricReading(metric, told[-1][1], told[-1][0].isoformat()) if told else None

    async def _of_the_first_servers(self, found: Findings) -> Findings:
        """Without metrics there is nothing to measure, or a server that measures one goal in its own way."""
        try:
            answer = await self._client.results.old_result(found.row.id)
        except ApiError as error:
            self._hear(error)
            return found
        result = read_old_result(answer)
        if result is None:
            return found
        kind = "funnel" if is_old_share(answer) else "trends"
        known, *others = found.readings or (MetricReading(Metric({"name": "its goal"}, "primary")),)
        # The answer tells whether it counts people or events, whatever the goal says of itself.
        goal = replace(known.metric, raw={**known.metric.raw, "metric_type": kind})
        return _counted(replace(found, readings=(MetricReading(goal, result), *others)))


def adopt(found: Findings, run: MetricsRun) -> Findings:
    """With what a calculation has found so far; a metric that was changed since keeps waiting."""
    readings = tuple(_outcome(reading, run) for reading in found.readings)
    as_of = unix(run.query_to or run.completed_at)
    return _counted(replace(found, readings=readings, calculated_at=as_of))


def _outcome(reading: MetricReading, run: MetricsRun) -> MetricReading:
    metric, outcome = reading.metric, run.outcomes.get(reading.metric.uuid)
    if outcome is None or (outcome.fingerprint and outcome.fingerprint != metric.fingerprint):
        return reading
    if (result := outcome.measured) is not None:
        return MetricReading(metric, result)
    if outcome.status == "failed":
        return replace(reading, is_awaited=False, trouble=outcome.error_message or "it cannot be calculated")
    return reading


def _counted(found: Findings) -> Findings:
    """Exposures from a result, where the question for them was refused."""
    if found.exposed:
        return found
    result = next((one.result for one in found.readings if one.result and one.result.baseline), None)
    if result is None or result.baseline is None:
        return found
    samples = (result.baseline, *result.variant_results)
    return replace(found, exposed={sample.key: float(sample.number_of_samples) for sample in samples})
