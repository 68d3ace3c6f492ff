"""Results of experiments, and lists around them."""

from collections.abc import Mapping, Sequence
from typing import Final

from flagtui.api.clock import Urgency
from flagtui.api.errors import NotCalculated, NotFound, Unanswered
from flagtui.api.operations import NOT_HERE
from flagtui.api.resource import Resource
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import (
    ExperimentStats,
    Exposures,
    MetricsRun,
    Recalculation,
    Timeseries,
)
from flagtui.models.experiment_results import MetricResult, read_result
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.safe_text import safe_text

_LOOKS: Final = 20
"""Polls of an unfinished query, with growing pauses: about a minute and a half."""


class ExperimentResults(Resource):
    """Results of the experiments of one project; no operation changes an experiment."""

    async def timeseries(self, id: int, metric_uuid: str, fingerprint: str) -> Timeseries:
        """Return one metric day by day. Fingerprints change at launch, so read the experiment first."""
        query = {"metric_uuid": metric_uuid, "fingerprint": fingerprint}
        return Timeseries.of(
            (await self._ask("experiments.timeseries", {"id": id}, query=query)).record("timeseries")
        )

    async def recalculate_timeseries(
        self, id: int, metric: Mapping[str, JSON], fingerprint: str
    ) -> Recalculation:
        """Start a calculation of one metric, or return the one in progress."""
        body = {"metric": dict(metric), "fingerprint": fingerprint}
        response = await self._ask("experiments.recalculate_timeseries", {"id": id}, body=body)
        return Recalculation.of(response.record())

    async def result(
        self, id: int, metric: Mapping[str, JSON], *, urgency: Urgency = Urgency.PERSON
    ) -> MetricResult:
        """Return the current values of one metric for every variant. Needs `query:read`."""
        query = {"kind": "ExperimentQuery", "experiment_id": id, "metric": dict(metric)}
        return read_result(await self._query(query, urgency)) or MetricResult()

    async def recalculate(self, id: int) -> MetricsRun:
        """Start a calculation of all metrics for all users, or return the run in progress."""
        body = {"trigger": "manual"}
        return MetricsRun.of((await self._ask("experiments.recalculate", {"id": id}, body=body)).record("id"))

    async def recalculation(self, id: int, run: str) -> MetricsRun:
        """Return the progress of a run with its results so far."""
        return MetricsRun.of(
            (await self._ask("experiments.recalculation", {"id": id, "run": run})).record("id")
        )

    async def latest_recalculation(self, id: int, *, urgency: Urgency = Urgency.PERSON) -> MetricsRun | None:
        """Return the stored results of the last run; None where the server has none or stores none."""
        try:
            response = await self._ask("experiments.latest_recalculation", {"id": id}, urgency=urgency)
        except (NotFound, *NOT_HERE):
            return None
        return MetricsRun.of(response.record("id"))

    async def old_result(self, id: int) -> dict[str, JSON]:
        """Return the results endpoint of the first servers; newer servers do not have it."""
        return (await self._ask("experiments.old_result", {"id": id}, query={"refresh": True})).record()

    async def exposures(self, experiment: Experiment) -> Exposures:
        """Return the exposures of each variant. Needs `query:read`."""
        raw = experiment.raw
        query = {
            "kind": "ExperimentExposureQuery",
            "experiment_id": experiment.id,
            "experiment_name": experiment.name,
            "feature_flag": raw.get("feature_flag"),
            "start_date": raw.get("start_date"),
            "end_date": raw.get("end_date"),
        }
        return Exposures.of(await self._query(query))

    async def requires_flag_implementation(self, events: Sequence[str] = ()) -> bool | None:
        """Return whether no recent event of these carries a flag: the code is probably not deployed.

        Without events there is nothing to check, and servers return True. None: the server has no such
        endpoint.
        """
        named: list[JSON] = [{"id": name, "type": "events"} for name in events]
        try:
            response = await self._ask_word(
                "experiments.requires_flag_implementation", query={"events": named or None}
            )
        except NOT_HERE:
            return None
        result = response.record("result")["result"]
        return result if isinstance(result, bool) else None

    async def stats(self) -> ExperimentStats:
        """Return how many experiments were launched and completed lately."""
        return ExperimentStats.of((await self._ask_word("experiments.stats")).record())

    async def eligible_flags(self) -> tuple[Flag, ...]:
        """Return the flags that an experiment could use. Needs `feature_flag:read`."""
        items = self._objects("experiments.eligible_flags", None, self._ask_word)
        return tuple([Flag.of(item) async for item in items])

    async def _query(self, query: Mapping[str, JSON], urgency: Urgency = Urgency.PERSON) -> dict[str, JSON]:
        body = {"query": dict(query), "refresh": "blocking"}
        response = (await self._ask("experiments.query", body=body, urgency=urgency)).record()
        for look in range(_LOOKS):
            status = as_dict(response.get("query_status"))
            if status.get("error") is True:
                why = safe_text(as_text(status.get("error_message")), 300)
                raise NotCalculated(f"The server could not calculate it{f': {why}' if why else '.'}")
            if not status or status.get("complete") is True:
                return as_dict(status.get("results")) or response
            await self.connection.clock.sleep(min(0.5 * (look + 1), 8.0))
            name = as_text(status.get("id"))
            response = (await self._ask("experiments.query_status", {"id": name}, urgency=urgency)).record()
        raise Unanswered("The server is still computing the result.")
