"""The people who saw an experiment, as a cohort."""

from typing import Any

from flagtui.evaluate.wire import items, mapping
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.cohorts import make_cohort
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.metric_rules import find_action
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.save import find_called, save
from flagtui.service.experiments.stored_events import FLAG_CALLED, Reader
from flagtui.service.responses import Response, respond, text_of


def create_exposure_cohort(call: Call) -> Response:
    experiment = find_called(call)
    call.body()
    if experiment.flag.deleted:
        raise invalid("Experiment does not have a feature flag")
    if not experiment.is_launched:
        raise invalid("Experiment does not have a start date")
    if experiment.fields["exposure_cohort_id"] is not None:
        raise invalid("Experiment already has an exposure cohort")
    conditions = {"type": "OR", "values": [{"type": "OR", "values": [_condition(call, experiment)]}]}
    name = f'Users exposed to experiment "{experiment.fields["name"]}"'
    columns = {"name": name, "filters": text_of({"properties": conditions})}
    cohort = make_cohort(call, columns, _people(call, experiment))
    save(call, experiment, {"exposure_cohort_id": cohort["id"]})
    return respond({"cohort": {**cohort, "experiment_set": [experiment.id]}}, 201)


def _people(call: Call, experiment: Experiment) -> set[int]:
    """Fill the cohort at once; the product does so in the background."""
    try:
        return Reader(call, experiment, call.now).people()
    except NotComputable as problem:
        raise invalid(str(problem), "exposure_criteria") from None


def _condition(call: Call, experiment: Experiment) -> dict[str, Json]:
    """Return the condition for persons with the exposure event since the start."""
    config = _exposure_config(experiment)
    done: dict[str, Any] = {
        "type": "behavioral",
        "value": "performed_event",
        "negation": False,
        "explicit_datetime": experiment.fields["start_date"],
    }
    if config.get("kind") == "ActionsNode" or config.get("type") == "actions":
        if find_action(call.db, call.project.id, config.get("id")) is None:
            raise invalid("Invalid action ID")
        return {**done, "key": config.get("id"), "event_type": "actions"}
    event = config.get("event") or config.get("id") or FLAG_CALLED
    filters = items(config.get("properties"))
    if event == FLAG_CALLED:
        called_for = {
            "key": "$feature_flag",
            "type": "event",
            "value": [experiment.flag.key],
            "operator": "exact",
        }
        filters = [called_for, *filters]
    return {**done, "key": event, "event_type": "events", "event_filters": filters}


def _exposure_config(experiment: Experiment) -> dict[str, Any]:
    criteria = (experiment.fields["exposure_criteria"] or {}).get("exposure_config")
    older = mapping(mapping(experiment.fields["parameters"]).get("custom_exposure_filter"))
    return criteria or next((event for event in items(older.get("events")) if isinstance(event, dict)), {})
