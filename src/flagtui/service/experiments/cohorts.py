"""The people who saw an experiment, as a cohort."""

from typing import Any

from flagtui.service.answers import Answer, answer, text_of
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.cohorts import describe_cohort
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.save import called, save
from flagtui.service.experiments.stored_events import Reader

_DEFAULT_EVENT = "$feature_flag_called"


def create_exposure_cohort(call: Call) -> Answer:
    one = called(call)
    call.body()
    if one.flag.deleted:
        raise invalid("Experiment does not have a feature flag")
    if not one.is_launched:
        raise invalid("Experiment does not have a start date")
    if one.fields["exposure_cohort_id"] is not None:
        raise invalid("Experiment already has an exposure cohort")
    number = _insert(call, one)
    _fill(call, one, number)
    save(call, one, {"exposure_cohort_id": number})
    return answer({"cohort": _describe(call, number, one.id)}, 201)


def _insert(call: Call, one: Experiment) -> int:
    condition = _condition(call, one)
    filters = {"properties": {"type": "OR", "values": [{"type": "OR", "values": [condition]}]}}
    name = f'Users exposed to experiment "{one.fields["name"]}"'
    sql = "INSERT INTO cohorts (project_id, name, filters, created_by_id, created_at) VALUES (?, ?, ?, ?, ?)"
    values = (call.project.id, name, text_of(filters), call.caller.user_id, call.stamp)
    number = call.db.execute(sql, values).lastrowid
    assert number is not None
    return number


def _fill(call: Call, one: Experiment, number: int) -> None:
    """Computes at once who belongs to it; the product does so in the background."""
    try:
        people = Reader(call, one, call.now).people()
    except NotComputable as problem:
        raise invalid(str(problem), "exposure_criteria") from None
    rows = [(number, person) for person in people]
    call.db.executemany("INSERT INTO cohort_members (cohort_id, person_id) VALUES (?, ?)", rows)
    call.db.execute(
        "UPDATE cohorts SET count = ?, last_calculation = ? WHERE id = ?", (len(people), call.stamp, number)
    )


def _condition(call: Call, one: Experiment) -> dict[str, Json]:
    """Who performed the exposure event since the start."""
    config = _exposure_config(one)
    done: dict[str, Any] = {
        "type": "behavioral",
        "value": "performed_event",
        "negation": False,
        "explicit_datetime": one.fields["start_date"],
    }
    if config.get("kind") == "ActionsNode" or config.get("type") == "actions":
        sql = "SELECT 1 FROM actions WHERE id = ? AND project_id = ? AND deleted = 0"
        if call.db.execute(sql, (config.get("id"), call.project.id)).fetchone() is None:
            raise invalid("Invalid action ID")
        return {**done, "key": config.get("id"), "event_type": "actions"}
    event = config.get("event") or config.get("id") or _DEFAULT_EVENT
    filters = config.get("properties") or []
    if event == _DEFAULT_EVENT:
        called_for = {"key": "$feature_flag", "type": "event", "value": [one.flag.key], "operator": "exact"}
        filters = [called_for, *filters]
    return {**done, "key": event, "event_type": "events", "event_filters": filters}


def _exposure_config(one: Experiment) -> dict[str, Any]:
    criteria = (one.fields["exposure_criteria"] or {}).get("exposure_config")
    older = ((one.fields["parameters"] or {}).get("custom_exposure_filter") or {}).get("events") or []
    return criteria or next((event for event in older if isinstance(event, dict)), {})


def _describe(call: Call, number: int, experiment_id: int) -> dict[str, Json]:
    row = call.db.execute("SELECT * FROM cohorts WHERE id = ?", (number,)).fetchone()
    return {**describe_cohort(call, row), "experiment_set": [experiment_id]}
