"""Results through whatever a server offers: kept, calculated, asked for, the last stored day, one goal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from flagtui.api.clock import SystemClock
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, EndpointNotFound, MissingScope, Unanswered
from flagtui.details.experiment_inspector import GLANCE_FOR, ExperimentInspector
from flagtui.details.measurements import Measuring
from flagtui.details.metric_findings import ONLY_IN_BROWSER, Findings, MetricReading, metrics_of
from flagtui.models.experiment import Experiment
from flagtui.models.experiment_responses import Exposures, MetricsRun, Timeseries
from flagtui.models.experiment_results import MetricResult

NOW = 1_772_442_000.0
"""2026-03-02 09:00 UTC."""
FRESH, OLD = "2026-03-02T08:50:00+00:00", "2026-02-28T09:00:00+00:00"
RESULT = {
    "baseline": {"key": "control", "number_of_samples": 100, "sum": 20, "sum_squares": 20},
    "variant_results": [{"key": "test", "number_of_samples": 110, "sum": 33, "chance_to_win": 0.9}],
}


def experiment(**more: Any) -> Experiment:
    metric = {"kind": "ExperimentMetric", "metric_type": "funnel"}
    metrics = [{**metric, "uuid": uuid, "name": uuid, "fingerprint": f"print of {uuid}"} for uuid in "ab"]
    raw = {"id": 12, "name": "Blue", "start_date": "2026-02-18T09:00:00Z", "metrics": metrics}
    return Experiment.of({**raw, "status": "running", **more})


def run(status: str, *done: str, until: str = FRESH, failed: str = "") -> MetricsRun:
    results: list[dict[str, Any]] = [
        {"metric_uuid": uuid, "fingerprint": f"print of {uuid}", "status": "completed", "result": RESULT}
        for uuid in done
    ]
    if failed:
        results.append({"metric_uuid": failed, "status": "failed", "error_message": "out of memory"})
    return MetricsRun.of({"id": "r", "status": status, "query_to": until, "results": results})


@dataclass
class Server:
    """Answers each question with what it was given; an error is raised."""

    record: Experiment = field(default_factory=experiment)
    latest: MetricsRun | ApiError | None = None
    runs: list[MetricsRun | ApiError] = field(default_factory=list)
    result_said: MetricResult | ApiError = field(default_factory=lambda: MetricResult.of(RESULT))
    series: Timeseries | ApiError = field(default_factory=lambda: EndpointNotFound("No days."))
    old: dict[str, Any] | ApiError = field(default_factory=lambda: EndpointNotFound("Not here."))
    requests: list[str] = field(default_factory=list)

    experiments = results = connection = clock = property(lambda self: self)

    @property
    def link(self) -> ConnectionState:
        return ConnectionState(SystemClock())

    async def sleep(self, seconds: float) -> None:
        self.requests.append("wait")

    def _say(self, name: str, answer: Any) -> Any:
        self.requests.append(name)
        if isinstance(answer, ApiError):
            raise answer
        return answer

    async def get(self, id: int, **_: Any) -> Experiment:
        return self._say("get", self.record)  # type: ignore[no-any-return]

    async def latest_recalculation(self, id: int, **_: Any) -> MetricsRun | None:
        return self._say("latest", self.latest)  # type: ignore[no-any-return]

    async def recalculate(self, id: int) -> MetricsRun:
        return self._say("calculate", self.runs.pop(0))  # type: ignore[no-any-return]

    async def recalculation(self, id: int, name: str) -> MetricsRun:
        return self._say("look", self.runs.pop(0))  # type: ignore[no-any-return]

    async def result(self, id: int, metric: dict[str, Any], **_: Any) -> MetricResult:
        return self._say(f"query {metric['uuid']}", self.result_said)  # type: ignore[no-any-return]

    async def timeseries(self, id: int, uuid: str, fingerprint: str) -> Timeseries:
        return self._say(f"days {uuid}", self.series)  # type: ignore[no-any-return]

    async def exposures(self, experiment: Experiment) -> Exposures:
        return self._say("exposures", Exposures.of({"total_exposures": {"control": 5}}))  # type: ignore[no-any-return]

    async def old_result(self, id: int) -> dict[str, Any]:
        return self._say("old", self.old)  # type: ignore[no-any-return]

    async def requires_flag_implementation(self, events: tuple[str, ...]) -> bool:
        return self._say(f"code for {', '.join(events)}", True)  # type: ignore[no-any-return]


async def measure(server: Server, *, again: bool = False, may_calculate: bool = True) -> list[Findings]:
    record = server.record
    readings = tuple(MetricReading(metric, is_awaited=True) for metric in metrics_of(record))
    measuring = Measuring(server, lambda: NOW, lambda: may_calculate)  # type: ignore[arg-type]  # the double above
    start = Findings(record.row(), record, readings)
    return [step async for step in measuring.measure(start, record, again=again)]


async def test_young_results_and_those_of_ended_experiments_are_enough() -> None:
    server = Server(latest=run("completed", "a", "b"))
    last = (await measure(server))[-1]
    assert server.requests == ["latest"]
    assert last.awaited == 0
    assert last.calculated_at == NOW - 600
    assert last.exposed == {"control": 100, "test": 110}
    ended = experiment(end_date="2026-02-27T09:00:00Z", status="stopped")
    server = Server(ended, latest=run("completed", "a", "b", until=OLD))
    await measure(server)
    assert server.requests == ["latest"]


@pytest.mark.parametrize("kept", [run("completed", "a", "b", until=OLD), None, Unanswered("No answer.")])
async def test_old_or_missing_ones_are_asked_for(kept: Any) -> None:
    server = Server(latest=kept)
    last = (await measure(server))[-1]
    assert server.requests == ["latest", "query a", "query b"]
    assert (last.awaited, last.calculated_at) == (0, None)


async def test_a_metric_that_was_changed_since_is_asked_for_alone() -> None:
    server = Server(latest=run("completed", "a", "b"))
    server.record = experiment(
        metrics=[*server.record.metrics[:1], {**dict(server.record.metrics[1]), "fingerprint": "another"}]
    )
    await measure(server)
    assert server.requests == ["latest", "query b"]


async def test_refreshing_recalculates_on_the_server_and_shows_progress() -> None:
    server = Server(runs=[run("pending"), run("in_progress", "a"), run("completed", "a", failed="b")])
    steps = await measure(server, again=True)
    assert server.requests == ["calculate", "wait", "look", "wait", "look"]
    assert [step.awaited for step in steps] == [2, 1, 0]
    assert steps[-1].readings[1].trouble == "out of memory"


@pytest.mark.parametrize(
    "runs", [[MissingScope("No.")], [EndpointNotFound("No.")], [run("pending"), Unanswered("No.")]]
)
async def test_whoever_cannot_calculate_asks(runs: list[MetricsRun | ApiError]) -> None:
    server = Server(runs=runs)
    last = (await measure(server, again=True))[-1]
    assert server.requests[-2:] == ["query a", "query b"]
    assert last.awaited == 0


async def test_a_profile_that_only_reads_never_begins_a_calculation() -> None:
    server = Server()
    await measure(server, again=True, may_calculate=False)
    assert server.requests == ["query a", "query b"]


async def test_missing_query_right_shows_the_last_day_or_the_reason() -> None:
    days = Timeseries.of({"timeseries": {"2026-02-28": RESULT, "2026-03-01": RESULT, "2026-03-02": None}})
    server = Server(result_said=MissingScope("The key lacks query:read."), series=days)
    last = (await measure(server))[-1]
    assert [reading.as_of for reading in last.readings] == ["2026-03-01", "2026-03-01"]
    nothing = Server(result_said=MissingScope("The key lacks query:read."))
    last = (await measure(nothing))[-1]
    assert [reading.trouble for reading in last.readings] == ["The key lacks query:read."] * 2


async def test_the_first_servers_tell_about_one_goal() -> None:
    variants = [{"key": key, "success_count": 2, "failure_count": 8} for key in ("control", "test")]
    server = Server(experiment(metrics=None), old={"result": {"variants": variants}})
    (last,) = await measure(server)
    (goal,) = last.readings
    assert server.requests == ["old"]
    assert (goal.metric.name, goal.metric.is_share) == ("goal", True)
    assert last.exposed == {"control": 10, "test": 10}
    named = {"insight": "FUNNELS", "events": [{"id": "a"}, {"id": "b", "order": 1}]}
    server = Server(experiment(metrics=[], filters=named), old={"result": {"variants": variants}})
    last = [step async for step in inspector(server).load(server.record.row())][-1]
    (goal,) = last.readings
    assert (goal.metric.name, goal.metric.is_share, goal.result is None) == ("b", True, False)
    nothing = Server(experiment(metrics=[]))
    assert [step.readings for step in await measure(nothing)] == [()]


async def test_unfinished_metrics_are_not_pending_and_share_nothing() -> None:
    query = {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [{"event": "a"}]}}
    server = Server(experiment(metrics=[query]))
    (reading,) = [step async for step in inspector(server).load(server.record.row())][-1].readings
    assert (reading.trouble, reading.is_awaited, server.requests) == (ONLY_IN_BROWSER, False, ["get"])
    server = Server(experiment(metrics=[query, *experiment().metrics]))
    last = [step async for step in inspector(server).load(server.record.row())][-1]
    assert [reading.result is None for reading in last.readings] == [True, False, False]
    metric = {"kind": "ExperimentMetric", "metric_type": "funnel", "uuid": ""}
    server = Server(experiment(metrics=[metric, metric]), latest=None)
    looking = inspector(server)
    [_ async for _ in looking.load(server.record.row())]
    again = [step async for step in looking.load(server.record.row(), again=True)]
    assert [reading.result for reading in again[0].readings] == [None, None]


# In the list


def inspector(server: Server, now: Callable[[], float] = lambda: NOW) -> ExperimentInspector:
    return ExperimentInspector(server, now)  # type: ignore[arg-type]  # the double above


async def test_glance_reads_the_first_metric_once_in_a_while() -> None:
    server, time = Server(), [NOW]
    looking = inspector(server, lambda: time[0])
    row = server.record.row()
    assert looking.is_worth_a_glance(row)
    await looking.glance(row)
    assert server.requests == ["get", "latest", "query a"]
    cached_lead = looking.cached_lead(row)
    assert cached_lead is not None
    assert cached_lead.leading is not None
    assert not looking.is_worth_a_glance(row)
    time[0] += GLANCE_FOR + 1
    assert looking.is_worth_a_glance(row)


async def test_a_glance_that_fails_is_not_repeated_at_once() -> None:
    looking = inspector(Server(result_said=Unanswered("No answer.")))
    row = experiment().row()
    await looking.glance(row)
    assert not looking.is_worth_a_glance(row)
    looking.expire_results()
    assert looking.is_worth_a_glance(row)


async def test_expired_results_are_shown_until_they_are_read() -> None:
    server = Server()
    looking = inspector(server)
    row = server.record.row()
    await looking.glance(row)
    before = looking.cached_lead(row)
    looking.expire_results()
    assert looking.is_worth_a_glance(row)
    assert looking.cached_lead(row) == before
    await looking.glance(row)
    assert not looking.is_worth_a_glance(row)


async def test_interrupted_refresh_is_continued_by_the_next_load() -> None:
    server = Server()
    looking = inspector(server)
    row = server.record.row()
    assert [step.awaited async for step in looking.load(row)][-1] == 0
    async for interrupted in looking.load(row, again=True):
        assert interrupted.awaited == 2
        break
    server.requests.clear()
    assert [step.awaited async for step in looking.load(row)][-1] == 0
    assert "query a" in server.requests
    assert [step.awaited async for step in looking.load(row)] == [0]


async def test_fresh_results_stay_when_only_the_flag_changed() -> None:
    server = Server()
    looking = inspector(server)
    row = server.record.row()
    before = [step async for step in looking.load(row)][-1]
    server.requests.clear()
    assert [step async for step in looking.load(row)] == [before]
    assert server.requests == []
    server.record = experiment(feature_flag={"filters": {"multivariate": {"variants": [{"key": "test"}]}}})
    last = [step async for step in looking.load(row, with_flag=True)][-1]
    assert (last.experiment, last.readings) == (server.record, before.readings)
    assert server.requests == ["get"]


@pytest.mark.parametrize(
    "more",
    [
        {"status": "draft"},
        {"status": "stopped"},
        {"conclusion": "won"},
        {"archived": True},
        {"is_legacy": True},
    ],
)
def test_only_running_unconcluded_experiments_get_a_glance(more: dict[str, Any]) -> None:
    assert not inspector(Server()).is_worth_a_glance(experiment(**more).row())


async def test_only_drafts_check_whether_code_uses_their_flag() -> None:
    source = {"kind": "EventsNode", "event": "order"}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source, "uuid": "a"}
    server = Server(experiment(start_date=None, status="draft", metrics=[metric]))
    steps = [step async for step in inspector(server).load(server.record.row())]
    assert server.requests == ["get", "code for order"]
    assert steps[-1].needs_code is True
    running = Server()
    [_ async for _ in inspector(running).load(running.record.row())]
    assert not [request for request in running.requests if request.startswith("code")]
