"""Asks the server about single experiments: what is stored first, then what holds now. Answers are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from flagtui.api.errors import ApiError
from flagtui.app.screens.experiment_parts.findings import Findings, Metric, Reading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import MetricResult, Timeseries
from flagtui.models.rows import ExperimentRow

if TYPE_CHECKING:
    from flagtui.api import Client

KEPT: Final = 100
FRESH_FOR: Final = 300.0
"""Seconds for which results are not asked for again by themselves: each costs the server a query."""
AT_ONCE: Final = 3
"""Metrics asked for at the same time."""


class ExperimentInspector:
    """Keeps what it was told until the experiment changes or somebody asks again."""

    def __init__(self, client: Client, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock
        self._kept: OrderedDict[int, Findings] = OrderedDict()

    @property
    def client(self) -> Client:
        """Whom it asks."""
        return self._client

    def known(self, row: ExperimentRow) -> Findings:
        """What is known without asking."""
        kept = self._kept.get(row.id)
        if kept is None or kept.row.updated_at != row.updated_at or kept.row.status != row.status:
            return Findings(row)
        return replace(kept, row=row)

    async def look(self, row: ExperimentRow, *, again: bool = False) -> AsyncIterator[Findings]:
        """The experiment as more and more of it arrives. Errors become words."""
        found = self.known(row)
        if not again and found.at is not None and self._clock() - found.at < FRESH_FOR:
            yield found
            return
        try:
            experiment = await self._client.experiments.get(row.id)
        except ApiError as error:
            yield replace(found, trouble=f"{error.what} {error.next}".strip())
            return
        found = self._keep(_opened(found, experiment))
        yield found
        if experiment.start_date is None or experiment.uses_legacy_metrics:
            yield self._keep(replace(found, at=self._clock()))
            return
        found = await self._exposures(found, experiment)
        yield self._keep(found)
        async for measured in self._measure(found, experiment):
            found = self._keep(measured)
            yield found
        yield self._keep(replace(found, at=self._clock()))

    def stop(self, row: ExperimentRow) -> Findings:
        """Nobody waits any more: what has not come by now is not shown as on its way."""
        found = self.known(row)
        readings = tuple(replace(one, is_awaited=False) for one in found.readings)
        return self._keep(replace(found, readings=readings))

    async def series(self, row: ExperimentRow, uuid: str) -> tuple[Metric, Timeseries]:
        """One metric day by day; its fingerprint may have moved, so the experiment is read anew.

        Raises ApiError, and KeyError for a metric that is not there any more.
        """
        experiment = await self._client.experiments.get(row.id)
        metric = next((metric for metric in metrics_of(experiment) if metric.uuid == uuid), None)
        if metric is None:
            raise KeyError(uuid)
        return metric, await self._client.experiments.timeseries(row.id, uuid, metric.fingerprint)

    async def recalculate(self, row: ExperimentRow, metric: Metric) -> str:
        """Asks for the days to be computed anew; gives the state of that. Raises ApiError."""
        asked = await self._client.experiments.recalculate_timeseries(row.id, metric.raw, metric.fingerprint)
        return asked.status

    async def _exposures(self, found: Findings, experiment: Experiment) -> Findings:
        try:
            exposures = await self._client.experiments.exposures(experiment)
        except ApiError as error:
            return replace(found, exposure_trouble=error.what)
        return replace(found, exposed=dict(exposures.total_exposures), exposure_trouble="")

    async def _measure(self, found: Findings, experiment: Experiment) -> AsyncIterator[Findings]:
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(place: int, reading: Reading) -> tuple[int, Reading]:
            async with turn:
                return place, await self._read(reading, experiment)

        tasks = [asyncio.create_task(one(*item)) for item in enumerate(found.readings)]
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

    async def _read(self, reading: Reading, experiment: Experiment) -> Reading:
        try:
            result = await self._client.experiments.result(experiment.id, reading.metric.raw)
        except ApiError as error:
            stored = await self._stored(reading.metric, experiment)
            return stored or replace(reading, is_awaited=False, trouble=error.what)
        return Reading(reading.metric, result)

    async def _stored(self, metric: Metric, experiment: Experiment) -> Reading | None:
        """The last day the server has computed, for keys that may not ask questions."""
        if not metric.uuid or not metric.fingerprint:
            return None
        try:
            series = await self._client.experiments.timeseries(experiment.id, metric.uuid, metric.fingerprint)
        except ApiError:
            return None
        told = [(day, result) for day, result in series.days if result is not None]
        return Reading(metric, told[-1][1], told[-1][0].isoformat()) if told else None

    def _keep(self, found: Findings) -> Findings:
        self._kept[found.row.id] = found
        self._kept.move_to_end(found.row.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found


def _opened(found: Findings, experiment: Experiment) -> Findings:
    """Readings for the metrics there are now, with earlier results shown until newer ones come."""
    earlier: dict[str, MetricResult | None] = {one.metric.uuid: one.result for one in found.readings}
    is_started = experiment.start_date is not None
    readings = tuple(
        Reading(
            metric, earlier.get(metric.uuid), is_awaited=is_started and not experiment.uses_legacy_metrics
        )
        for metric in metrics_of(experiment)
    )
    return replace(found, row=experiment.row(), experiment=experiment, readings=readings, trouble="")


def _counted(found: Findings) -> Findings:
    """Exposures from a result, where the question for them was refused."""
    if found.exposed:
        return found
    result = next((one.result for one in found.readings if one.result and one.result.baseline), None)
    if result is None or result.baseline is None:
        return found
    samples = (result.baseline, *result.variant_results)
    return replace(found, exposed={sample.key: float(sample.number_of_samples) for sample in samples})
