"""Reading and changing one flag, and two people doing so at once: scenarios 21 to 39, without the guards."""

import asyncio
from typing import Any

from tests.doubles.service_world import Start, World, released, variants

MULTIVARIATE = variants(control=50, test=50)


async def test_scenario_21_flag_is_read_in_its_project_when_deleted(world: World) -> None:
    other = world.add_project()
    theirs = await world.post(f"/api/projects/{other}/feature_flags/", {"key": "theirs"}, 201)
    for name in (theirs["id"], "abc", "1.5", "9" * 30):
        await world.refuses("GET", f"{name}/", status=404, detail="Not found.")
    mine = await world.flag("mine")
    await world.change(mine, deleted=True)
    assert (await world.read(mine))["deleted"] is True


async def test_scenario_22_every_change_raises_the_version(world: World) -> None:
    flag = await world.flag("a")
    changed = await world.change(flag, active=False)
    assert (changed["version"], changed["status"], changed["active"]) == (2, "ACTIVE", False)
    entry = await world.latest(flag["id"])
    assert entry["activity"] == "updated"
    assert entry["detail"]["changes"] == [
        {"type": "FeatureFlag", "action": "changed", "field": "active", "before": True, "after": False},
        {"type": "FeatureFlag", "action": "changed", "field": "version", "before": 1, "after": 2},
    ]
    assert (await world.change(flag, active=False))["version"] == 3
    fields = [change["field"] for change in (await world.latest(flag["id"]))["detail"]["changes"]]
    assert fields == ["version"]
    # Scenario 23: disabling what is off writes nothing.
    assert (await world.act(flag, "disable"))["version"] == 3
    assert (await world.get(f"{flag['id']}/activity/"))["total_count"] == 3


async def test_scenario_30_only_the_same_field_is_a_conflict(world: World) -> None:
    flag = await world.flag("a", name="old")
    grace = world.with_key("*", user=world.add_user("grace@acme.test"))
    theirs = await grace.change(flag, name="theirs")
    mine = {"name": "mine", "version": 1}
    response = await world.ask("PATCH", f"{flag['id']}/", {**mine, "original_flag": {"name": "old"}})
    assert response.status_code == 409
    assert response.json() == {
        "type": "server_error",
        "code": "conflict",
        "detail": "The feature flag was updated by grace@acme.test since you started editing it. "
        "Please refresh and try again.",
        "attr": None,
    }
    assert await world.read(flag) == theirs
    originals: list[Any] = [{}, None, "a"]
    for original in originals:
        assert (await world.change(flag, **mine, original_flag=original))["name"] == "mine"


async def test_scenario_31_different_fields_changed_at_once_are_both_kept(world: World) -> None:
    flag = await world.flag("a", name="old")
    await world.change(flag, name="theirs")
    original = {"evaluation_runtime": "all", "name": "old"}
    body = {**original, "evaluation_runtime": "server", "version": 1, "original_flag": original}
    changed = await world.change(flag, **body)
    assert (changed["name"], changed["evaluation_runtime"], changed["version"]) == ("theirs", "server", 3)
    await world.change(flag, active=False)
    toggle = {"active": False, "version": 1, "original_flag": {"active": True}}
    assert (await world.change(flag, **toggle))["version"] == 5


async def test_filters_do_not_conflict_over_names_that_are_only_shown(world: World) -> None:
    cohort = world.insert("cohorts", project_id=1, name="Testers", created_at=world.ago(days=1))
    condition = {"properties": [{"key": "id", "type": "cohort", "value": cohort}], "rollout_percentage": 10}
    flag = await world.flag("a", filters={"groups": [condition]})
    assert flag["filters"]["groups"][0]["properties"][0]["cohort_name"] == "Testers"
    await world.change(flag, name="theirs")
    mine = {"groups": [{**condition, "rollout_percentage": 20}]}
    changed = await world.change(flag, filters=mine, version=1, original_flag={"filters": flag["filters"]})
    assert (changed["filters"]["groups"][0]["rollout_percentage"], changed["name"]) == (20, "theirs")


async def test_filters_do_not_conflict_over_another_spelling(world: World) -> None:
    flag = await world.flag("a", filters=released(50, payloads={"true": "1"}))
    await world.change(flag, name="theirs")
    (group,) = flag["filters"]["groups"]
    read = {**dict(reversed(flag["filters"].items())), "groups": [{**group, "rollout_percentage": 50.0}]}
    mine = {**read, "groups": [{**group, "rollout_percentage": 60}]}
    changed = await world.change(flag, filters=mine, version=1, original_flag={"filters": read})
    assert (changed["filters"]["groups"][0]["rollout_percentage"], changed["name"]) == (60, "theirs")


async def test_changes_sent_at_once_are_made_one_after_the_other(world: World) -> None:
    flag = await world.flag("a")
    answers = await asyncio.gather(*(world.change(flag, name=f"n{number}") for number in range(20)))
    assert sorted(answer["version"] for answer in answers) == list(range(2, 22))
    assert (await world.read(flag))["version"] == 21
    assert (await world.get(f"{flag['id']}/activity/"))["total_count"] == 21


