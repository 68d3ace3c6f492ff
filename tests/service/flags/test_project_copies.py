"""Copies of a flag in other projects, and the flags of all projects of an organization."""

from typing import Any

from tests.doubles.service_world import Start, World, asks_for, released, variants

LOOKUP = "/api/organizations/@current/feature_flags"
COPY = f"{LOOKUP}/copy_flags/"


def flags_of(project: int) -> str:
    return f"/api/projects/{project}/feature_flags/"


async def copy(world: World, key: str, *targets: int, **choices: Any) -> Any:
    body = {"feature_flag_key": key, "from_project": 1, "target_project_ids": targets, **choices}
    return await world.post(COPY, body)


async def error_of_copy(world: World, target: int, key: str = "a", **choices: Any) -> str:
    """Copy a flag, which must fail, and return the reason."""
    answer = await copy(world, key, target, **choices)
    (failure,) = answer["failed"]
    assert answer["success"] == []
    return str(failure["error_message"])


async def test_a_flag_is_made_in_another_project_with_its_cohort(world: World) -> None:
    other = world.add_project()
    testers = {"name": "Testers", "filters": {"a": 1}, "created_at": world.ago(days=1)}
    cohort = world.insert("cohorts", project_id=1, **testers)
    condition = {"properties": [{"key": "id", "type": "cohort", "value": cohort}], "rollout_percentage": 10}
    await world.flag("a", name="A", tags=["x"], filters={"groups": [condition]})
    answer = await copy(world, "a", other, 99)
    assert answer["failed"] == [{"project_id": 99, "error_message": "Project not found."}]
    (made,) = answer["success"]
    assert (made["key"], made["name"], made["tags"], made["version"]) == ("a", "A", ["x"], 1)
    item = made["filters"]["groups"][0]["properties"][0]
    assert item["cohort_name"] == "Testers"
    copied = world.rows("SELECT project_id, filters FROM cohorts WHERE id = ?", item["value"])
    assert copied == [{"project_id": other, "filters": '{"a":1}'}]
    contexts = {"evaluation_contexts": ["web"], "evaluation_contexts_match_mode": "all"}
    await world.patch(f"{flags_of(other)}{made['id']}/", contexts)
    (again,) = (await copy(world, "a", other, disable_copied_flag=True))["success"]
    assert (again["id"], again["version"], again["active"]) == (made["id"], 3, False)
    assert {name: again[name] for name in contexts} == contexts
    assert len(world.rows("SELECT * FROM cohorts")) == 2


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
        assert await world.post(COPY, body, 400) == {"error": error}
    other, grace = world.add_project(), world.add_user("grace@acme.test")
    world.write("INSERT INTO access_levels VALUES (?, ?, 'feature_flag', '', 'viewer')", other, grace)
    expected = "You do not have permission to copy flags to this project."
    assert await error_of_copy(world.with_key("*", user=grace), other) == expected


async def test_a_strict_service_wants_the_scope_by_name(start_world: Start) -> None:
    world = await start_world(strict=True)
    other = world.add_project()
    await world.flag("a")
    await world.refuses("POST", COPY, {}, detail="API key missing required scope 'feature_flag:write'")
    assert len((await copy(world.with_key("feature_flag:write"), "a", other))["success"]) == 1


async def cover(world: World, project: int, action: str) -> None:
    body = {"action_key": f"feature_flag.{action}", "approver_config": {"quorum": 1, "users": [1]}}
    await world.post(f"/api/projects/{project}/approval_policies/", {**body, "allow_self_approve": True}, 201)


async def test_policy_of_the_target_holds_up_a_copy(world: World) -> None:
    other = world.add_project()
    await world.flag("a")
    await cover(world, other, "enable")
    answer = await copy(world, "a", other)
    (held,) = answer["failed"]
    assert (held["error_message"], held["approval_pending"]) == ("Approval required", True)
    assert (answer["success"], (await world.get(flags_of(other)))["count"]) == ([], 0)
    request = f"/api/projects/{other}/change_requests/{held['change_request_id']}/"
    assert (await world.post(f"{request}approve/"))["status"] == "applied"
    (flag,) = (await world.get(flags_of(other)))["results"]
    assert (flag["key"], flag["active"]) == ("a", True)
    (again,) = (await copy(world, "a", other, disable_copied_flag=True))["success"]
    assert again["active"] is False


