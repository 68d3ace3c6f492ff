"""Recalculations of results and their progress, and the results of one metric day by day.

Results are computed from events when they are read. A recalculation fixes the moment as of which the
running day is reported, and its state follows from the time since its request: what waits in a queue in
the product waits here too, so that polling sees it pending, running and completed.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec.structs import asdict

from flagtui.service.activity import ordered_uuid
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp
from flagtui.service.database import insert_row
from flagtui.service.errors import Fault, Json, invalid, not_found
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.analysis.values import DAY
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import every_metric, metric_fingerprint
from flagtui.service.experiments.results import Results, day_name
from flagtui.service.experiments.save import find_called
from flagtui.service.responses import Response, respond

State = Literal["pending", "in_progress", "completed", "failed"]
QUEUED = timedelta(seconds=1)
"""Delay between a request for a recalculation and its start."""
EACH_METRIC = timedelta(seconds=0.5)


class Recalculation(msgspec.Struct, frozen=True):
    """One request; `metric_uuid` None is all metrics of the experiment."""

    id: str
    experiment_id: int
    metric_uuid: str | None
    fingerprint: str | None
    cause: str
    created_at: datetime

    def done_metrics(self, now: datetime, total: int) -> int:
        """Return how many of `total` are computed by now."""
        return max(0, min(total, (now - self.created_at - QUEUED) // EACH_METRIC))

    def finished_at(self, total: int) -> datetime:
        return self.created_at + QUEUED + EACH_METRIC * max(1, total)

    def state(self, now: datetime, total: int = 1) -> State:
        if now >= self.finished_at(total):
            return "completed"
        return "in_progress" if now >= self.created_at + QUEUED else "pending"


def recalculate_timeseries(call: Call) -> Response:
    """Respond 201 for a new request, 200 for one in progress."""
    experiment = find_called(call)
    sent = call.body()
    metric, fingerprint = sent.get("metric"), sent.get("fingerprint")
    if not isinstance(metric, dict) or not metric:
        raise invalid("metric is required")
    if not isinstance(fingerprint, str) or not fingerprint:
        raise invalid("fingerprint is required")
    if not experiment.is_launched:
        raise invalid("Cannot recalculate timeseries for experiment that hasn't started")
    number = str(metric.get("uuid"))
    last = newest(call, experiment, number, fingerprint)
    if last is not None and last.state(call.now) != "completed":
        return respond(_job(call, last), 200)
    made = _store(call, experiment, "manual", number, fingerprint)
    return respond(_job(call, made), 201)


def recalculate_metrics(call: Call) -> Response:
    """Respond 201 for a new run over all metrics, 200 for one in progress."""
    experiment = find_called(call)
    cause = call.body().get("trigger", "manual")
    if not isinstance(cause, str) or len(cause) > 100:
        raise invalid("Not a valid string.", "trigger")
    if not experiment.is_launched:
        raise invalid("Cannot recalculate metrics for experiment that hasn't started")
    total = len(every_metric(call, experiment))
    last = newest(call, experiment, None, None)
    if last is not None and last.state(call.now, total) != "completed":
        return respond(_run(call, experiment, last, is_existing=True), 200)
    return respond(_run(call, experiment, _store(call, experiment, cause)), 201)


def latest_metrics_recalculation(call: Call) -> Response:
    experiment = find_called(call)
    total = len(every_metric(call, experiment))
    for run in _load_requests(call, experiment):
        if run.state(call.now, total) == "completed":
            return respond(_run(call, experiment, run))
    raise Fault(404, {"detail": "No completed recalculation found"})


def metrics_recalculation(call: Call) -> Response:
    experiment = find_called(call)
    for run in _load_requests(call, experiment):
        if run.id == call.params["run_id"]:
            return respond(_run(call, experiment, run))
    raise not_found()


def newest(
    call: Call, experiment: Experiment, metric: str | None, fingerprint: str | None
) -> Recalculation | None:
    """Return the last request for a metric, or for all of them."""
    return next(iter(_load_requests(call, experiment, metric, fingerprint)), None)


def running_day_as_of(call: Call, experiment: Experiment, metric: str, fingerprint: str) -> datetime | None:
    """Return the moment of the last completed request for this metric, which sets the running day."""
    total = len(every_metric(call, experiment))
    requests = (newest(call, experiment, metric, fingerprint), newest(call, experiment, None, None))
    done = [
        request.created_at
        for request, metrics in zip(requests, (1, total), strict=True)
        if request is not None and request.state(call.now, metrics) == "completed"
    ]
    return max(done, default=None)


def _load_requests(
    call: Call, experiment: Experiment, metric: str | None = None, fingerprint: str | None = None
) -> list[Recalculation]:
    """Return requests for a metric, or for all of them, the newest first."""
    rows = call.db.execute(
        "SELECT * FROM experiment_recalculations WHERE experiment_id = ? AND metric_uuid IS ?"
        " AND fingerprint IS ? ORDER BY created_at DESC, id DESC",
        (experiment.id, metric, fingerprint),
    )
    return [Recalculation(**{**dict(row), "created_at": read_stamp(row["created_at"])}) for row in rows]


def _store(
    call: Call, experiment: Experiment, cause: str, metric: str | None = None, fingerprint: str | None = None
) -> Recalculation:
    made = Recalculation(ordered_uuid(), experiment.id, metric, fingerprint, cause, read_stamp(call.stamp))
    insert_row(call.db, "experiment_recalculations", {**asdict(made), "created_at": call.stamp})
    return made


def _job(call: Call, request: Recalculation) -> dict[str, Json]:
    return {
        "id": request.id,
        "experiment_id": request.experiment_id,
        "metric_uuid": request.metric_uuid,
        "fingerprint": request.fingerprint,
        "status": request.state(call.now),
        "created_at": request.created_at.isoformat(),
    }


def _run(
    call: Call, experiment: Experiment, run: Recalculation, *, is_existing: bool = False
) -> dict[str, Json]:
    metrics = every_metric(call, experiment)
    state, done = run.state(call.now, len(metrics)), run.done_metrics(call.now, len(metrics))
    computed = Results(call, experiment, run.created_at)
    results = [_result(experiment, computed, metric) for metric in metrics[:done]]
    failed = [result for result in results if result["status"] == "failed"]
    if state == "completed" and failed and len(failed) == len(metrics):
        state = "failed"
    finished = run.finished_at(len(metrics)).isoformat() if state in ("completed", "failed") else None
    return {
        "id": run.id,
        "experiment_id": experiment.id,
        "status": state,
        "total_metrics": len(metrics),
        "completed_metrics": len(results) - len(failed),
        "failed_metrics": len(failed),
        "metric_errors": {result["metric_uuid"]: result["error_message"] for result in failed},
        "trigger": run.cause,
        "created_at": run.created_at.isoformat(),
        "started_at": None if state == "pending" else (run.created_at + QUEUED).isoformat(),
        "completed_at": finished,
        "query_to": run.created_at.isoformat(),
        "is_existing": is_existing,
        "result_source": "recalculation",
        "results": results,
    }


def _result(experiment: Experiment, computed: Results, metric: Mapping[str, Json]) -> dict[str, Json]:
    shown = {"metric_uuid": metric.get("uuid"), "fingerprint": metric_fingerprint(experiment, metric)}
    try:
        result = computed.now(metric)
    except NotComputable as problem:
        return {**shown, "status": "failed", "result": None, "error_message": str(problem)}
    return {**shown, "status": "completed", "result": result, "error_message": None}


def timeseries_results(call: Call) -> Response:
    """Return cumulative results of past days, and of the current day once a recalculation covers it.

    A metric or fingerprint that is not the experiment's is no fault: all its days are unknown.
    """
    experiment = find_called(call)
    uuid = _read_parameter(call, "metric_uuid")
    fingerprint = _read_parameter(call, "fingerprint")
    if not experiment.is_launched:
        raise invalid("Experiment has not been started yet")
    results = Results(call, experiment)
    days = results.days()
    values: dict[int, Json] = {}
    errors: dict[str, str] = {}
    metrics = {str(metric.get("uuid")): metric for metric in reversed(every_metric(call, experiment))}
    metric = metrics.get(uuid)
    if metric is not None and metric_fingerprint(experiment, metric) == fingerprint:
        reported = _reported_days(
            call, experiment, days, running_day_as_of(call, experiment, uuid, fingerprint)
        )
        try:
            values = dict(results.daily(metric, reported))
        except NotComputable as problem:
            errors = {day_name(day): str(problem) for day in reported}
    last = newest(call, experiment, uuid, fingerprint)
    return respond(
        {
            "experiment_id": experiment.id,
            "metric_uuid": uuid,
            "status": _status(len(days), len(values), len(errors)),
            "timeseries": {day_name(day): values.get(day) for day in days},
            "errors": errors or None,
            "computed_at": call.now.isoformat() if values else None,
            "created_at": experiment.start.isoformat() if values and experiment.start else None,
            "updated_at": call.now.isoformat() if values else None,
            "recalculation_status": last.state(call.now) if last else None,
            "recalculation_created_at": last.created_at.isoformat() if last else None,
        }
    )


def _read_parameter(call: Call, name: str) -> str:
    value = call.query.get(name)
    if not value:
        raise invalid(f"{name} query parameter is required")
    return value


def _reported_days(
    call: Call, experiment: Experiment, days: Mapping[int, float], recalculated: datetime | None
) -> dict[int, float]:
    """Return the days whose end has passed, and the running one as of the last recalculation."""
    now = call.now.timestamp()
    reported = {
        day: moment for day, moment in days.items() if (day + 1) * DAY <= now or _has_ended(experiment, now)
    }
    if recalculated is not None:
        moment = recalculated.timestamp()
        running = int(moment // DAY)
        if running in days and running not in reported:
            reported[running] = moment
    return dict(sorted(reported.items()))


def _has_ended(experiment: Experiment, now: float) -> bool:
    return experiment.end is not None and experiment.end.timestamp() <= now


def _status(days: int, computed: int, failed: int) -> str:
    if computed == days and days:
        return "completed"
    if computed:
        return "partial"
    return "failed" if failed else "pending"
