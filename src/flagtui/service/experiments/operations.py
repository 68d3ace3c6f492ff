"""The table of experiment operations."""

from flagtui.service.activity import feed
from flagtui.service.call import Call
from flagtui.service.errors import Json
from flagtui.service.experiments import (
    bulk,
    cohorts,
    creation,
    duplicates,
    exposure_freezing,
    legacy_migration,
    lifecycle,
    list,
    queries,
    recalculation,
    schemas,
    setup_help,
    updates,
)
from flagtui.service.experiments.holdouts import HOLDOUTS
from flagtui.service.experiments.nested_fields import HOLDOUT
from flagtui.service.experiments.rows import keeping_requests
from flagtui.service.experiments.save import SCOPE, find_called
from flagtui.service.experiments.saved_metrics import SAVED_METRICS
from flagtui.service.flags.levels import check_level
from flagtui.service.operations import PROJECT, Handler, Operation
from flagtui.service.resources import Resource, refuse_deletion
from flagtui.service.responses import Response
from flagtui.service.shapes import ACTIVITY_PAGE, page_of
from flagtui.service.tag_edits import TAGS_BODY, TAGS_DONE

EXPERIMENTS = f"{PROJECT}/experiments"
ONE = f"{EXPERIMENTS}/{{id}}"
READ, WRITE = "experiment:read", "experiment:write"
_ONE = schemas.EXPERIMENT


def activity_of_one(call: Call) -> Response:
    return feed(call, SCOPE, str(find_called(call).id))


def _action(
    name: str, handle: Handler, summary: str, response: Json, body: Json = None, *statuses: int
) -> Operation:
    """Return the operation of a step of an experiment and its flag; a required approval request is stored."""
    return Operation(
        "POST", f"{ONE}/{name}", keeping_requests(handle), summary, WRITE, response, body, statuses or (200,)
    )


def _for_editors(handle: Handler) -> Handler:
    def check_and_handle(call: Call) -> Response:
        check_level(call, 0, "editor", "experiment")
        return handle(call)

    return check_and_handle


def _shared_operations(
    name: str, subject: str, kind: Resource, shown: Json, body: Json
) -> tuple[Operation, ...]:
    """List, create, read, change, replace and delete of what several experiments share."""
    path = f"{PROJECT}/{name}"
    record_path = f"{path}/{{id}}"
    page, update = page_of(shown), _for_editors(kind.update)
    create, delete = _for_editors(kind.create), _for_editors(kind.delete)
    return (
        Operation("GET", path, kind.list_all, f"List {subject}s", READ, page, parameters=kind.parameters),
        Operation("POST", path, create, f"Create a {subject}", WRITE, shown, body, (201,)),
        Operation("GET", record_path, kind.retrieve, f"Get a {subject}", READ, shown),
        Operation("PATCH", record_path, update, f"Change a {subject}", WRITE, shown, body),
        Operation("PUT", record_path, update, f"Replace a {subject}", WRITE, shown, body),
        Operation("DELETE", record_path, delete, f"Delete a {subject}", WRITE, statuses=(204,)),
    )


_create = keeping_requests(creation.create_experiment)
_update = keeping_requests(updates.update_experiment)

_RECORDS = (
    Operation(
        "GET", EXPERIMENTS, list.list_experiments, "List experiments", READ,
        response=page_of(schemas.EXPERIMENT_ROW), parameters=list.PARAMETERS,
    ),
    Operation(
        "POST", EXPERIMENTS, _create, "Create an experiment", WRITE,
        response=schemas.EXPERIMENT, statuses=(201,), body=schemas.CREATE_BODY,
    ),
    Operation("GET", ONE, list.retrieve_experiment, "Get an experiment", READ, response=schemas.EXPERIMENT),
    Operation(
        "PATCH", ONE, _update, "Change an experiment", WRITE, response=schemas.EXPERIMENT,
        body=schemas.PATCH_BODY,
    ),
    Operation(
        "PUT", ONE, _update, "Replace an experiment", WRITE, response=schemas.EXPERIMENT,
        body=schemas.CREATE_BODY,
    ),
    Operation("DELETE", ONE, refuse_deletion, "Refused: delete by an update", WRITE, statuses=(405,)),
    Operation(
        "GET", f"{ONE}/activity", activity_of_one, "List the activity of an experiment", "activity_log:read",
        response=ACTIVITY_PAGE, parameters=("limit", "page"),
    ),
)  # fmt: skip

