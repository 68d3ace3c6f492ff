"""Reading and changing one flag, and two people doing so at once: scenarios 21 to 39, without the guards."""

import asyncio
from typing import Any

from tests.doubles.service_world import Start, World, variants

MULTIVARIATE = variants(control=50, test=50)


async def test_scenario_21_flag_is_read_in_its_project_when_deleted(world: World) -> None:
    other = world.add_project()
    theirs = await world.post(f"/api/projects/{other}/feature_flags/", {"key": "theirs"}, 201)
    for name in (theirs["id"], "abc", "1.5", "9" * 30):
        refusal = await world.refused("GET", f"{name}/")
        assert (refusal.status, refusal.detail) == (404, "Not found.")
    mine = await world.flag("mine")
    await world.patch(f"{mine['id']}/", {"deleted": True})
    assert (await world.get(f"{mine['id']}/"))["deleted"] is True


async def test_scenario_22_every_change_raises_the_version(world: World) -> None:
    flag = await world.flag("a")
    changed = await world.patch(f"{flag['id']}/", {"active": False})
    assert (changed["version"], changed["status"], changed["active"]) == (2, "ACTIVE", False)
    entry = await world.latest(flag["id"])
    assert entry["activity"] == "updated"
    assert entry["detail"]["changes"] == [
        {"type": "FeatureFlag", "action": "changed", "field": "active", "before": True, "after": False},
        {"type": "FeatureFlag", "action": "changed", "field": "version", "before": 1, "after": 2},
    ]
    assert (await world.patch(f"{flag['id']}/", {"active": False}))["version"] == 3
    fields = [change["field"] for change in (await world.latest(flag["id"]))["detail"]["changes"]]
    assert fields == ["version"]


async def test_scenario_29_a_version_alone_protects_nothing(world: World) -> None:
    flag = await world.flag("a")
    await world.patch(f"{flag['id']}/", {"name": "theirs"})
    originals: list[Any] = [{}, None, "a"]
    for original in originals:
        body = {"name": "mine", "version": 1, "original_flag": original}
        assert (await world.patch(f"{flag['id']}/", body))["name"] == "mine"


async def test_scenario_30_the_same_field_changed_twice_is_a_conflict(world: World) -> None:
    flag = await world.flag("a", name="old")
    grace = world.with_key("*", user=world.add_user("grace@acme.test"))
    await grace.patch(f"{flag['id']}/", {"name": "theirs"})
    body = {"name": "mine", "version": 1, "original_flag": {"name": "old"}}
    response = await world.ask("PATCH", f"{flag['id']}/", body)
    assert response.status_code == 409
    assert response.json() == {
        "type": "server_error",
        "code": "conflict",
        "detail": "The feature flag was updated by grace@acme.test since you started editing it. "
        "Please refresh and try again.",
        "attr": None,
    }
    unchanged = await world.get(f"{flag['id']}/")
    assert (unchanged["name"], unchanged["version"]) == ("theirs", 2)


async def test_a_toggle_never_conflicts_by_version(world: World) -> None:
    flag = await world.flag("a")
    await world.patch(f"{flag['id']}/", {"active": False})
    body = {"active": False, "version": 1, "original_flag": {"active": True}}
    assert (await world.patch(f"{flag['id']}/", body))["version"] == 3


async def test_filters_do_not_conflict_over_names_that_are_only_shown(world: World) -> None:
    cohort = world.insert("cohorts", project_id=1, name="Testers", created_at=world.ago(days=1))
    condition = {"properties": [{"key": "id", "type": "cohort", "value": cohort}], "rollout_percentage": 10}
    flag = await world.flag("a", filters={"groups": [condition]})
    assert flag["filters"]["groups"][0]["properties"][0]["cohort_name"] == "Testers"
    await world.patch(f"{flag['id']}/", {"name": "theirs"})
    mine = {"groups": [{**condition, "rollout_percentage": 20}]}
    body = {"filters": mine, "version": 1, "original_flag": {"filters": flag["filters"]}}
    changed = await world.patch(f"{flag['id']}/", body)
    assert (changed["filters"]["groups"][0]["rollout_percentage"], changed["name"]) == (20, "theirs")


