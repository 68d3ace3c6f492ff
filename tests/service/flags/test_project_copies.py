"""Copies of a flag in other projects."""

from typing import Any

from tests.doubles.service_world import Start, World, asks_for


async def copy_path(world: World) -> str:
    organization = (await world.get("/api/organizations/@current/"))["id"]
    return f"/api/organizations/{organization}/feature_flags/copy_flags/"


async def test_a_flag_is_made_in_another_project_with_its_cohort(world: World) -> None:
    other = world.add_project()
    cohort = world.write(
        "INSERT INTO cohorts (project_id, name, filters, created_at) VALUES (1, 'Testers', '{\"a\":1}', ?)",
        world.ago(days=1),
    )
    condition = {"properties": [{"key": "id", "type": "cohort", "value": cohort}], "rollout_percentage": 10}
    await world.flag("a", name="A", tags=["x"], filters={"groups": [condition]})
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other, 99]}
    answer = await world.post(await copy_path(world), body)
    assert answer["failed"] == [{"project_id": 99, "error_message": "Project not found."}]
    made = answer["success"][0]
    assert (made["key"], made["name"], made["tags"], made["version"]) == ("a", "A", ["x"], 1)
    item = made["filters"]["groups"][0]["properties"][0]
    assert item["cohort_name"] == "Testers"
    copied = world.rows("SELECT project_id, filters FROM cohorts WHERE id = ?", item["value"])
    assert copied == [{"project_id": other, "filters": '{"a":1}'}]
    again = await world.post(await copy_path(world), {**body, "disable_copied_flag": True})
    assert (again["success"][0]["id"], again["success"][0]["version"]) == (made["id"], 2)
    assert again["success"][0]["active"] is False
    assert len(world.rows("SELECT * FROM cohorts")) == 2


async def test_a_dependency_must_exist_in_the_target_too(world: World) -> None:
    other = world.add_project()
    base = await world.flag("base")
    await world.flag("child", filters=asks_for(base["id"]))
    body = {"feature_flag_key": "child", "from_project": 1, "target_project_ids": [other]}
    answer = await world.post(await copy_path(world), body)
    assert "depends on 'base'" in answer["failed"][0]["error_message"]
    assert (await world.get(f"/api/projects/{other}/feature_flags/"))["count"] == 0
    await world.post(await copy_path(world), {**body, "feature_flag_key": "base"})
    made = (await world.post(await copy_path(world), body))["success"][0]
    bases = world.rows("SELECT id FROM flags WHERE project_id = ? AND key = 'base'", other)
    assert made["filters"]["groups"][0]["properties"][0]["key"] == str(bases[0]["id"])


FAULTY: list[tuple[Any, str]] = [
    ({}, "Missing required fields"),
    ({"feature_flag_key": "a", "from_project": 2**63, "target_project_ids": [1]}, "Missing required fields"),
    ({"feature_flag_key": "a", "from_project": 1, "target_project_ids": []}, "Missing required fields"),
    (
        {"feature_flag_key": "z", "from_project": 1, "target_project_ids": [1]},
        "Feature flag to copy does not exist.",
    ),
    (
        {"feature_flag_key": "a", "from_project": 9, "target_project_ids": [1]},
        "Feature flag to copy does not exist.",
    ),
]


async def test_copy_needs_a_flag_and_targets(world: World) -> None:
    await world.flag("a")
    for body, error in FAULTY:
        response = await world.ask("POST", await copy_path(world), body)
        assert (response.status_code, response.json()) == (400, {"error": error})


async def test_a_strict_service_wants_the_scope_by_name(start_world: Start) -> None:
    world = await start_world(strict=True)
    other = world.add_project()
    await world.flag("a")
    path = await copy_path(world)
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    refusal = await world.refused("POST", path, body)
    assert refusal.detail == "API key missing required scope 'feature_flag:write'"
    named = world.with_key("feature_flag:write")
    assert len((await named.post(path, body))["success"]) == 1