_ACTIONS = (
    _action("launch", lifecycle.launch, "Launch an experiment", _ONE),
    _action("pause", lifecycle.pause, "Pause an experiment: its flag is turned off", _ONE),
    _action("resume", lifecycle.resume, "Resume an experiment: its flag is turned on", _ONE),
    _action("end", lifecycle.end, "End an experiment, with a conclusion", _ONE, schemas.END_BODY),
    _action("reset", lifecycle.reset, "Reset an experiment to a draft", _ONE),
    _action("archive", lifecycle.archive, "Archive an experiment", _ONE, schemas.ARCHIVE_BODY),
    _action("unarchive", lifecycle.unarchive, "Unarchive an experiment", _ONE),
    _action(
        "ship_variant", lifecycle.ship_variant, "Ship a variant to everyone", _ONE, schemas.SHIP_BODY
    ),
    _action("freeze_exposure", exposure_freezing.freeze_exposure, "Freeze the exposure", _ONE),
    _action("unfreeze_exposure", exposure_freezing.unfreeze_exposure, "Unfreeze the exposure", _ONE),
    _action("migrate", legacy_migration.migrate, "Copy a legacy experiment to the current engine", _ONE),
    _action(
        "copy_to_project", duplicates.copy_to_project, "Copy an experiment to another project", _ONE,
        schemas.COPY_BODY, 201,
    ),
    _action("duplicate", duplicates.duplicate, "Duplicate an experiment", _ONE, schemas.DUPLICATE_BODY, 201),
    _action(
        "create_exposure_cohort_for_experiment", cohorts.create_exposure_cohort,
        "Create a cohort of the exposed users", schemas.COHORT, None, 201,
    ),
)  # fmt: skip

_CHOOSING = (
    Operation(
        "GET", f"{EXPERIMENTS}/matching_ids", bulk.matching_ids,
        "List the ids of matching experiments that the caller can edit", READ, response=schemas.MATCHES,
        parameters=list.PARAMETERS[2:],
    ),
    Operation(
        "POST", f"{EXPERIMENTS}/bulk_update_tags", bulk.bulk_update_tags, "Tag several experiments", WRITE,
        response=TAGS_DONE, body=TAGS_BODY,
    ),
    Operation(
        "GET", f"{EXPERIMENTS}/requires_flag_implementation", setup_help.requires_flag_implementation,
        "Show whether an SDK implementation is missing", READ, slow=True, response=schemas.REQUIRES,
        parameters=("events", "actions"),
    ),
    Operation(
        "GET", f"{EXPERIMENTS}/eligible_feature_flags", setup_help.eligible_feature_flags,
        "List the flags that an experiment can use", "feature_flag:read", response=schemas.ELIGIBLE,
        parameters=setup_help.ELIGIBLE_PARAMETERS,
    ),
    Operation(
        "GET", f"{EXPERIMENTS}/stats", list.experiment_stats, "Count experiments by state", READ,
        response=schemas.STATS,
    ),
    Operation(
        "POST", f"{EXPERIMENTS}/calculate_running_time", setup_help.calculate_running_time,
        "Estimate the sample size and the running time", READ,
    ),
)  # fmt: skip

_RESULTS = (
    Operation(
        "GET", f"{ONE}/timeseries_results", recalculation.timeseries_results,
        "Get the results of a metric by day", READ,
        slow=True, response=schemas.TIMESERIES, parameters=("metric_uuid", "fingerprint"),
    ),
    _action(
        "recalculate_timeseries", recalculation.recalculate_timeseries,
        "Recalculate the results of a metric by day",
        schemas.RECALCULATION, schemas.RECALCULATE_BODY, 200, 201,
    ),
    _action(
        "metrics_recalculation", recalculation.recalculate_metrics, "Recalculate all metrics",
        schemas.RECALCULATION, None, 200, 201,
    ),
    Operation(
        "GET", f"{ONE}/metrics_recalculation/latest", recalculation.latest_metrics_recalculation,
        "Get the latest results of all metrics", READ, slow=True, response=schemas.RECALCULATION,
    ),
    Operation(
        "GET", f"{ONE}/metrics_recalculation/{{run_id}}", recalculation.metrics_recalculation,
        "Get the progress of a recalculation", READ, slow=True, response=schemas.RECALCULATION,
    ),
    Operation(
        "POST", f"{PROJECT}/query", queries.run_query,
        "Query the results of a metric, or exposures", "query:read",
        slow=True, statuses=(200, 202), body=schemas.QUERY_BODY,
    ),
    Operation(
        "GET", f"{PROJECT}/query/{{query_id}}", queries.query_status, "Get the state of a query",
        "query:read", slow=True, statuses=(200, 202),
    ),
)  # fmt: skip

_HOLDOUTS = _shared_operations("experiment_holdouts", "holdout", HOLDOUTS, HOLDOUT, schemas.HOLDOUT_BODY)
_SAVED_METRICS = _shared_operations(
    "experiment_saved_metrics", "saved metric", SAVED_METRICS, schemas.SAVED_METRIC, schemas.SAVED_METRIC_BODY
)

OPERATIONS = (*_RECORDS, *_ACTIONS, *_CHOOSING, *_RESULTS, *_HOLDOUTS, *_SAVED_METRICS)
