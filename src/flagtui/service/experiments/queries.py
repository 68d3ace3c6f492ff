"""The two questions of the query endpoint that are about experiments, answered at once or to be fetched."""

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from flagtui.service.bodies import NOT_JSON, whole_number
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.experiments.analysis.metric import OLD_KINDS, NotComputable
from flagtui.service.experiments.metric_rules import checked_metrics
from flagtui.service.experiments.recalculation import QUEUED
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.results import Results
from flagtui.service.experiments.rows import find
from flagtui.service.flags.levels import check_level
from flagtui.service.responses import Response, encode, respond

_LATER = ("async", "async_except_on_cache_miss", "force_async")


def run_query(call: Call) -> Response:
    """Respond 200 with the result, or 202 with an id to fetch it by when `refresh` asks not to wait."""
    sent = call.body()
    query = sent.get("query")
    if query is None:
        raise invalid("This field is required.", "query", "required")
    if not isinstance(query, dict):
        raise invalid("query must be an object", "query")
    work_out = _prepare(call, query)
    if sent.get("refresh") in _LATER:
        return respond({"query_status": _status(call, _number_of(call, query), None)}, 202)
    return respond(work_out())


def query_status(call: Call) -> Response:
    """Return the state of a question that was to be fetched, with its result once it is answered."""
    number = call.params["query_id"]
    moment, query = _unpack_query(number)
    work_out = _prepare(call, query)
    if call.now < moment + QUEUED:
        return respond({"query_status": _status(call, number, None)}, 202)
    return respond({"query_status": _status(call, number, work_out())})


def _status(call: Call, number: str, results: Json) -> dict[str, Json]:
    return {
        "id": number,
        "team_id": call.project.id,
        "query_async": True,
        "complete": results is not None,
        "error": False,
        "error_message": None,
        "results": results,
    }


def _number_of(call: Call, query: Mapping[str, Json]) -> str:
    """Return the question itself and when it was asked, so that nothing has to be kept."""
    packed = zlib.compress(encode([call.now.timestamp(), query]), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _unpack_query(number: str) -> tuple[datetime, dict[str, Json]]:
    try:
        # Strictly: without `validate` another number with a line break in it would be the same question.
        packed = base64.b64decode(number + "=" * (-len(number) % 4), altchars=b"-_", validate=True)
        moment, query = msgspec.json.decode(_unpack(packed), type=tuple[float, dict[str, Json]])
        return datetime.fromtimestamp(moment, UTC), query
    except (binascii.Error, zlib.error, *NOT_JSON, ValueError, OverflowError, OSError):
        raise not_found("Query not found") from None


def _unpack(packed: bytes) -> bytes:
    """Unpack at most the size of a body."""
    return zlib.decompressobj().decompress(packed, 1024 * 1024)


def _metric_result(call: Call, experiment: Experiment, query: Mapping[str, Json]) -> dict[str, Json]:
    metric = query.get("metric")
    if isinstance(metric, dict) and metric.get("kind") in OLD_KINDS:
        raise invalid("Metrics of the legacy engine are not computed here", "metric")
    checked = checked_metrics([metric], "metric")[0]
    try:
        result = Results(call, experiment).now(checked)
    except NotComputable as problem:
        raise invalid(str(problem), "metric") from None
    return {"metric": metric, **result}


def _exposures(call: Call, experiment: Experiment, query: Mapping[str, Json]) -> dict[str, Json]:
    try:
        seen = Results(call, experiment).exposure_result()
    except NotComputable as problem:
        raise invalid(str(problem)) from None
    dates = {
        "date_from": experiment.fields["start_date"],
        "date_to": experiment.fields["end_date"],
        "explicitDate": True,
    }
    return {**seen, "date_range": dates}


Question = Callable[[Call, Experiment, Mapping[str, Json]], dict[str, Json]]
_QUESTIONS: Mapping[str, Question] = {
    "ExperimentQuery": _metric_result,
    "ExperimentExposureQuery": _exposures,
}


def _prepare(call: Call, query: Mapping[str, Json]) -> Callable[[], dict[str, Json]]:
    """Check the query and return a function that computes its result."""
    kind, number = query.get("kind"), query.get("experiment_id")
    question = _QUESTIONS.get(str(kind))
    if question is None:
        served = ", ".join(_QUESTIONS)
        raise invalid(f"Query kind '{kind}' is not served here. Served are: {served}.", "query")
    if number is None:
        raise invalid("experiment_id is required")
    experiment_id = whole_number(number)
    if experiment_id is None:
        raise not_found(f"Experiment with id {number} not found")
    experiment = find(call.db, call.project.id, experiment_id)
    check_level(call, experiment.id, "viewer", "experiment")

    def work_out() -> dict[str, Json]:
        computed = {"is_cached": False, "last_refresh": call.now.isoformat(), "hogql": None}
        return {"kind": kind, **question(call, experiment, query), **computed}

    return work_out
