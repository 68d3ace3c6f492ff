"""Load results from the first available source: cached, calculated, queried, or the last stored day.

The oldest servers have none of these and report one goal only.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError
from flagtui.details.metric_findings import Findings, Metric, MetricReading
from flagtui.local_time import unix
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import MetricsRun
from flagtui.models.experiment_results import is_old_share, read_result

AT_ONCE: Final = 3
"""The most metrics queried at the same time."""
KEPT_FOR: Final = 3600.0
"""Seconds for which results cached by the server are used instead of a new calculation."""
WAITS: Final = (1.0, 1.0, 2.0, 3.0, *[5.0] * 30)
"""Seconds between polls of a calculation; about two and a half minutes in total."""


class Measuring:
    """Loads the readings of an experiment. Errors become `trouble`."""

    def __init__(
        self,
        client: Client,
        clock: Callable[[], float],
        may_calculate: Callable[[], bool],
        on_error: Callable[[ApiError], None] = lambda _error: None,
    ) -> None:
        self._client = client
        self._on_error = on_error
        self._clock = clock
        self._may_calculate = may_calculate

    async def measure(
        self, details: Findings, experiment: Experiment, *, again: bool
    ) -> AsyncIterator[Findings]:
        """Yield the details as results arrive; `again` ignores cached results."""
        if all(reading.metric.is_old for reading in details.readings):
            yield await self._of_the_first_servers(details)
            return
        if not again:
            details = await self.with_last_results(details, experiment)
            yield details
        elif self._may_calculate():
            async for calculated in self._calculate(details):
                details = calculated
                yield details
        if details.awaited:
            async for queried in self._query_metrics(details, experiment):
                yield queried

    async def with_last_results(
        self, details: Findings, experiment: Experiment, urgency: Urgency = Urgency.PERSON
    ) -> Findings:
        """Return the details with the last calculation's results, if recent or final."""
        try:
            run = await self._client.results.latest_recalculation(experiment.id, urgency=urgency)
        except ApiError as error:
            self._on_error(error)
            return details
        counted_until = unix(run.query_to or run.completed_at) if run is not None else None
        if run is None or counted_until is None:
            return details
        ended = unix(experiment.end_date)
        is_final = ended is not None and counted_until >= ended
        return adopt(details, run) if is_final or self._clock() - counted_until < KEPT_FOR else details

    async def _calculate(self, details: Findings) -> AsyncIterator[Findings]:
        """Recalculate all metrics on the server; metrics still pending afterwards are queried one by one."""
        results, id = self._client.results, details.row.id
        try:
            run = await results.recalculate(id)
            for wait in WAITS:
                details = adopt(details, run)
                yield details
                if run.is_over:
                    return
                await self._client.connection.clock.sleep(wait)
                run = await results.recalculation(id, run.id)
        except ApiError as error:
            self._on_error(error)
            return

    async def _query_metrics(self, details: Findings, experiment: Experiment) -> AsyncIterator[Findings]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def read_at(place: int, reading: MetricReading) -> tuple[int, MetricReading]:
            async with turn:
                return place, await self.read(reading, experiment)

        waiting = [item for item in enumerate(details.readings) if item[1].is_awaited]
        tasks = [asyncio.create_task(read_at(*item)) for item in waiting]
        try:
            for task in asyncio.as_completed(tasks):
                place, reading = await task
                readings = list(details.readings)
                readings[place] = reading
                details = replace(details, readings=tuple(readings))
                yield with_exposures(details)
        finally:
            for left in tasks:
                left.cancel()

    async def read(
        self, reading: MetricReading, experiment: Experiment, urgency: Urgency = Urgency.PERSON
    ) -> MetricReading:
        """Return the metric's current result, else the last stored day, else the error."""
        ask = self._client.results.result
        try:
            result = await ask(experiment.id, reading.metric.raw, urgency=urgency)
        except ApiError as error:
            self._on_error(error)
            missing = replace(reading, is_awaited=False, trouble=error.what)
            return await self._read_stored(missing, experiment) or missing
        return MetricReading(reading.metric, result)

    async def _read_stored(self, missing: MetricReading, experiment: Experiment) -> MetricReading | None:
        """Return the last stored day, with the reason why there is nothing newer."""
        metric = missing.metric
        if not metric.uuid or not metric.fingerprint:
            return None
        try:
            series = await self._client.results.timeseries(experiment.id, metric.uuid, metric.fingerprint)
        except ApiError:
            return None
        days = [(day, result) for day, result in series.days if result is not None]
        return replace(missing, result=days[-1][1], as_of=days[-1][0].isoformat()) if days else None

    async def _of_the_first_servers(self, details: Findings) -> Findings:
        """Return the details with the one goal that the oldest servers measure."""
        try:
            answer = await self._client.results.old_result(details.row.id)
        except ApiError as error:
            self._on_error(error)
            return details
        result = read_result(answer)
        if result is None:
            return details
        kind = "funnel" if is_old_share(answer) else "trends"
        first, *others = details.readings or (MetricReading(Metric({"name": "goal"}, "primary")),)
        # The response, not the goal, has whether it counts users or events.
        goal = replace(first.metric, raw={**first.metric.raw, "metric_type": kind})
        return with_exposures(replace(details, readings=(MetricReading(goal, result), *others)))


def adopt(details: Findings, run: MetricsRun) -> Findings:
    """Return the details with the results of a calculation; metrics changed since then stay pending."""
    readings = tuple(_outcome(reading, run) for reading in details.readings)
    as_of = unix(run.query_to or run.completed_at)
    return with_exposures(replace(details, readings=readings, calculated_at=as_of))


def _outcome(reading: MetricReading, run: MetricsRun) -> MetricReading:
    metric, outcome = reading.metric, run.outcomes.get(reading.metric.uuid)
    if outcome is None or (outcome.fingerprint and outcome.fingerprint != metric.fingerprint):
        return reading
    if (result := outcome.measured) is not None:
        return MetricReading(metric, result)
    if outcome.status == "failed":
        return replace(reading, is_awaited=False, trouble=outcome.error_message or "calculation failed")
    return reading


def with_exposures(details: Findings) -> Findings:
    """Return the details with exposures from a result, if their own request failed."""
    if details.exposed:
        return details
    result = next((each.result for each in details.readings if each.result and each.result.baseline), None)
    if result is None or result.baseline is None:
        return details
    samples = (result.baseline, *result.variant_results)
    counts = {sample.key: sample.number_of_samples for sample in samples}
    return replace(details, exposed={key: number for key, number in counts.items() if number is not None})