async def test_filters_do_not_conflict_over_another_spelling(world: World) -> None:
    flag = await world.flag("a", filters={"groups": [{"rollout_percentage": 50}], "payloads": {"true": "1"}})
    await world.patch(f"{flag['id']}/", {"name": "theirs"})
    (group,) = flag["filters"]["groups"]
    read = {**dict(reversed(flag["filters"].items())), "groups": [{**group, "rollout_percentage": 50.0}]}
    mine = {**read, "groups": [{**group, "rollout_percentage": 60}]}
    body = {"filters": mine, "version": 1, "original_flag": {"filters": read}}
    changed = await world.patch(f"{flag['id']}/", body)
    assert (changed["filters"]["groups"][0]["rollout_percentage"], changed["name"]) == (60, "theirs")


async def test_scenario_31_different_fields_changed_at_once_are_both_kept(world: World) -> None:
    flag = await world.flag("a", name="old")
    await world.patch(f"{flag['id']}/", {"name": "theirs"})
    body = {
        "evaluation_runtime": "server",
        "name": "old",
        "version": 1,
        "original_flag": {"evaluation_runtime": "all", "name": "old"},
    }
    changed = await world.patch(f"{flag['id']}/", body)
    assert (changed["name"], changed["evaluation_runtime"], changed["version"]) == ("theirs", "server", 3)


async def test_changes_sent_at_once_are_made_one_after_the_other(world: World) -> None:
    flag = await world.flag("a")
    path = f"{flag['id']}/"
    answers = await asyncio.gather(*(world.patch(path, {"name": f"n{number}"}) for number in range(20)))
    assert sorted(answer["version"] for answer in answers) == list(range(2, 22))
    assert (await world.get(path))["version"] == 21
    assert (await world.get(f"{path}activity/"))["total_count"] == 21


async def test_a_strict_service_answers_409_to_any_stale_version(start_world: Start) -> None:
    world = await start_world(strict_versions=True)
    flag = await world.flag("a")
    await world.patch(f"{flag['id']}/", {"name": "theirs"})
    assert (await world.refused("PATCH", f"{flag['id']}/", {"active": False, "version": 1})).status == 409
    await world.patch(f"{flag['id']}/", {"active": False, "version": 2})


async def test_scenario_32_a_version_is_an_integer(world: World) -> None:
    flag = await world.flag("a")
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"version": "x"})
    assert (refusal.status, refusal.attr, refusal.detail) == (400, "version", "A valid integer is required.")


async def test_a_version_sent_as_text_equals_none(world: World) -> None:
    flag = await world.flag("a", name="now")
    body = {"name": "mine", "version": "1", "original_flag": {"name": "old"}}
    assert (await world.refused("PATCH", f"{flag['id']}/", body)).status == 409
    assert (await world.patch(f"{flag['id']}/", {**body, "version": 1}))["name"] == "mine"


async def test_scenario_33_filters_are_merged_by_key_except_by_legacy(start_world: Start) -> None:
    body = {"filters": {"payloads": {"true": "1"}}}
    for legacy in (False, True):
        world = await start_world(legacy=legacy)
        flag = await world.flag("a", filters={"groups": [{"rollout_percentage": 40}]})
        changed = await world.patch(f"{flag['id']}/", body)
        assert changed["filters"]["groups"][0]["rollout_percentage"] == 40
        assert changed["filters"].get("payloads") == (None if legacy else {"true": "1"})


