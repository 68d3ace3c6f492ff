"""Every operation needs the scope of its resource, and names it in the refusal."""

from typing import Final

from tests.doubles.service_world import World

from flagtui.service.application import OPERATIONS
from flagtui.service.operations import PROJECT, Operation

OBJECTS: Final = {
    "feature_flags": "feature_flag",
    "scheduled_changes": "feature_flag",
    "change_requests": "approvals",
    "approval_policies": "approvals",
    "experiments": "experiment",
    "experiment_holdouts": "experiment",
    "experiment_saved_metrics": "experiment",
    "query": "query",
    "event_definitions": "event_definition",
    "property_definitions": "property_definition",
    "persons": "person",
    "groups": "group",
    "groups_types": "group",
    "cohorts": "cohort",
    "projects": "project",
    "organizations": "organization",
    "users": "user",
}
"""Objects of scopes by the resource of a path."""
OTHERS: Final = {
    "GET /experiments/eligible_feature_flags": "feature_flag:read",
    "GET /api/organizations/{organization_id}/projects": "project:read",
}
READS_WITH_A_BODY: Final = (
    *("bulk_keys", "user_blast_radius", "test_evaluation", "query", "calculate_running_time"),
)


def expected_scope(operation: Operation) -> str:
    parts = operation.path.removeprefix(f"{PROJECT}/").removeprefix("/api/").split("/")
    if parts[-1] == "activity":
        return "activity_log:read"
    resource = "feature_flags" if "feature_flags" in parts else parts[0]
    reads = operation.method == "GET" or parts[-1] in READS_WITH_A_BODY
    return OTHERS.get(operation.name) or f"{OBJECTS[resource]}:{'read' if reads else 'write'}"


async def test_every_operation_needs_its_scope(world: World) -> None:
    stranger = world.with_key("nothing:write")
    count = 0
    for operation in OPERATIONS:
        if operation.public or operation.scope is None:
            continue
        path = operation.path.replace("{project_id}", "1").replace("{organization_id}", "@current")
        refusal = await stranger.refused(operation.method, f"{path}/".replace("{id}", "1"))
        detail = f"API key missing required scope '{expected_scope(operation)}'"
        assert (refusal.status, refusal.detail) == (403, detail), operation.name
        count += 1
    assert count > 100


def test_only_keys_and_programs_need_no_scope() -> None:
    without = [operation for operation in OPERATIONS if operation.scope is None and not operation.public]
    assert {operation.path for operation in without} == {"/api/personal_api_keys/{id}"}
