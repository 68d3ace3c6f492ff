"""Asks the server about single experiments: what is stored first, then what holds now. Answers are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Final

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError, needs_key
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.details.measurements import Measuring
from flagtui.details.metric_findings import (
    ONLY_THERE,
    Findings,
    Metric,
    MetricReading,
    metrics_of,
)
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_answers import MetricResult, Timeseries
from flagtui.models.rows import ExperimentRow

KEPT: Final = 100
FRESH_FOR: Final = 300.0
"""Seconds for which results are not asked for again by themselves: each costs the server a query."""
GLANCE_FOR: Final = 1800.0
"""Seconds after which a row in the list is glanced at again."""
MOST_EVENTS: Final = 200
"""Events that are asked about in one address, which servers limit to some thousand characters."""
LIVE: Final = ("running", "paused", "exposure_frozen")


def _never() -> bool:
    """Default: metrics are not calculated anew."""
    return False


class ExperimentInspector:
    """Reads results, and caches them until the experiment changes or they are asked for again."""

    def __init__(
        self, client: Client, clock: Callable[[], float], may_calculate: Callable[[], bool] = _never
    ) -> None:
        self._client = client
        self._clock = clock
        self._measuring = Measuring(client, clock, may_calculate, self._hear)
        self._refused: ApiError | None = None
        self._kept: OrderedDict[int, Findings] = OrderedDict()
        self._glimpsed: dict[int, Findings] = {}

    @property
    def client(self) -> Client:
        """The client it reads with."""
        return self._client

    def take_refusal(self) -> ApiError | None:
        """Why the key was refused during the last reads; returned once, None when it was accepted."""
        refused, self._refused = self._refused, None
        return refused

    def _hear(self, error: ApiError) -> None:
        if needs_key(error):
            self._refused = error

    def known(self, row: ExperimentRow) -> Findings:
        """What is known without asking."""
        kept = self._kept.get(row.id)
        if kept is None or not _is_of(kept, row):
            return Findings(row)
        return replace(kept, row=row)

    async def look(self, row: ExperimentRow, *, again: bool = False) -> AsyncIterator[Findings]:
        """The experiment as more and more of it arrives. Errors become words."""
        found, self._refused = self.known(row), None
        if not again and found.at is not None and self._clock() - found.at < FRESH_FOR:
            yield found
            return
        try:
            experiment = await self._client.experiments.get(row.id)
        except ApiError as error:
            self._hear(error)
            yield replace(found, trouble=f"{error.what} {error.next}".strip())
            return
        found = self._keep(_opened(found, experiment))
        yield found
        is_silent = experiment.uses_legacy_metrics and not experiment.has_old_goal
        if experiment.start_date is None or is_silent:
            needs_code = await self._needs_code(experiment)
            yield self._keep(replace(found, at=self._clock(), needs_code=needs_code))
            return
        found = await self._exposures(found, experiment)
        yield self._keep(found)
        async for measured in self._measuring.measure(found, experiment, again=again):
            found = self._keep(measured)
            yield found
        # What was asked with a key that is not accepted any more is asked again with the next one.
        yield self._keep(replace(found, at=found.at if self._refused else self._clock()))

    def glimpsed(self, row: ExperimentRow) -> Findings | None:
        """What is known of its first metric: from looking closely, else from a glance."""
        kept = self.known(row)
        if kept.leading is not None:
            return kept
        found = self._glimpsed.get(row.id)
        return found if found is not None and _is_of(found, row) else None

    def is_worth_a_glance(self, row: ExperimentRow) -> bool:
        """Whether it runs without a conclusion, and was not looked at for a while."""
        if row.status not in LIVE or row.conclusion or row.is_legacy or row.archived:
            return False
        found = self.glimpsed(row)
        return found is None or (found.at is not None and self._clock() - found.at > GLANCE_FOR)

    def forget_glances(self) -> None:
        """Whatever was glanced at may be glanced at again."""
        self._glimpsed.clear()

    async def glance(self, row: ExperimentRow) -> None:
        """Its first metric, asked for when nothing else is waited for. Raises ApiError."""
        found = Findings(row, at=self._clock())
        # Whatever comes of it, it is not asked for again at once.
        self._glimpsed[row.id] = found
        experiment = await self._client.experiments.get(row.id, urgency=Urgency.BACKGROUND)
        metric = next((one for one in metrics_of(experiment) if one.role == "primary"), None)
        if metric is None or experiment.uses_legacy_metrics:
            return
        found = replace(found, experiment=experiment, readings=(MetricReading(metric, is_awaited=True),))
        found = await self._measuring.kept(found, experiment, Urgency.BACKGROUND)
        if found.awaited:
            reading = await self._measuring.read(found.readings[0], experiment, Urgency.BACKGROUND)
            found = replace(found, readings=(reading,))
        self._glimpsed[row.id] = replace(found, at=self._clock())

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
        return metric, await self._client.results.timeseries(row.id, uuid, metric.fingerprint)

    async def recalculate(self, row: ExperimentRow, metric: Metric) -> str:
        """Asks for the days to be computed anew; gives the state of that. Raises ApiError."""
        asked = await self._client.results.recalculate_timeseries(row.id, metric.raw, metric.fingerprint)
        return asked.status

    async def _needs_code(self, experiment: Experiment) -> bool | None:
        """Whether a draft still lacks the code that asks for its flag; None where that is not known."""
        events = events_measured(experiment)
        if experiment.start_date is not None or not 0 < len(events) <= MOST_EVENTS:
            return None
        try:
            return await self._client.results.requires_flag_implementation(events)
        except ApiError:
            return None

    async def _exposures(self, found: Findings, experiment: Experiment) -> Findings:
        try:
            exposures = await self._client.results.exposures(experiment)
        except ApiError as error:
            self._hear(error)
            return replace(found, exposure_trouble=error.what)
        return replace(found, exposed=dict(exposures.total_exposures), exposure_trouble="")

    def _keep(self, found: Findings) -> Findings:
        self._kept[found.row.id] = found
        self._kept.move_to_end(found.row.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found


def _is_of(found: Findings, row: ExperimentRow) -> bool:
    """Whether the experiment is still as it was looked at."""
    return (found.row.updated_at, found.row.status) == (row.updated_at, row.status)


def _opened(found: Findings, experiment: Experiment) -> Findings:
    """Readings for the metrics there are now, with earlier results shown until newer ones come."""
    earlier = {one.metric.uuid: one.result for one in found.readings if one.metric.uuid}
    is_started = experiment.start_date is not None
    readings = tuple(_reading(metric, earlier, is_started=is_started) for metric in metrics_of(experiment))
    return replace(
        found,
        row=experiment.row(),
        experiment=experiment,
        readings=readings,
        trouble="",
        calculated_at=None,
        needs_code=None,
    )


def _reading(
    metric: Metric, earlier: Mapping[str, MetricResult | None], *, is_started: bool
) -> MetricReading:
    if metric.is_old:
        return MetricReading(metric, trouble=ONLY_THERE if is_started else "")
    return MetricReading(metric, earlier.get(metric.uuid), is_awaited=is_started)
