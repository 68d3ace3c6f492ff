"""Every operation needs the scope of its resource, and names it in the refusal."""

from typing import Final

import pytest
from tests.doubles.service_world import Start, World

from flagtui.service.application import OPERATIONS
from flagtui.service.generations import OLDER
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


def path_of(operation: Operation) -> str:
    path = operation.path.replace("{project_id}", "1").replace("{organization_id}", "@current")
    return f"{path}/".replace("{id}", "1")


async def test_every_operation_needs_its_scope(world: World) -> None:
    stranger = world.with_key("nothing:write")
    count = 0
    for operation in OPERATIONS:
        if operation.public or operation.scope is None:
            continue
        detail = f"API key missing required scope '{expected_scope(operation)}'"
        await stranger.refuses(operation.method, path_of(operation), status=403, detail=detail)
        count += 1
    assert count > 100


def test_only_keys_and_programs_need_no_scope() -> None:
    without = [operation for operation in OPERATIONS if operation.scope is None and not operation.public]
    assert {operation.path for operation in without} == {"/api/personal_api_keys/{id}"}


@pytest.mark.parametrize("legacy", [False, True])
async def test_strict_services_close_operations_to_keys(start_world: Start, legacy: bool) -> None:
    world: World = await start_world(strict=True, legacy=legacy)
    await world.flag("a")
    earlier = OLDER.closed_operations if legacy else ()
    closed = [operation for operation in OPERATIONS if operation.closed or operation.name in earlier]
    detail = "This action does not support personal API key access"
    for operation in closed:
        if not legacy or operation.name not in OLDER.missing_operations:
            await world.refuses(operation.method, path_of(operation), status=403, detail=detail)
    assert len(closed) > 5
    assert world.rows("SELECT id FROM cohorts") == []
