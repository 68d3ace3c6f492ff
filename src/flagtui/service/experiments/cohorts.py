"""The people who saw an experiment, as a cohort."""

from typing import Any

from flagtui.service.answers import Answer, answer, text_of
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.cohorts import make_cohort
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.metric_rules import find_action
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.save import called, save
from flagtui.service.experiments.stored_events import FLAG_CALLED, Reader


def create_exposure_cohort(call: Call) -> Answer:
    one = called(call)
    call.body()
    if one.flag.deleted:
        raise invalid("Experiment does not have a feature flag")
    if not one.is_launched:
        raise invalid("Experiment does not have a start date")
    if one.fields["exposure_cohort_id"] is not None:
        raise invalid("Experiment already has an exposure cohort")
    asked = {"type": "OR", "values": [{"type": "OR", "values": [_condition(call, one)]}]}
    name = f'Users exposed to experiment "{one.fields["name"]}"'
    columns = {"name": name, "filters": text_of({"properties": asked})}
    cohort = make_cohort(call, columns, _people(call, one))
    save(call, one, {"exposure_cohort_id": cohort["id"]})
    return answer({"cohort": {**cohort, "experiment_set": [one.id]}}, 201)


def _people(call: Call, one: Experiment) -> set[int]:
    """Computes at once who belongs to it; the product does so in the background."""
    try:
        return Reader(call, one, call.now).people()
    except NotComputable as problem:
        raise invalid(str(problem), "exposure_criteria") from None


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
        if find_action(call.db, call.project.id, config.get("id")) is None:
            raise invalid("Invalid action ID")
        return {**done, "key": config.get("id"), "event_type": "actions"}
    event = config.get("event") or config.get("id") or FLAG_CALLED
    filters = config.get("properties") or []
    if event == FLAG_CALLED:
        called_for = {"key": "$feature_flag", "type": "event", "value": [one.flag.key], "operator": "exact"}
        filters = [called_for, *filters]
    return {**done, "key": event, "event_type": "events", "event_filters": filters}


def _exposure_config(one: Experiment) -> dict[str, Any]:
    criteria = (one.fields["exposure_criteria"] or {}).get("exposure_config")
    older = ((one.fields["parameters"] or {}).get("custom_exposure_filter") or {}).get("events") or []
    return criteria or next((event for event in older if isinstance(event, dict)), {})
