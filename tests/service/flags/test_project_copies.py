"""Copies of a flag in other projects."""

from typing import Any

from tests.doubles.service_world import Start, World, asks_for, variants


async def copy_path(world: World) -> str:
    organization = (await world.get("/api/organizations/@current/"))["id"]
    return f"/api/organizations/{organization}/feature_flags/copy_flags/"


async def test_a_flag_is_made_in_another_project_with_its_cohort(world: World) -> None:
    other = world.add_project()
    testers = {"name": "Testers", "filters": {"a": 1}, "created_at": world.ago(days=1)}
    cohort = world.insert("cohorts", project_id=1, **testers)
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
    ({"feature_flag_key": "z", "from_project": 1, "target_project_ids": [1]},
     "Feature flag to copy does not exist."),
    ({"feature_flag_key": "a", "from_project": 9, "target_project_ids": [1]},
     "Feature flag to copy does not exist."),
]  # fmt: skip


async def test_copy_needs_a_flag_targets_and_edit_access(world: World) -> None:
    await world.flag("a")
    for body, error in FAULTY:
        response = await world.ask("POST", await copy_path(world), body)
        assert (response.status_code, response.json()) == (400, {"error": error})
    other = world.add_project()
    grace = world.add_user("grace@acme.test")
    world.write("INSERT INTO access_levels VALUES (?, ?, 'feature_flag', '', 'viewer')", other, grace)
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    answer = await world.with_key("*", user=grace).post(await copy_path(world), body)
    (failure,) = answer["failed"]
    assert failure["error_message"] == "You do not have permission to copy flags to this project."


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


async def cover(world: World, project: int, action: str) -> None:
    body = {"action_key": f"feature_flag.{action}", "approver_config": {"quorum": 1, "users": [1]}}
    await world.post(f"/api/projects/{project}/approval_policies/", {**body, "allow_self_approve": True}, 201)


async def test_policy_of_the_target_holds_up_a_copy(world: World) -> None:
    other = world.add_project()
    await world.flag("a")
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    await cover(world, other, "enable")
    answer = await world.post(await copy_path(world), body)
    (held,) = answer["failed"]
    assert (answer["success"], held["error_message"], held["approval_pending"]) == (
        *([], "Approval required"),
        True,
    )
    flags = f"/api/projects/{other}/feature_flags/"
    assert (await world.get(flags))["count"] == 0
    request = f"/api/projects/{other}/change_requests/{held['change_request_id']}/"
    assert (await world.post(f"{request}approve/"))["status"] == "applied"
    assert [(flag["key"], flag["active"]) for flag in (await world.get(flags))["results"]] == [("a", True)]
    again = await world.post(await copy_path(world), {**body, "disable_copied_flag": True})
    assert again["success"][0]["active"] is False


async def test_copied_schedule_waits_for_approval_too(world: World) -> None:
    other = world.add_project()
    flag = await world.flag("a", active=False)
    plan = {"record_id": str(flag["id"]), "model_name": "FeatureFlag"}
    for value, moment in ((True, "2026-04-01T00:00:00Z"), (True, "2026-05-01T00:00:00Z")):
        change = {"payload": {"operation": "update_status", "value": value}, "scheduled_at": moment}
        await world.post("/api/projects/1/scheduled_changes/", {**plan, **change}, 201)
    await cover(world, other, "enable")
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other], "copy_schedule": True}
    (made,) = (await world.post(await copy_path(world), body))["success"]
    assert made["schedule_copy_warning"].startswith("Flag copied but")
    schedule = await world.get(f"/api/projects/{other}/scheduled_changes/")
    assert [change["scheduled_at"] for change in schedule["results"]] == ["2026-04-01T00:00:00Z"]
    assert (await world.get(f"/api/projects/{other}/change_requests/"))["count"] == 1
    world.clock.pass_(days=60)
    assert (await world.get(f"/api/projects/{other}/feature_flags/{made['id']}/"))["active"] is False


async def test_copy_keeps_a_flag_on_that_others_need(world: World) -> None:
    other = world.add_project()
    await world.flag("a", active=False)
    target = f"/api/projects/{other}/feature_flags/"
    base = await world.post(target, {"key": "a"}, 201)
    await world.post(target, {"key": "child", "filters": asks_for(base["id"])}, 201)
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    (failure,) = (await world.post(await copy_path(world), body))["failed"]
    assert failure["error_message"].startswith("Cannot disable this feature flag because other flags")