async def test_copied_schedule_points_at_records_of_the_target(world: World) -> None:
    other = world.add_project()
    cohort = world.insert("cohorts", project_id=1, name="Testers", created_at=world.ago(days=1))
    base, flag = await world.flag("base", filters=released()), await world.flag("a")
    asks_cohort = {"groups": [{"properties": [{"key": "id", "type": "cohort", "value": cohort}]}]}
    for value in (asks_cohort, asks_for(base["id"])):
        payload = {"operation": "add_release_condition", "value": value}
        await world.plan(flag, payload, scheduled_at="2026-04-01T00:00:00Z")
    (made,) = (await copy(world, "a", other, copy_schedule=True))["success"]
    reason = "The flag depends on 'base', which does not exist in the target project."
    assert made["schedule_copy_warning"] == f"Flag copied but schedules failed: {reason}"
    assert (await world.get(f"/api/projects/{other}/scheduled_changes/"))["count"] == 1
    world.clock.pass_(days=60)
    (condition,) = (await world.get(f"{flags_of(other)}{made['id']}/"))["filters"]["groups"]
    (item,) = condition["properties"]
    assert (item["value"] != cohort, item["cohort_name"]) == (True, "Testers")


async def test_copied_schedule_waits_for_approval_too(world: World) -> None:
    other = world.add_project()
    flag = await world.flag("a", active=False)
    payload = {"operation": "update_status", "value": True}
    for moment in ("2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"):
        await world.plan(flag, payload, scheduled_at=moment)
    await cover(world, other, "enable")
    (made,) = (await copy(world, "a", other, copy_schedule=True))["success"]
    assert made["schedule_copy_warning"].startswith("Flag copied but")
    schedule = await world.get(f"/api/projects/{other}/scheduled_changes/")
    assert [change["scheduled_at"] for change in schedule["results"]] == ["2026-04-01T00:00:00Z"]
    assert (await world.get(f"/api/projects/{other}/change_requests/"))["count"] == 1
    world.clock.pass_(days=60)
    assert (await world.get(f"{flags_of(other)}{made['id']}/"))["active"] is False


async def test_copy_is_checked_like_an_update_of_the_target(world: World) -> None:
    other = world.add_project()
    base = await world.flag("base", filters=variants(control=50, test=50))
    await world.flag("child", filters=asks_for(base["id"]))
    present = await world.post(
        flags_of(other), {"key": "base", "filters": variants(control=50, blue=50)}, 201
    )
    world.add_experiment(present["id"], project_id=other, start_date=world.ago(days=1))
    error = await error_of_copy(world, other, "base")
    assert error.startswith("Cannot remove variant(s) 'blue' from a feature flag")
    await world.patch(f"{flags_of(other)}{present['id']}/", {"active": False})
    error = await error_of_copy(world, other, "child")
    assert error.startswith("Cannot create dependency on disabled flag 'base'")
    assert [flag["key"] for flag in (await world.get(flags_of(other)))["results"]] == ["base"]


async def test_copy_keeps_a_flag_on_that_others_need(world: World) -> None:
    other = world.add_project()
    await world.flag("a", active=False)
    base = await world.post(flags_of(other), {"key": "a"}, 201)
    await world.post(flags_of(other), {"key": "child", "filters": asks_for(base["id"])}, 201)
    error = await error_of_copy(world, other)
    assert error.startswith("Cannot disable this feature flag because other flags")


async def chain(world: World, *keys: str) -> None:
    """Flags of which each depends on the one before."""
    above = None
    for key in keys:
        above = (await world.flag(key, **({"filters": asks_for(above)} if above else {})))["id"]


async def requirements(world: World, *targets: int, key: str = "c") -> Any:
    body = {"feature_flag_key": key, "from_project": 1, "target_project_ids": targets}
    return await world.post(f"{COPY}dependency_requirements/", body)


