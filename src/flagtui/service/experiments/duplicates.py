"""A new draft from an old experiment, in the same project or another."""

import uuid

from msgspec.structs import replace

from flagtui.service.access import open_project
from flagtui.service.bodies import Fields
from flagtui.service.call import Call, Project
from flagtui.service.database import find
from flagtui.service.errors import Fault, Json
from flagtui.service.experiments.creation import Input, create
from flagtui.service.experiments.fields import EXPERIMENTS, LONGEST_NAME
from flagtui.service.experiments.flag_config import UNCHANGED_FLAG, FlagConfig
from flagtui.service.experiments.metric_rules import ORDER_OF
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import is_old, saved_metric_links
from flagtui.service.experiments.rows import find_flag
from flagtui.service.experiments.save import find_called, respond_experiment
from flagtui.service.experiments.saved_metrics import Usage
from flagtui.service.field_kinds import Use
from flagtui.service.flags.levels import check_level
from flagtui.service.responses import Response

_COPIED = EXPERIMENTS.using(Use.COPIED)


def duplicate(call: Call) -> Response:
    """Copy the experiment, onto the same flag without a flag key."""
    experiment = find_called(call)
    fields = Fields(call.body())
    key = fields.text("feature_flag_key", blank=False, null=True) or experiment.flag.key
    name = fields.text("name", longest=LONGEST_NAME, null=True) or _free_name(
        call, str(experiment.fields["name"])
    )
    _check_engine(call, experiment, "Duplication")
    given = copy_input(call, experiment, name, key)
    links = [Usage(link["saved_metric"], link["metadata"]) for link in saved_metric_links(call, experiment)]
    saved = [{"id": link.saved_metric, "metadata": link.metadata} for link in links] or None
    columns = {**given.columns, "saved_metrics_ids": saved}
    return respond_experiment(call, create(call, replace(given, columns=columns, links=links)), 201)


def copy_to_project(call: Call) -> Response:
    """Copy to another project, without saved metrics, holdout and dates, which belong to this one."""
    experiment = find_called(call)
    fields = Fields(call.body())
    fields.require("target_team_id")
    number = fields.number("target_team_id") or 0
    key = fields.text("feature_flag_key", blank=False, null=True) or experiment.flag.key
    name = fields.text("name", longest=LONGEST_NAME, null=True) or str(experiment.fields["name"])
    target = replace(call, scoped_project=_target(call, number))
    _check_engine(call, experiment, "Copying")
    return respond_experiment(target, create(target, copy_input(target, experiment, name, key)), 201)


def copy_input(call: Call, experiment: Experiment, name: str, key: str) -> Input:
    """Return the input that would make the copy: new metric ids, no dates, no conclusion."""
    check_level(call, 0, "editor", "experiment")
    columns: dict[str, Json] = {column: experiment.fields[column] for column in _COPIED}
    columns["filters"] = columns["filters"] or {}
    for field in ORDER_OF:
        metrics = experiment.fields[field] or []
        columns[field] = [{**metric, "uuid": str(uuid.uuid4())} for metric in metrics]
    columns["name"] = name
    is_new = find_flag(call.db, call.project.id, key) is None
    config = FlagConfig.of(experiment.flag) if is_new else UNCHANGED_FLAG
    excluded = experiment.fields["excluded_variants"]
    columns["excluded_variants"] = excluded if is_new or key == experiment.flag.key else None
    return Input(columns=columns, flag_key=key, flag=config, allow_unknown_events=True)


def _check_engine(call: Call, experiment: Experiment, verb: str) -> None:
    if is_old(experiment, saved_metric_links(call, experiment)):
        detail = f"{verb} is not supported for experiments using legacy metrics."
        raise Fault(400, {"detail": detail})


def _free_name(call: Call, name: str) -> str:
    """Return the first free name of `x (Copy)`, `x (Copy) 1`, and so on."""
    copy_name, number = f"{name[:380]} (Copy)", 0
    free = copy_name
    while find(call.db, "experiments", project_id=call.project.id, name=free, deleted=0):
        number += 1
        free = f"{copy_name} {number}"
    return free


def _target(call: Call, number: int) -> Project:
    """Return another project of the same organization that the caller and the key may write to."""
    if find(call.db, "projects", id=number, organization_id=call.project.organization_id) is None:
        raise Fault(404, {"detail": "Target team not found."})
    project = open_project(call.db, call.caller, number)
    if project is None:
        raise Fault(403, {"detail": "You do not have write access to the target project."})
    return project
