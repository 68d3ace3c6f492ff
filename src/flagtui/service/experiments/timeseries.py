"""The course of one metric, day by day."""

from collections.abc import Mapping
from datetime import datetime

from flagtui.service.answers import Answer, answer
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.analysis.exposures import DAY
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.recalculation import newest, told_until
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import metric_fingerprint
from flagtui.service.experiments.results import Results, day_name, metric_by_uuid
from flagtui.service.experiments.save import called


def timeseries_results(call: Call) -> Answer:
    """Cumulative results of the days that are over; the running day once a recalculation has told it.

    A metric or fingerprint that is not the experiment's is no fault: all its days are unknown.
    """
    one = called(call)
    uuid, fingerprint = call.query.get("metric_uuid"), call.query.get("fingerprint")
    if not uuid:
        raise invalid("metric_uuid query parameter is required")
    if not fingerprint:
        raise invalid("fingerprint query parameter is required")
    if not one.is_launched:
        raise invalid("Experiment has not been started yet")
    results = Results.of(call, one)
    days = results.days()
    metric = metric_by_uuid(call, one, uuid)
    found: dict[int, Json] = {}
    errors: dict[str, str] = {}
    if metric is not None and metric_fingerprint(one, metric) == fingerprint:
        told = _told_days(call, one, days, told_until(call, one, uuid, fingerprint))
        try:
            found = dict(results.daily(metric, told))
        except NotComputable as problem:
            errors = {day_name(day): str(problem) for day in told}
    return answer(
        {
            "experiment_id": one.id,
            "metric_uuid": uuid,
            "status": _status(len(days), len(found), len(errors)),
            "timeseries": {day_name(day): found.get(day) for day in days},
            "errors": errors or None,
            **_times(call, one, bool(found)),
            **_recalculation(call, one, uuid, fingerprint),
        }
    )


def _told_days(
    call: Call, one: Experiment, days: Mapping[int, float], asked: datetime | None
) -> dict[int, float]:
    """The days whose end has passed, and the running one as of the last recalculation."""
    now = call.now.timestamp()
    told = {day: moment for day, moment in days.items() if (day + 1) * DAY <= now or _has_ended(one, now)}
    if asked is not None:
        moment = asked.timestamp()
        running = int(moment // DAY)
        if running in days and running not in told:
            told[running] = moment
    return dict(sorted(told.items()))


def _has_ended(one: Experiment, now: float) -> bool:
    return one.end is not None and one.end.timestamp() <= now


def _status(days: int, found: int, failed: int) -> str:
    if found == days and days:
        return "completed"
    if found:
        return "partial"
    return "failed" if failed else "pending"


def _times(call: Call, one: Experiment, is_computed: bool) -> dict[str, Json]:
    if not is_computed or one.start is None:
        return {"computed_at": None, "created_at": None, "updated_at": None}
    now = call.now.isoformat()
    return {"computed_at": now, "created_at": one.start.isoformat(), "updated_at": now}


def _recalculation(call: Call, one: Experiment, uuid: str, fingerprint: str) -> dict[str, Json]:
    last = newest(call, one, uuid, fingerprint)
    if last is None:
        return {"recalculation_status": None, "recalculation_created_at": None}
    return {
        "recalculation_status": last.state(call.now),
        "recalculation_created_at": last.created_at.isoformat(),
    }
