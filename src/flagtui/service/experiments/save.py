"""Writing an experiment: the row, its changes of other tables, and the line in the log."""

from collections.abc import Mapping

from flagtui.service.activity import changes_between, log
from flagtui.service.call import Call
from flagtui.service.database import update_row
from flagtui.service.errors import Json
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.experiments.records import Experiment
from flagtui.service.experiments.representation import describe_all
from flagtui.service.experiments.rows import find
from flagtui.service.field_kinds import Use
from flagtui.service.flags.levels import check_level
from flagtui.service.responses import Response, respond

SCOPE = "Experiment"
_LOGGED = EXPERIMENTS.using(Use.LOGGED)
_FLAG = "feature_flag_key"


def find_called(call: Call, *, deleted: bool = False) -> Experiment:
    """Return the experiment of the path; 403 if the caller's access does not allow the method."""
    experiment = find(call.db, call.project.id, call.number("id"), deleted=deleted)
    level = "viewer" if call.method in ("GET", "HEAD") else "editor"
    check_level(call, experiment.id, level, "experiment")
    return experiment


def save(call: Call, experiment: Experiment, changes: Mapping[str, Json]) -> Experiment:
    """Write the changes and their log line; return the experiment, and its flag, as they now are.

    A change of the flag alone is in the flag's own log.
    """
    stored = EXPERIMENTS.encode({**changes, "updated_at": call.stamp})
    update_row(call.db, "experiments", experiment.id, stored)
    fresh = find(call.db, experiment.project_id, experiment.id, deleted=True)
    changed = changes_between(SCOPE, _with_flag(experiment), _with_flag(fresh), (*_LOGGED, _FLAG))
    if changed:
        log(call, SCOPE, fresh.fields, _verb(experiment, fresh), changed, merge=None)
    return fresh


def _with_flag(experiment: Experiment) -> dict[str, Json]:
    return {**experiment.fields, _FLAG: experiment.flag.key}


def respond_experiment(call: Call, experiment: Experiment, status: int = 200) -> Response:
    """Return the whole object as a response."""
    return respond(describe_all(call, [experiment])[0], status)


def _verb(before: Experiment, after: Experiment) -> str:
    if before.fields["deleted"] != after.fields["deleted"]:
        return "deleted" if after.fields["deleted"] else "restored"
    return "updated"
