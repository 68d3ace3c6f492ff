"""The table of flag operations."""

from flagtui.service.activity import feed
from flagtui.service.call import Call
from flagtui.service.errors import Fault
from flagtui.service.flags.bulk import bulk_delete, bulk_keys, bulk_update_tags, matching_ids
from flagtui.service.flags.dashboards import enrich_dashboard, make_dashboard
from flagtui.service.flags.dependency_copies import REQUIREMENTS, REQUIREMENTS_BODY
from flagtui.service.flags.dependents import dependent_flags
from flagtui.service.flags.encryption import remote_config
from flagtui.service.flags.fields import COPIES, FLAG, FLAG_BODY, FLAG_PAGE, ONE_SHARE, TO_EVERYONE
from flagtui.service.flags.list import PARAMETERS, list_flags
from flagtui.service.flags.narrow_writes import mover, roll_out_to_everyone, set_release_condition_rollout
from flagtui.service.flags.organization_lookup import list_flags_with_key, list_organization_flags
from flagtui.service.flags.project_copies import copy_flags, dependency_requirements
from flagtui.service.flags.rows import SCOPE, called_row, find_row
from flagtui.service.flags.status import flag_status
from flagtui.service.flags.versions import retrieve_version
from flagtui.service.flags.write_operations import create, retrieve, update
from flagtui.service.operations import PROJECT, Operation
from flagtui.service.resources import refuse_deletion
from flagtui.service.responses import Response
from flagtui.service.shapes import ACTIVITY_PAGE, OBJECTS
from flagtui.service.tag_edits import TAGS_BODY, TAGS_DONE

FLAGS = f"{PROJECT}/feature_flags"
ONE = f"{FLAGS}/{{id}}"
READ, WRITE, LOG = "feature_flag:read", "feature_flag:write", "activity_log:read"


def activity_of_all(call: Call) -> Response:
    return feed(call, SCOPE)


def activity_of_one(call: Call) -> Response:
    row = find_row(call.db, call.project.id, call.number("id"))
    if row is None and not call.generation.faults_have_bodies:
        raise Fault(404, None)
    return feed(call, SCOPE, str(called_row(call, "viewer")["id"]))


_ORGANIZATION_FLAGS = "/api/organizations/{organization_id}/feature_flags"
_PAGES = ("limit", "page")
# Archived flags are off, and stay off when unarchived.
_archive = mover("archiving", archived=True, active=False)

OPERATIONS = (
    Operation("GET", FLAGS, list_flags, "List flags", READ, FLAG_PAGE, parameters=PARAMETERS),
    Operation("POST", FLAGS, create, "Create a flag", WRITE, FLAG, FLAG_BODY, (201,)),
    Operation("GET", ONE, retrieve, "Get a flag", READ, FLAG),
    Operation("PATCH", ONE, update, "Change a flag", WRITE, FLAG, FLAG_BODY),
    Operation("PUT", ONE, update, "Replace a flag", WRITE, FLAG, FLAG_BODY),
    Operation("DELETE", ONE, refuse_deletion, "Refused: delete by an update", WRITE, statuses=(405,)),
    Operation(
        "GET", f"{ONE}/activity", activity_of_one, "List the activity of a flag", LOG, ACTIVITY_PAGE,
        parameters=_PAGES,
    ),
    Operation(
        "GET", f"{FLAGS}/activity", activity_of_all, "List the activity of all flags", LOG, ACTIVITY_PAGE,
        parameters=_PAGES,
    ),
    Operation("GET", f"{ONE}/status", flag_status, "Show whether a flag is in use", READ),
    Operation("GET", f"{ONE}/dependent_flags", dependent_flags, "List the flags that depend on a flag", READ),
    Operation("POST", f"{FLAGS}/bulk_keys", bulk_keys, "Get the keys of flags by their ids", READ),
    Operation("POST", f"{ONE}/enable", mover("enabling", active=True), "Turn a flag on", WRITE, FLAG),
    Operation("POST", f"{ONE}/disable", mover("disabling", active=False), "Turn a flag off", WRITE, FLAG),
    Operation("POST", f"{ONE}/archive", _archive, "Archive a flag", WRITE, FLAG),
    Operation(
        "POST", f"{ONE}/unarchive", mover("unarchiving", archived=False), "Unarchive a flag", WRITE, FLAG,
    ),
    Operation(
        "POST", f"{ONE}/set_release_condition_rollout", set_release_condition_rollout,
        "Set the rollout of one condition", WRITE, FLAG, ONE_SHARE,
    ),
    Operation(
        "POST", f"{ONE}/roll_out_to_everyone", roll_out_to_everyone,
        "Add a first condition that serves everyone one variant", WRITE, FLAG, TO_EVERYONE,
    ),
    Operation(
        "GET", f"{ONE}/versions/{{version}}", retrieve_version, "Get an earlier version of a flag", READ,
    ),
    Operation(
        "GET", f"{FLAGS}/matching_ids", matching_ids,
        "List the ids of matching flags that the caller can edit", READ, parameters=PARAMETERS,
    ),
    Operation("POST", f"{FLAGS}/bulk_delete", bulk_delete, "Soft-delete several flags", WRITE),
    Operation(
        "POST", f"{FLAGS}/bulk_update_tags", bulk_update_tags, "Tag several flags", WRITE, TAGS_DONE,
        TAGS_BODY,
    ),
    Operation(
        "POST", f"{ONE}/dashboard", make_dashboard, "Create the usage dashboard of a flag", WRITE,
        closed=True,
    ),
    Operation(
        "POST", f"{ONE}/enrich_usage_dashboard", enrich_dashboard,
        "Add insights to the usage dashboard of a flag", WRITE, closed=True,
    ),
    Operation(
        "POST", f"{_ORGANIZATION_FLAGS}/copy_flags", copy_flags, "Copy a flag to other projects", WRITE,
        COPIES,
    ),
    Operation(
        "POST", f"{_ORGANIZATION_FLAGS}/copy_flags/dependency_requirements", dependency_requirements,
        "Show whether dependencies can be copied with a flag", WRITE, REQUIREMENTS,
        REQUIREMENTS_BODY,
    ),
    Operation(
        "GET", f"{_ORGANIZATION_FLAGS}/{{key}}", list_flags_with_key,
        "List the flags with one key in all projects of an organization", READ, OBJECTS, closed=True,
    ),
    Operation(
        "GET", f"{_ORGANIZATION_FLAGS}/keys", list_organization_flags, "List the flags of an organization",
        READ, parameters=("team_ids", "search", "limit", "offset"), closed=True,
    ),
    Operation(
        "GET", f"{ONE}/remote_config", remote_config, "Get the value of a remote configuration", READ,
        project_secret=True, bare=(200, 404),
    ),
)  # fmt: skip