async def test_scenario_32_a_version_is_an_integer(world: World) -> None:
    flag = await world.flag("a", name="now")
    wrong = {"attr": "version", "detail": "A valid integer is required."}
    await world.refuses("PATCH", f"{flag['id']}/", {"version": "x"}, status=400, **wrong)
    body = {"name": "mine", "version": "1", "original_flag": {"name": "old"}}
    await world.refuses("PATCH", f"{flag['id']}/", body, status=409)
    assert (await world.change(flag, **{**body, "version": 1}))["name"] == "mine"


async def test_a_strict_service_answers_409_to_any_stale_version(start_world: Start) -> None:
    world = await start_world(strict_versions=True)
    flag = await world.flag("a")
    await world.change(flag, name="theirs")
    await world.refuses("PATCH", f"{flag['id']}/", {"active": False, "version": 1}, status=409)
    await world.change(flag, active=False, version=2)


async def test_scenario_33_filters_are_merged_by_key_except_by_legacy(start_world: Start) -> None:
    for legacy, payloads in ((False, {"true": "1"}), (True, None)):
        world = await start_world(legacy=legacy)
        flag = await world.flag("a", filters=released(40))
        filters = (await world.change(flag, filters={"payloads": {"true": "1"}}))["filters"]
        assert (filters["groups"][0]["rollout_percentage"], filters.get("payloads")) == (40, payloads)


async def test_scenario_34_no_conditions_clears_the_targeting_and_keeps_variants(world: World) -> None:
    flag = await world.flag("a", filters=MULTIVARIATE)
    filters = (await world.change(flag, filters={"groups": []}))["filters"]
    assert (filters["groups"], filters["multivariate"]) == ([], MULTIVARIATE["multivariate"])
    assert (await world.change(flag, filters={}))["filters"] == filters


async def test_scenario_39_replacing_needs_the_key(world: World) -> None:
    path = f"{(await world.flag('a'))['id']}/"
    await world.refuses("PUT", path, {"name": "x"}, code="required", attr="key")
    stale = {"version": 1, "original_flag": {"key": "a", "name": "x"}}
    for fields in ({"name": "x"}, {"name": "y", **stale}):
        replaced = await world.ask("PUT", path, {"key": "a", **fields})
        assert (replaced.status_code, replaced.json()["name"]) == (200, fields["name"])


async def test_scenario_62_unknown_fields_are_returned_as_stored(world: World) -> None:
    stored = {"filters": {"groups": [], "foo": {"deep": [1, None]}}, "extra": {"bar": {"x": 1}}}
    flag_id = world.insert("flags", project_id=1, key="a", created_at=world.ago(days=1), version=1, **stored)
    for flag in (
        await world.get(f"{flag_id}/"),
        await world.patch(f"{flag_id}/", {"name": "n", "unheard_of": 1}),
        (await world.get())["results"][0],
    ):
        assert (flag["bar"], flag["filters"]) == ({"x": 1}, stored["filters"])
        assert "unheard_of" not in flag
    changed = await world.patch(f"{flag_id}/", {"filters": {"groups": [{"rollout_percentage": 5}]}})
    assert changed["filters"]["foo"] == {"deep": [1, None]}


async def test_scenario_63_filters_of_another_generation_are_not_written(world: World) -> None:
    flag = await world.flag("a")
    path, later = f"{flag['id']}/", {"version": 3, "rules": []}
    reserved = {"filters": {"version": 1, "groups": []}}
    await world.refuses("PATCH", path, reserved, code="reserved_config_version", attr="filters")
    world.write('UPDATE flags SET filters = \'{"version":3,"rules":[]}\'')
    bodies: list[dict[str, Any]] = [{"filters": {"rules": []}}, {"active": False}]
    for body in bodies:
        await world.refuses("PATCH", path, body, code="unsupported_config_version", attr="filters")
    assert (await world.read(flag))["filters"] == later


async def test_scenario_64_a_change_may_need_an_approval(world: World, start_world: Start) -> None:
    flag = await world.flag("a", active=False)
    world.add_policy("enable", approvers={"users": [1]})
    for code in ("approval_required", "change_request_pending"):
        body = await world.patch(f"{flag['id']}/", {"active": True}, 409)
        assert {name: body[name] for name in ("code", "status")} == {"code": code, "status": code}
        assert (body["resource_type"], body["resource_id"]) == ("feature_flag", str(flag["id"]))
        assert body["change_request_id"] == body["change_request"]["id"]
        assert body["required_approvers"] == {"users": [1]}
        assert "attr" not in body
    assert await world.read(flag) == flag
    assert len(world.rows("SELECT * FROM change_requests")) == 1
    covered: World = await start_world(approvals=True)
    codes = [(await covered.refused("POST", "", {"key": key})).code for key in ("a", "b", "a")]
    assert codes == ["approval_required", "approval_required", "change_request_pending"]
