"""Load the details of experiments, stored results first, and cache them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

from msgspec.structs import replace

from flagtui.api import Client
from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError, needs_key
from flagtui.api.heavy_work import off_loop
from flagtui.changes.experiments.metric_nodes import events_measured
from flagtui.details.measurements import Measuring, with_exposures
from flagtui.details.metric_findings import ONLY_IN_BROWSER, Findings, Metric, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.models.rows import ExperimentRow

KEPT: Final = 100
FRESH_FOR: Final = 300.0
"""Seconds before results are requested again automatically; each request costs the server a query."""
GLANCE_FOR: Final = 1800.0
"""Seconds before the result in a list row is refreshed."""
MOST_EVENTS: Final = 200
"""The most events in one address, which servers limit to some thousand characters."""
LIVE: Final = ("running", "paused", "exposure_frozen")


class ExperimentInspector:
    """Loads results and caches them until the experiment changes or they are requested again."""

    def __init__(
        self,
        client: Client,
        clock: Callable[[], float],
        may_calculate: Callable[[], bool] = lambda: False,
        learn_row: Callable[[ExperimentRow], object] = lambda _row: None,
    ) -> None:
        """`learn_row` is called with the row of each experiment that was read."""
        self.client = client
        self._clock = clock
        self._learn_row = learn_row
        self._measuring = Measuring(client, clock, may_calculate, self._note_refusal)
        self._refused: ApiError | None = None
        self._kept: OrderedDict[int, Findings] = OrderedDict()
        self._glances: dict[int, Findings] = {}
        self._attempts: dict[tuple[int, object, str], float] = {}
        """When the result for a list row was last requested, by version of the experiment."""
        self._outdated: set[int] = set()
        """Ids of the experiments whose cached results are shown until they have been read again."""

    def take_refusal(self) -> ApiError | None:
        """Return and clear the error of a refused key; None if the key was accepted."""
        refused, self._refused = self._refused, None
        return refused

    def _note_refusal(self, error: ApiError) -> None:
        if needs_key(error):
            self._refused = error

    def cached_findings(self, row: ExperimentRow) -> Findings:
        """Return the cached details, without a request."""
        kept = self._kept.get(row.id)
        if kept is None or not _is_of(kept, row):
            return Findings(row)
        return replace(kept, row=row)

    async def load(
        self, row: ExperimentRow, *, again: bool = False, with_flag: bool = False
    ) -> AsyncIterator[Findings]:
        """Yield the details as they arrive; `again` ignores cached results. Errors become `trouble`.

        `with_flag` reads the experiment also where its results are fresh: its flag may have changed since.
        """
        details, self._refused = self.cached_findings(row), None
        is_fresh = details.at is not None and self._clock() - details.at < FRESH_FOR
        # Fresh results with pending ones: an earlier load that read them again was interrupted.
        again = again or row.id in self._outdated or (is_fresh and details.awaited > 0)
        self._outdated.discard(row.id)
        is_settled = is_fresh and not again
        if is_settled:
            yield details
            if not with_flag:
                return
        failed_before = self.client.link.failed_reads
        try:
            experiment = await self.client.experiments.get(row.id)
        except ApiError as error:
            self._note_refusal(error)
            yield replace(details, trouble=f"{error.what} {error.next}".strip())
            return
        if is_settled and _is_of(details, experiment.row()):
            yield self._keep(replace(details, experiment=experiment, trouble=""))
            return
        details = self._keep(await off_loop(lambda: _with_metrics(details, experiment), experiment.raw))
        yield details
        self._learn_row(details.row)
        is_silent = experiment.uses_legacy_metrics and not experiment.has_old_goal
        if experiment.start_date is None or (is_silent and not details.awaited):
            needs_code = await self._needs_code(experiment)
            yield self._keep(replace(details, at=self._clock(), needs_code=needs_code))
            return
        details = await self._exposures(details, experiment)
        yield self._keep(details)
        async for measured in self._measuring.measure(details, experiment, again=again):
            details = self._keep(measured)
            yield details
        # Requests refused for their key are repeated with the next key, those of an outage soon.
        has_failed = self._refused is not None or self.client.link.failed_reads > failed_before
        yield self._keep(replace(details, at=details.at if has_failed else self._clock()))

    def cached_lead(self, row: ExperimentRow) -> Findings | None:
        """Return the cached result of the first metric, from its page or from a list row."""
        kept, glance = self.cached_findings(row), self._glances.get(row.id)
        if glance is None or not _is_of(glance, row):
            return kept if kept.leading is not None else None
        return kept if kept.leading is not None and (kept.at or 0) >= (glance.at or 0) else glance

    def is_worth_a_glance(self, row: ExperimentRow) -> bool:
        """Return whether a running experiment without a conclusion needs a new result in the list."""
        if row.status not in LIVE or row.conclusion or row.is_legacy or row.archived:
            return False
        if row.id in self._outdated:
            return True
        details, attempt = self.cached_lead(row), self._attempts.get(_version_of(row), 0)
        if details is not None and details.at is None:
            return False
        latest = max(attempt, (details.at or 0) if details is not None else 0)
        return self._clock() - latest > GLANCE_FOR

    def expire_results(self) -> None:
        """Have all cached results read again; until then they are shown."""
        self._outdated |= {*self._glances, *self._kept}
        self._attempts.clear()

    def keep_results(self) -> None:
        """Stop having results read again that were not read yet."""
        self._outdated.clear()

    async def glance(self, row: ExperimentRow) -> None:
        """Load the first metric for a list row, at low priority.

        Raises:
            ApiError: The experiment cannot be read.
        """
        details = Findings(row)
        # Also after an error, the request is not repeated at once.
        self._attempts[_version_of(row)] = self._clock()
        self._outdated.discard(row.id)
        experiment = await self.client.experiments.get(row.id, urgency=Urgency.BACKGROUND)
        metric = next((metric for metric in metrics_of(experiment) if metric.role == "primary"), None)
        if metric is None or experiment.uses_legacy_metrics:
            return
        details = replace(details, experiment=experiment, readings=(MetricReading(metric, is_awaited=True),))
        details = await self._measuring.with_last_results(details, experiment, Urgency.BACKGROUND)
        if details.awaited:
            reading = await self._measuring.read(details.readings[0], experiment, Urgency.BACKGROUND)
            details = with_exposures(replace(details, readings=(reading,)))
        self._glances[row.id] = replace(details, at=self._clock())

    def stop(self, row: ExperimentRow) -> Findings:
        """Stop loading: pending results are no longer shown as pending."""
        details = self.cached_findings(row)
        readings = tuple(replace(reading, is_awaited=False) for reading in details.readings)
        return self._keep(replace(details, readings=readings))

    async def series(self, row: ExperimentRow, uuid: str) -> tuple[Metric, Timeseries]:
        """Load one metric by day; the experiment is read again, since the fingerprint can change.

        Raises:
            ApiError: The server cannot be read.
            KeyError: The metric no longer exists.
        """
        experiment = await self.client.experiments.get(row.id)
        metric = next((metric for metric in metrics_of(experiment) if metric.uuid == uuid), None)
        if metric is None:
            raise KeyError(uuid)
        return metric, await self.client.results.timeseries(row.id, uuid, metric.fingerprint)

    async def recalculate(self, row: ExperimentRow, metric: Metric) -> str:
        """Request a recalculation of all days and return its status.

        Raises:
            ApiError: The request fails.
        """
        run = await self.client.results.recalculate_timeseries(row.id, metric.raw, metric.fingerprint)
        return run.status

    async def _needs_code(self, experiment: Experiment) -> bool | None:
        """Return whether a draft still lacks the code that uses its flag; None if not known."""
        events = await off_loop(lambda: events_measured(experiment), experiment.raw)
        if experiment.start_date is not None or not 0 < len(events) <= MOST_EVENTS:
            return None
        try:
            return await self.client.results.requires_flag_implementation(events)
        except ApiError:
            return None

    async def _exposures(self, details: Findings, experiment: Experiment) -> Findings:
        try:
            exposures = await self.client.results.exposures(experiment)
        except ApiError as error:
            self._note_refusal(error)
            return replace(details, exposure_trouble=error.what)
        risk = exposures.bias_risk
        return replace(
            details,
            exposed=dict(exposures.total_exposures),
            exposure_trouble="",
            bias_percentage=risk.multiple_variant_percentage if risk is not None else None,
            health=exposures.health_findings,
        )

    def _keep(self, details: Findings) -> Findings:
        self._kept[details.row.id] = details
        self._kept.move_to_end(details.row.id)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return details


def _version_of(row: ExperimentRow) -> tuple[int, object, str]:
    return row.id, row.updated_at, row.status


def _is_of(details: Findings, row: ExperimentRow) -> bool:
    """Return whether the experiment has not changed since the details were loaded."""
    return _version_of(details.row) == _version_of(row)


def _with_metrics(details: Findings, experiment: Experiment) -> Findings:
    """Return the details with the current metrics; earlier results are kept until newer ones arrive."""
    earlier = {each.metric.uuid: each.result for each in details.readings if each.metric.uuid}
    is_started = experiment.start_date is not None
    readings = tuple(_reading(metric, earlier, is_started=is_started) for metric in metrics_of(experiment))
    return replace(
        details,
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
        return MetricReading(metric, trouble=ONLY_IN_BROWSER if is_started else "")
    return MetricReading(metric, earlier.get(metric.uuid), is_awaited=is_started)