async def test_dependencies_are_copied_on_request(world: World) -> None:
    first, second = world.add_project(), world.add_project()
    await chain(world, "a", "b", "c")
    await world.post(flags_of(second), {"key": "a"}, 201)
    assert "depends on 'b'" in await error_of_copy(world, first, "c")
    assert (await world.get(flags_of(first)))["count"] == 0
    assert await requirements(world, first, second) == {
        **{"can_copy_dependencies": True, "dependency_count": 2, "copied_dependency_keys": ["a", "b"]},
        **{"reused_dependency_keys": [], "warnings": [], "reason": "2 dependency flags can be copied."},
    }
    answer = await copy(world, "c", first, second, copy_dependencies=True)
    assert [flag["copied_dependency_keys"] for flag in answer["success"]] == [["a", "b"], ["b"]]
    rows = world.rows("SELECT id, key, filters FROM flags WHERE project_id = ? ORDER BY id", first)
    assert [row["key"] for row in rows] == ["a", "b", "c"]
    assert f'"key":"{rows[1]["id"]}"' in rows[2]["filters"]
    done = await requirements(world, first, second)
    assert (done["can_copy_dependencies"], done["reused_dependency_keys"]) == (False, ["a", "b"])
    assert done["reason"] == "All dependency flags exist already."
    assert (await requirements(world, first, key="a"))["reason"] == "The flag has no dependencies."
    (again,) = (await copy(world, "b", second))["success"]
    (base,) = world.rows("SELECT id FROM flags WHERE project_id = ? AND key = 'a'", second)
    assert again["filters"]["groups"][0]["properties"][0]["key"] == str(base["id"])


async def test_disabled_dependency_of_a_target_is_a_warning(world: World) -> None:
    other = world.add_project()
    await chain(world, "a", "b", "c")
    await world.post(flags_of(other), {"key": "a", "active": False}, 201)
    response = await requirements(world, other)
    assert (response["can_copy_dependencies"], response["copied_dependency_keys"]) == (False, ["b"])
    assert response["warnings"] == [f"'a' is disabled in project {other}."]


async def test_long_chain_of_dependencies_is_not_copied(world: World) -> None:
    other = world.add_project()
    await chain(world, *(f"f{number}" for number in range(51)), "a")
    error = await error_of_copy(world, other, copy_dependencies=True)
    assert error == "Cannot copy more than 50 dependencies."
    (made,) = (await copy(world, "f50", other, copy_dependencies=True))["success"]
    assert len(made["copied_dependency_keys"]) == 50


async def test_requirements_need_a_flag_and_targets(world: World) -> None:
    await world.flag("a")
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
        path = f"{COPY}dependency_requirements/"
        await world.refuses("POST", path, {**good, **change}, status=400, detail=detail)


async def test_lookup_lists_a_row_for_each_project_of_the_key(world: World) -> None:
    other = world.add_project()
    flag = await world.flag("a", active=False)
    (made,) = (await copy(world, "a", other))["success"]
    rows = await world.get(f"{LOOKUP}/a/")
    expected = [(1, flag["id"], False), (other, made["id"], False)]
    assert [(row["team_id"], row["flag_id"], row["active"]) for row in rows] == expected
    assert set(rows[0]) == {
        *("flag_id", "team_id", "created_by", "filters", "created_at", "active", "evaluations_7d")
    }
    assert rows[0]["filters"] == flag["filters"]
    assert await world.get(f"{LOOKUP}/unknown/") == []
    world.write("UPDATE projects SET is_private = 1")
    world.write("UPDATE organization_members SET level = 1")
    assert await world.get(f"{LOOKUP}/a/") == []


async def test_organization_flags_come_in_pages_of_chosen_projects(world: World) -> None:
    other = world.add_project()
    for key in ("a", "b", "c"):
        await world.flag(key, name=f"Flag Ä {key}")
    path = f"{LOOKUP}/keys/"
    first = await world.get(path, limit=2, team_ids=f"1,{other}")
    assert (first["count"], [row["key"] for row in first["results"]]) == (3, ["a", "b"])
    assert set(first["results"][0]) == {"key", "name", "flag_id", "team_id", "filters", "active"}
    for query, keys in ({"limit": 2, "offset": 2}, ["c"]), ({"search": "flag ä b"}, ["b"]):
        assert [row["key"] for row in (await world.get(path, **query))["results"]] == keys
    assert (await world.get(path, team_ids=str(other)))["count"] == 0
    for wrong in ("limit=101", "limit=x", "team_ids=1,x", "offset=-1"):
        response = await world.ask("GET", f"{path}?{wrong}")
        assert (response.status_code, response.json()) == (400, {"error": "Invalid query parameter."})
