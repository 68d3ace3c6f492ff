"""Asking for results to be computed anew, and how far that has come.

Results are computed from events when they are read. A recalculation fixes the moment as of which the
running day is told, and its state follows from the time since it was asked for: what waits in a queue in the
product waits here too, so that polling sees it pending, under way and done.
"""

import sqlite3
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from flagtui.service.activity import ordered_uuid
from flagtui.service.answers import Answer, answer
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp
from flagtui.service.errors import Json, hand_written, invalid, not_found
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import metric_fingerprint
from flagtui.service.experiments.results import Results, every_metric
from flagtui.service.experiments.save import called

State = Literal["pending", "in_progress", "completed", "failed"]
QUEUED = timedelta(seconds=1)
EACH_METRIC = timedelta(seconds=0.5)


@dataclass(frozen=True, slots=True)
class Recalculation:
    """One request; `metric_uuid` None is all metrics of the experiment."""

    id: str
    experiment_id: int
    metric_uuid: str | None
    fingerprint: str | None
    cause: str
    created_at: datetime

    def done_metrics(self, now: datetime, total: int) -> int:
        """How many of `total` are computed by now."""
        return max(0, min(total, (now - self.created_at - QUEUED) // EACH_METRIC))

    def finished_at(self, total: int) -> datetime:
        return self.created_at + QUEUED + EACH_METRIC * max(1, total)

    def state(self, now: datetime, total: int = 1) -> State:
        if now >= self.finished_at(total):
            return "completed"
        return "in_progress" if now >= self.created_at + QUEUED else "pending"


def recalculate_timeseries(call: Call) -> Answer:
    """201 for a new request, 200 for the one that is under way already."""
    one = called(call)
    sent = call.body()
    metric, fingerprint = sent.get("metric"), sent.get("fingerprint")
    if not isinstance(metric, dict) or not metric:
        raise invalid("metric is required")
    if not isinstance(fingerprint, str) or not fingerprint:
        raise invalid("fingerprint is required")
    if not one.is_launched:
        raise invalid("Cannot recalculate timeseries for experiment that hasn't started")
    number = str(metric.get("uuid"))
    last = newest(call, one, number, fingerprint)
    if last is not None and last.state(call.now) != "completed":
        return answer(_job(call, last), 200)
    made = _store(call, one, "manual", number, fingerprint)
    return answer(_job(call, made), 201)


def recalculate_metrics(call: Call) -> Answer:
    """201 for a new run over all metrics, 200 for the one that is under way already."""
    one = called(call)
    cause = call.body().get("trigger", "manual")
    if not isinstance(cause, str) or len(cause) > 100:
        raise invalid("Not a valid string.", "trigger")
    if not one.is_launched:
        raise invalid("Cannot recalculate metrics for experiment that hasn't started")
    total = len(every_metric(call, one))
    last = newest(call, one, None, None)
    if last is not None and last.state(call.now, total) != "completed":
        return answer(_run(call, one, last, is_existing=True), 200)
    return answer(_run(call, one, _store(call, one, cause, None, None)), 201)


def latest_metrics_recalculation(call: Call) -> Answer:
    one = called(call)
    total = len(every_metric(call, one))
    runs = [run for run in _runs(call, one) if run.state(call.now, total) == "completed"]
    if not runs:
        raise hand_written(404, {"detail": "No completed recalculation found"})
    return answer(_run(call, one, runs[0]))


def metrics_recalculation(call: Call) -> Answer:
    one = called(call)
    run = next((run for run in _runs(call, one) if run.id == call.params["run_id"]), None)
    if run is None:
        raise not_found()
    return answer(_run(call, one, run))


def newest(call: Call, one: Experiment, metric: str | None, fingerprint: str | None) -> Recalculation | None:
    """The last request for a metric, or for all of them."""
    row = call.db.execute(
        "SELECT * FROM experiment_recalculations WHERE experiment_id = ? AND metric_uuid IS ?"
        " AND fingerprint IS ? ORDER BY created_at DESC, id DESC LIMIT 1",
        (one.id, metric, fingerprint),
    ).fetchone()
    return None if row is None else _read(row)


def told_until(call: Call, one: Experiment, metric: str, fingerprint: str) -> datetime | None:
    """The moment of the last request for this metric that is done: as of then the running day is known."""
    total = len(every_metric(call, one))
    asked = (newest(call, one, metric, fingerprint), newest(call, one, None, None))
    done = [
        found.created_at
        for found, metrics in zip(asked, (1, total), strict=True)
        if found is not None and found.state(call.now, metrics) == "completed"
    ]
    return max(done, default=None)


def _runs(call: Call, one: Experiment) -> list[Recalculation]:
    rows = call.db.execute(
        "SELECT * FROM experiment_recalculations WHERE experiment_id = ? AND metric_uuid IS NULL"
        " ORDER BY created_at DESC, id DESC",
        (one.id,),
    ).fetchall()
    return [_read(row) for row in rows]


def _store(
    call: Call, one: Experiment, cause: str, metric: str | None, fingerprint: str | None
) -> Recalculation:
    made = Recalculation(ordered_uuid(), one.id, metric, fingerprint, cause, read_stamp(call.stamp))
    call.db.execute(
        "INSERT INTO experiment_recalculations"
        " (id, experiment_id, metric_uuid, fingerprint, cause, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (made.id, one.id, metric, fingerprint, cause, call.stamp),
    )
    return made


def _read(row: sqlite3.Row) -> Recalculation:
    return Recalculation(
        str(uuid.UUID(row["id"])),
        row["experiment_id"],
        row["metric_uuid"],
        row["fingerprint"],
        row["cause"],
        read_stamp(row["created_at"]),
    )


def _job(call: Call, found: Recalculation) -> dict[str, Json]:
    return {
        "id": found.id,
        "experiment_id": found.experiment_id,
        "metric_uuid": found.metric_uuid,
        "fingerprint": found.fingerprint,
        "status": found.state(call.now),
        "created_at": found.created_at.isoformat(),
    }


def _run(call: Call, one: Experiment, run: Recalculation, *, is_existing: bool = False) -> dict[str, Json]:
    metrics = every_metric(call, one)
    state, done = run.state(call.now, len(metrics)), run.done_metrics(call.now, len(metrics))
    computed = Results.of(call, one, run.created_at) if done else None
    results = [_result(one, computed, metric) for metric in metrics[:done]]
    failed = [result for result in results if result["status"] == "failed"]
    if state == "completed" and failed and len(failed) == len(metrics):
        state = "failed"
    finished = run.finished_at(len(metrics)).isoformat() if state in ("completed", "failed") else None
    return {
        "id": run.id,
        "experiment_id": one.id,
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


def _result(one: Experiment, computed: Results | None, metric: dict[str, Json] | Json) -> dict[str, Json]:
    shown = {"metric_uuid": metric.get("uuid"), "fingerprint": metric_fingerprint(one, metric)}
    if computed is None:
        return {**shown, "status": "pending", "result": None, "error_message": None}
    try:
        result = computed.now(metric)
    except NotComputable as problem:
        return {**shown, "status": "failed", "result": None, "error_message": str(problem)}
    return {**shown, "status": "completed", "result": result, "error_message": None}