async def test_copy_is_checked_like_an_update_of_the_target(world: World) -> None:
    other = world.add_project()
    target = f"/api/projects/{other}/feature_flags/"
    base = await world.flag("base", filters=variants(control=50, test=50))
    await world.flag("child", filters=asks_for(base["id"]))
    present = await world.post(target, {"key": "base", "filters": variants(control=50, blue=50)}, 201)
    world.add_experiment(present["id"], project_id=other, start_date=world.ago(days=1))
    body = {"from_project": 1, "target_project_ids": [other]}
    (failure,) = (await world.post(await copy_path(world), {**body, "feature_flag_key": "base"}))["failed"]
    assert failure["error_message"].startswith("Cannot remove variant(s) 'blue' from a feature flag")
    await world.patch(f"{target}{present['id']}/", {"active": False})
    (failure,) = (await world.post(await copy_path(world), {**body, "feature_flag_key": "child"}))["failed"]
    assert failure["error_message"].startswith("Cannot create dependency on disabled flag 'base'")
    assert [flag["key"] for flag in (await world.get(target))["results"]] == ["base"]


async def chain(world: World, *keys: str) -> None:
    """Flags of which each depends on the one before."""
    above = None
    for key in keys:
        above = (await world.flag(key, **({"filters": asks_for(above)} if above else {})))["id"]


async def requirements(world: World, *targets: int, key: str = "c") -> Any:
    path = f"{await copy_path(world)}dependency_requirements/"
    return await world.post(path, {"feature_flag_key": key, "from_project": 1, "target_project_ids": targets})


async def test_dependencies_are_copied_on_request(world: World) -> None:
    first, second = world.add_project(), world.add_project()
    await chain(world, "a", "b", "c")
    await world.post(f"/api/projects/{second}/feature_flags/", {"key": "a"}, 201)
    assert await requirements(world, first, second) == {
        **{"can_copy_dependencies": True, "dependency_count": 2, "copied_dependency_keys": ["a", "b"]},
        **{"reused_dependency_keys": [], "warnings": [], "reason": "2 dependency flags can be copied."},
    }
    body = {"feature_flag_key": "c", "from_project": 1, "target_project_ids": [first, second]}
    answer = await world.post(await copy_path(world), {**body, "copy_dependencies": True})
    assert [flag["copied_dependency_keys"] for flag in answer["success"]] == [["a", "b"], ["b"]]
    rows = world.rows("SELECT id, key, filters FROM flags WHERE project_id = ? ORDER BY id", first)
    assert [row["key"] for row in rows] == ["a", "b", "c"]
    assert f'"key":"{rows[1]["id"]}"' in rows[2]["filters"]
    done = await requirements(world, first, second)
    assert (done["can_copy_dependencies"], done["reused_dependency_keys"]) == (False, ["a", "b"])
    assert done["reason"] == "All dependency flags exist already."
    assert (await requirements(world, first, key="a"))["reason"] == "The flag has no dependencies."


async def test_disabled_dependency_of_a_target_is_a_warning(world: World) -> None:
    other = world.add_project()
    await chain(world, "a", "b", "c")
    await world.post(f"/api/projects/{other}/feature_flags/", {"key": "a", "active": False}, 201)
    response = await requirements(world, other)
    assert (response["can_copy_dependencies"], response["copied_dependency_keys"]) == (False, ["b"])
    assert response["warnings"] == [f"'a' is disabled in project {other}."]


async def test_long_chain_of_dependencies_is_not_copied(world: World) -> None:
    other = world.add_project()
    await chain(world, *(f"f{number}" for number in range(52)))
    body = {"feature_flag_key": "f51", "from_project": 1, "target_project_ids": [other]}
    answer = await world.post(await copy_path(world), {**body, "copy_dependencies": True})
    assert answer["failed"][0]["error_message"] == "Cannot copy more than 50 dependencies."
    body["feature_flag_key"] = "f50"
    answer = await world.post(await copy_path(world), {**body, "copy_dependencies": True})
    assert len(answer["success"][0]["copied_dependency_keys"]) == 50


async def test_requirements_need_a_flag_and_targets(world: World) -> None:
    await world.flag("a")
    path = f"{await copy_path(world)}dependency_requirements/"
    good: dict[str, Any] = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [1]}
    for change, detail in (
        ({"feature_flag_key": None}, "This field may not be null."),
        ({"feature_flag_key": {}}, "Not a valid string."),
        ({"from_project": "x"}, "A valid integer is required."),
        ({"from_project": 99}, None),
        ({"target_project_ids": []}, "This list may not be empty."),
        ({"target_project_ids": [99]}, "Project not found."),
        ({"target_project_ids": [{}]}, "Project not found."),
        ({"target_project_ids": [1] * 51}, "Ensure this field has no more than 50 elements."),
    ):
        refusal = await world.refused("POST", path, {**good, **change})
        assert (refusal.status, refusal.detail) == (400, detail)
