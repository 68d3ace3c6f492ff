"""Results through whatever a server offers: kept, calculated, asked for, the last stored day, one goal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.doubles.expected import require

from flagtui.api.clock import SystemClock
from flagtui.api.connection_state import ConnectionState
from flagtui.api.errors import ApiError, EndpointNotFound, MissingScope, Unanswered
from flagtui.details.experiment_inspector import GLANCE_FOR, ExperimentInspector
from flagtui.details.measurements import WAITS, Measuring, adopt
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
METRIC = {"kind": "ExperimentMetric", "metric_type": "funnel"}
OLD_QUERY = {"kind": "ExperimentFunnelsQuery", "funnels_query": {"series": [{"event": "a"}]}}
LACKING = MissingScope("The key lacks query:read.")
BOTH = ["query a", "query b"]


def metric(uuid: str, fingerprint: str = "") -> dict[str, Any]:
    return {**METRIC, "uuid": uuid, "name": uuid, "fingerprint": fingerprint or f"print of {uuid}"}


def experiment(**more: Any) -> Experiment:
    """A running experiment with the metrics a and b."""
    raw = {"id": 12, "name": "Blue", "start_date": "2026-02-18T09:00:00Z", "status": "running"}
    return Experiment.of({**raw, "metrics": [metric("a"), metric("b")], **more})


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
    link = property(lambda self: ConnectionState(SystemClock()))

    def _say(self, name: str, answer: Any) -> Any:
        self.requests.append(name)
        if isinstance(answer, ApiError):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.requests.append("wait")

    async def get(self, id: int, **_: Any) -> Any:
        return self._say("get", self.record)

    async def latest_recalculation(self, id: int, **_: Any) -> Any:
        return self._say("latest", self.latest)

    async def recalculate(self, id: int) -> Any:
        return self._say("calculate", self.runs.pop(0))

    async def recalculation(self, id: int, name: str) -> Any:
        return self._say("look", self.runs.pop(0))

    async def result(self, id: int, metric: dict[str, Any], **_: Any) -> Any:
        return self._say(f"query {metric['uuid']}", self.result_said)

    async def timeseries(self, id: int, uuid: str, fingerprint: str) -> Any:
        return self._say(f"days {uuid}", self.series)

    async def exposures(self, experiment: Experiment) -> Any:
        return self._say("exposures", Exposures.of({"total_exposures": {"control": 5}}))

    async def old_result(self, id: int) -> Any:
        return self._say("old", self.old)

    async def requires_flag_implementation(self, events: tuple[str, ...]) -> Any:
        return self._say(f"code for {', '.join(events)}", True)


async def measure(server: Server, *, again: bool = False, may_calculate: bool = True) -> list[Findings]:
    record = server.record
    readings = tuple(MetricReading(metric, is_awaited=True) for metric in metrics_of(record))
    measuring = Measuring(server, lambda: NOW, lambda: may_calculate)  # type: ignore[arg-type]  # the double above
    start = Findings(record.row(), record, readings)
    return [step async for step in measuring.measure(start, record, again=again)]


def inspector(server: Server, now: Callable[[], float] = lambda: NOW) -> ExperimentInspector:
    return ExperimentInspector(server, now)  # type: ignore[arg-type]  # the double above


async def load(server: Server, **how: bool) -> Findings:
    """Open the experiment and return what is shown in the end."""
    return [step async for step in inspector(server).load(server.record.row(), **how)][-1]


WHOLE, STALE, PENDING = run("completed", *"ab"), run("completed", *"ab", until=OLD), run("pending")
ENDED = experiment(end_date="2026-02-27T09:00:00Z", status="stopped")
CHANGED = experiment(metrics=[metric("a"), metric("b", "another")])
ENDLESS = len(WAITS)


@pytest.mark.parametrize(("case", "server", "requests"), [
    ("young results are enough", Server(latest=WHOLE), ["latest"]),
    ("old results of an ended experiment are enough", Server(ENDED, STALE), ["latest"]),
    ("old results of a running one are not", Server(latest=STALE), ["latest", *BOTH]),
    ("none are kept", Server(), ["latest", *BOTH]),
    ("kept ones cannot be read", Server(latest=Unanswered("No.")), ["latest", *BOTH]),
    ("one metric was changed since", Server(CHANGED, WHOLE), ["latest", "query b"]),
    ("the key may not calculate", Server(runs=[MissingScope("No.")]), ["calculate", *BOTH]),
    ("the server cannot calculate", Server(runs=[EndpointNotFound("No.")]), ["calculate", *BOTH]),
    ("an outage", Server(runs=[PENDING, Unanswered("No.")]), ["calculate", "wait", "look", *BOTH]),
    ("no end", Server(runs=[PENDING] * 99), ["calculate", *["wait", "look"] * ENDLESS, *BOTH]),
])  # fmt: skip
async def test_metrics_without_a_result_are_queried(case: str, server: Server, requests: list[str]) -> None:
    last = (await measure(server, again=bool(server.runs)))[-1]
    assert (server.requests, last.awaited) == (requests, 0)
    assert last.exposed == {"control": 100, "test": 110}
    assert requests != ["latest", *BOTH] or last.calculated_at is None, "stale results are not adopted"


async def test_refreshing_recalculates_on_the_server_and_shows_progress() -> None:
    server = Server(runs=[run("pending"), run("in_progress", "a"), run("completed", "a", failed="b")])
    steps = await measure(server, again=True)
    assert server.requests == ["calculate", "wait", "look", "wait", "look"]
    assert [step.awaited for step in steps] == [2, 1, 0]
    assert (steps[-1].readings[1].trouble, steps[-1].calculated_at) == ("out of memory", NOW - 600)
    server = Server()
    await measure(server, again=True, may_calculate=False)
    assert server.requests == BOTH, "a profile that only reads"


async def test_missing_query_right_shows_the_last_day_or_the_reason() -> None:
    days = Timeseries.of({"timeseries": {"2026-02-28": RESULT, "2026-03-01": RESULT, "2026-03-02": None}})
    readings = (await measure(Server(result_said=LACKING, series=days)))[-1].readings
    assert [(reading.as_of, reading.trouble) for reading in readings] == [("2026-03-01", LACKING.what)] * 2
    without_id = Server(experiment(metrics=[metric("")]), result_said=LACKING)
    for server in (Server(result_said=LACKING), without_id):
        readings = (await measure(server))[-1].readings
        assert {reading.trouble for reading in readings} == {LACKING.what}
    assert "days " not in without_id.requests


@pytest.mark.parametrize(("outcome", "is_awaited", "trouble"), [
    ({"status": "failed"}, False, "calculation failed"),
    ({"status": "pending"}, True, ""),
    ({"status": "completed", "fingerprint": "another", "result": RESULT}, True, ""),
])  # fmt: skip
def test_outcome_without_a_result_is_explained(outcome: Any, is_awaited: bool, trouble: str) -> None:
    (metric, _) = metrics_of(experiment())
    details = Findings(experiment().row(), readings=(MetricReading(metric, is_awaited=True),))
    calculated = MetricsRun.of({"id": "r", "results": [{"metric_uuid": metric.uuid, **outcome}]})
    (reading,) = adopt(details, calculated).readings
    assert (reading.is_awaited, reading.trouble) == (is_awaited, trouble)


async def test_the_first_servers_report_one_goal() -> None:
    variants = [{"key": key, "success_count": 2, "failure_count": 8} for key in ("control", "test")]
    answer = {"result": {"variants": variants}}
    server = Server(experiment(metrics=None), old=answer)
    (last,) = await measure(server)
    (goal,) = last.readings
    assert (server.requests, goal.metric.name, goal.metric.is_share) == (["old"], "goal", True)
    assert last.exposed == {"control": 10, "test": 10}
    named = {"insight": "FUNNELS", "events": [{"id": "a"}, {"id": "b", "order": 1}]}
    (goal,) = (await load(Server(experiment(metrics=[], filters=named), old=answer))).readings
    assert (goal.metric.name, goal.metric.is_share, goal.result is None) == ("b", True, False)
    for old in (EndpointNotFound("Not here."), {"result": None}):
        assert [step.readings for step in await measure(Server(experiment(metrics=[]), old=old))] == [()]


async def test_metrics_that_cannot_be_measured_share_nothing() -> None:
    server = Server(experiment(metrics=[OLD_QUERY]))
    (reading,) = (await load(server)).readings
    assert (reading.trouble, reading.is_awaited, server.requests) == (ONLY_IN_BROWSER, False, ["get"])
    last = await load(Server(experiment(metrics=[OLD_QUERY, metric("a"), metric("b")])))
    assert [reading.result is None for reading in last.readings] == [True, False, False]
    server = Server(experiment(metrics=[{**METRIC, "uuid": ""}] * 2))
    looking, row = inspector(server), server.record.row()
    [_ async for _ in looking.load(row)]
    again = [step async for step in looking.load(row, again=True)]
    assert [reading.result for reading in again[0].readings] == [None, None]
    with pytest.raises(KeyError):
        await looking.series(row, "removed")


async def test_glance_reads_the_first_metric_once_in_a_while() -> None:
    server, time = Server(), [NOW]
    looking, row = inspector(server, lambda: time[0]), server.record.row()
    assert looking.is_worth_a_glance(row)
    await looking.glance(row)
    assert server.requests == ["get", "latest", "query a"]
    assert require(looking.cached_lead(row)).leading is not None
    assert not looking.is_worth_a_glance(row)
    time[0] += GLANCE_FOR + 1
    assert looking.is_worth_a_glance(row)
    await looking.glance(row)
    looking.expire_results()
    assert looking.is_worth_a_glance(row)
    assert looking.cached_lead(row) is not None, "expired results are shown until they are read"
    await looking.glance(row)
    assert not looking.is_worth_a_glance(row)


@pytest.mark.parametrize(
    "server",
    [Server(result_said=Unanswered("No.")), Server(experiment(metrics=[]))],
    ids=["it failed", "there is no metric"],
)
async def test_a_glance_without_a_result_is_not_repeated_at_once(server: Server) -> None:
    looking, row = inspector(server), server.record.row()
    await looking.glance(row)
    assert server.requests[0] == "get"
    assert not looking.is_worth_a_glance(row)
    looking.expire_results()
    assert looking.is_worth_a_glance(row)


@pytest.mark.parametrize("more", [
    {"status": "draft"},
    {"status": "stopped"},
    {"conclusion": "won"},
    {"archived": True},
    {"is_legacy": True},
], ids=str)  # fmt: skip
def test_only_running_unconcluded_experiments_get_a_glance(more: dict[str, Any]) -> None:
    assert not inspector(Server()).is_worth_a_glance(experiment(**more).row())


async def test_interrupted_refresh_is_continued_by_the_next_load() -> None:
    server = Server()
    looking, row = inspector(server), server.record.row()
    before = [step async for step in looking.load(row)][-1]
    assert before.awaited == 0
    server.requests.clear()
    assert [step async for step in looking.load(row)] == [before], "fresh results are read once"
    assert server.requests == []
    async for interrupted in looking.load(row, again=True):
        assert interrupted.awaited == 2
        break
    server.requests.clear()
    assert [step.awaited async for step in looking.load(row)][-1] == 0
    assert "query a" in server.requests
    assert [step.awaited async for step in looking.load(row)] == [0]


async def test_fresh_results_stay_when_only_the_flag_changed() -> None:
    server = Server()
    looking, row = inspector(server), server.record.row()
    before = [step async for step in looking.load(row)][-1]
    server.requests.clear()
    server.record = experiment(feature_flag={"filters": {"multivariate": {"variants": [{"key": "test"}]}}})
    last = [step async for step in looking.load(row, with_flag=True)][-1]
    assert (last.experiment, last.readings, server.requests) == (server.record, before.readings, ["get"])


async def test_only_drafts_check_whether_code_uses_their_flag() -> None:
    orders = {**metric("a"), "metric_type": "mean", "source": {"kind": "EventsNode", "event": "order"}}
    server, running = Server(experiment(start_date=None, status="draft", metrics=[orders])), Server()
    assert (await load(server)).needs_code is True
    assert server.requests == ["get", "code for order"]
    await load(running)
    assert not [request for request in running.requests if request.startswith("code")]