async def test_scenario_34_no_conditions_clears_the_targeting_and_keeps_variants(world: World) -> None:
    flag = await world.flag("a", filters=MULTIVARIATE)
    changed = await world.patch(f"{flag['id']}/", {"filters": {"groups": []}})
    assert changed["filters"]["groups"] == []
    assert changed["filters"]["multivariate"] == MULTIVARIATE["multivariate"]
    assert (await world.patch(f"{flag['id']}/", {"filters": {}}))["filters"] == changed["filters"]


async def test_scenario_39_replacing_needs_the_key(world: World) -> None:
    flag = await world.flag("a")
    refusal = await world.refused("PUT", f"{flag['id']}/", {"name": "x"})
    assert (refusal.code, refusal.attr) == ("required", "key")
    replaced = await world.ask("PUT", f"{flag['id']}/", {"key": "a", "name": "x"})
    assert (replaced.status_code, replaced.json()["name"]) == (200, "x")
    stale = {"key": "a", "name": "y", "version": 1, "original_flag": {"key": "a", "name": "x"}}
    assert (await world.ask("PUT", f"{flag['id']}/", stale)).status_code == 200


async def test_scenario_62_unknown_fields_are_returned_as_stored(world: World) -> None:
    stored = {"filters": {"groups": [], "foo": {"deep": [1, None]}}, "extra": {"bar": {"x": 1}}}
    flag_id = world.insert("flags", project_id=1, key="a", created_at=world.ago(days=1), version=1, **stored)
    for flag in (
        await world.get(f"{flag_id}/"),
        await world.patch(f"{flag_id}/", {"name": "n", "unheard_of": 1}),
        (await world.get())["results"][0],
    ):
        assert flag["bar"] == {"x": 1}
        assert flag["filters"] == {"groups": [], "foo": {"deep": [1, None]}}
        assert "unheard_of" not in flag
    changed = await world.patch(f"{flag_id}/", {"filters": {"groups": [{"rollout_percentage": 5}]}})
    assert changed["filters"]["foo"] == {"deep": [1, None]}


async def test_scenario_63_filters_of_another_generation_are_not_written(world: World) -> None:
    flag = await world.flag("a")
    bodies: list[dict[str, Any]] = [{"filters": {"rules": []}}, {"active": False}]
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"filters": {"version": 1, "groups": []}})
    assert (refusal.code, refusal.attr) == ("reserved_config_version", "filters")
    world.write('UPDATE flags SET filters = \'{"version":3,"rules":[]}\' WHERE id = ?', flag["id"])
    for body in bodies:
        refusal = await world.refused("PATCH", f"{flag['id']}/", body)
        assert (refusal.code, refusal.attr) == ("unsupported_config_version", "filters")
    assert (await world.get(f"{flag['id']}/"))["filters"] == {"version": 3, "rules": []}


async def test_scenario_64_a_change_may_need_an_approval(start_world: Start) -> None:
    world = await start_world()
    flag = await world.flag("a", active=False)
    world.add_policy("enable", approvers={"users": [1]})
    for code in ("approval_required", "change_request_pending"):
        response = await world.ask("PATCH", f"{flag['id']}/", {"active": True})
        body = response.json()
        assert response.status_code == 409
        assert (body["code"], body["status"]) == (code, code)
        assert (body["resource_type"], body["resource_id"]) == ("feature_flag", str(flag["id"]))
        assert body["change_request_id"] == body["change_request"]["id"]
        assert body["required_approvers"] == {"users": [1]}
        assert "attr" not in body
    unchanged = await world.get(f"{flag['id']}/")
    assert (unchanged["active"], unchanged["version"]) == (False, 1)
    assert len(world.rows("SELECT * FROM change_requests")) == 1
    await world.patch(f"{flag['id']}/", {"name": "free"})


async def test_pending_creation_holds_its_own_key_only(start_world: Start) -> None:
    world = await start_world(approvals=True)
    codes = [(await world.refused("POST", "", {"key": key})).code for key in ("a", "b", "a")]
    assert codes == ["approval_required", "approval_required", "change_request_pending"]
