"""Refused changes of flags with dependents: scenarios 23 to 28, 35 to 38."""

import pytest
from tests.doubles.service_world import Start, World, asks_for


async def test_scenario_23_disabling_what_is_off_writes_nothing(world: World) -> None:
    flag = await world.flag("a", active=False)
    again = await world.post(f"{flag['id']}/disable/")
    assert (again["version"], again["active"]) == (1, False)
    assert (await world.latest(flag["id"]))["activity"] == "created"


async def test_scenario_24_a_flag_others_ask_for_stays_on(world: World) -> None:
    base = await world.flag("base")
    child = await world.flag("child", filters=asks_for(base["id"]))
    refusal = await world.refused("PATCH", f"{base['id']}/", {"active": False})
    assert refusal.attr is None
    assert refusal.detail == (
        "Cannot disable this feature flag because other flags depend on it: "
        f"child (ID: {child['id']}). Please update or disable the dependent flags first."
    )
    for number in range(6):
        await world.flag(f"more-{number}", filters=asks_for(base["id"]))
    many = await world.refused("PATCH", f"{base['id']}/", {"active": False})
    assert many.detail is not None
    assert "more-3 (ID: " in many.detail
    assert "more-4" not in many.detail
    assert ", and 2 more. Please" in many.detail
    world.write("UPDATE flags SET active = 0 WHERE key LIKE 'more-%'")
    await world.patch(f"{child['id']}/", {"active": False})
    assert (await world.patch(f"{base['id']}/", {"active": False}))["active"] is False


async def test_scenario_25_flag_stays_off_while_its_dependency_is_off(world: World) -> None:
    base = await world.flag("base")
    child = await world.flag("child", filters=asks_for(base["id"]), active=False)
    await world.patch(f"{base['id']}/", {"active": False})
    expected = (
        "Cannot enable this feature flag because it depends on disabled flags: "
        f"base (ID: {base['id']}). Please enable the dependency flags first."
    )
    assert (await world.refused("PATCH", f"{child['id']}/", {"active": True})).detail == expected
    assert (await world.refused("POST", f"{child['id']}/enable/")).detail == expected
    await world.post(f"{base['id']}/enable/")
    assert (await world.post(f"{child['id']}/enable/"))["version"] == 2


async def test_scenario_26_an_archived_flag_is_not_enabled(world: World) -> None:
    flag = await world.flag("a", active=False, archived=True)
    for method, path, body in (
        ("PATCH", f"{flag['id']}/", {"active": True}),
        ("POST", f"{flag['id']}/enable/", {}),
    ):
        refusal = await world.refused(method, path, body)
        assert refusal.detail == "Cannot enable an archived feature flag. Unarchive it first."


async def test_scenario_27_archiving_switches_off_and_hides(world: World) -> None:
    flag = await world.flag("a")
    await world.flag("b")
    archived = await world.post(f"{flag['id']}/archive/")
    assert (archived["archived"], archived["active"], archived["version"]) == (True, False, 2)
    assert await world.keys() == ["b"]
    assert await world.keys(archived="true") == ["a"]
    back = await world.post(f"{flag['id']}/unarchive/")
    assert (back["archived"], back["active"]) == (False, False)
    assert await world.keys() == ["b", "a"]


async def test_scenario_28_dependencies_use_ids_and_never_form_circles(world: World) -> None:
    first = await world.flag("a")
    path = f"{first['id']}/"
    own = await world.refused("PATCH", path, {"filters": asks_for(first["id"])})
    assert own.detail == "Feature flag 'a' cannot depend on itself"
    second = await world.flag("b", filters=asks_for(first["id"]))
    round_again = await world.refused("PATCH", path, {"filters": asks_for(second["id"])})
    assert round_again.detail == "Circular dependency detected: a → b → a"
    unknown = await world.refused("PATCH", path, {"filters": asks_for(999)})
    assert unknown.detail == "Flag dependency references non-existent flag with ID 999"
    filters = {"groups": [{"properties": [{"key": "b", "type": "flag", "operator": "flag_evaluates_to"}]}]}
    by_key = await world.refused("PATCH", path, {"filters": filters})
    assert by_key.detail == (
        "Flag dependencies must reference flag IDs (integers), not flag keys. Invalid reference: 'b'"
    )
    off = await world.flag("off", active=False)
    disabled = await world.refused("PATCH", path, {"filters": asks_for(off["id"])})
    assert disabled.detail == (
        f"Cannot create dependency on disabled flag 'off' (ID: {off['id']}). "
        "Flag dependencies must reference active flags only."
    )


async def test_scenario_35_deleting_is_soft_and_can_be_undone(world: World) -> None:
    flag = await world.flag("a")
    gone = await world.patch(f"{flag['id']}/", {"deleted": True})
    assert (gone["deleted"], gone["active"], gone["status"], gone["version"]) == (True, True, "DELETED", 2)
    assert await world.keys() == []
    assert await world.post("bulk_keys/", {"ids": [flag["id"]]}) == {"keys": {}}
    assert (await world.latest(flag["id"]))["activity"] == "deleted"
    back = await world.patch(f"{flag['id']}/", {"deleted": False})
    assert (back["deleted"], back["key"], back["version"]) == (False, "a", 3)
    assert (await world.latest(flag["id"]))["activity"] == "restored"


async def test_scenario_36_experiment_flag_releases_its_key_when_deleted(world: World) -> None:
    flag = await world.flag("k")
    world.add_experiment(flag["id"], start_date=world.ago(days=9), end_date=world.ago(days=1))
    assert (await world.patch(f"{flag['id']}/", {"deleted": True}))["key"] == f"k:deleted:{flag['id']}"
    fields = [change["field"] for change in (await world.latest(flag["id"]))["detail"]["changes"]]
    assert fields == ["key", "deleted", "version"]
    assert (await world.patch(f"{flag['id']}/", {"deleted": False}))["key"] == "k"
    await world.patch(f"{flag['id']}/", {"deleted": True})
    await world.flag("k")
    await world.flag("k-2")
    assert (await world.patch(f"{flag['id']}/", {"deleted": False}))["key"] == "k-3"


async def test_a_flag_comes_back_under_a_key_that_is_free(world: World) -> None:
    flag = await world.flag("a")
    await world.patch(f"{flag['id']}/", {"deleted": True})
    world.write("INSERT INTO flags (project_id, key, created_at) VALUES (1, 'a', ?)", world.ago(days=1))
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"deleted": False, "key": "a"})
    assert (refusal.code, refusal.attr) == ("unique", "key")
    assert (await world.patch(f"{flag['id']}/", {"deleted": False, "key": "b"}))["key"] == "b"


async def test_a_deleted_flag_an_experiment_still_uses_keeps_its_key(world: World) -> None:
    flag = await world.flag("k")
    await world.patch(f"{flag['id']}/", {"deleted": True})
    experiment = world.add_experiment(flag["id"])
    refusal = await world.refused("POST", "", {"key": "k"})
    assert refusal.detail == (
        "Cannot reuse key 'k': a soft-deleted flag with this key is still referenced by "
        f"active experiment(s) with ID(s): {experiment}. Please contact support."
    )


async def test_scenario_37_dependents_block_deletion_until_removed(world: World) -> None:
    flag = await world.flag("base")
    flag_id = flag["id"]
    child = await world.flag("child", filters=asks_for(flag_id))
    experiment = world.add_experiment(flag_id, start_date=world.ago(days=1))
    world.add_early_access(flag_id)
    world.write("UPDATE projects SET replay_flag_id = ?", flag_id)
    reasons = [
        (
            "Cannot delete a feature flag that is in use with early access features. "
            "Please delete the early access feature before deleting the flag.",
            "DELETE FROM early_access_features",
        ),
        (
            "Cannot delete a feature flag that is linked to running experiment(s): "
            f'"Checkout" (ID: {experiment}). Please stop the experiment(s) before deleting the flag.',
            "UPDATE experiments SET end_date = '2026-03-09T00:00:00.000000Z'",
        ),
        (
            "Cannot delete this feature flag because other flags depend on it: "
            f"child (ID: {child['id']}). Please update or disable the dependent flags first.",
            "UPDATE flags SET active = 0 WHERE key = 'child'",
        ),
        (
            "This feature flag is used in session replay settings. "
            "Please remove it from replay settings before deleting.",
            "UPDATE projects SET replay_flag_id = NULL",
        ),
    ]
    for detail, remedy in reasons:
        refusal = await world.refused("PATCH", f"{flag_id}/", {"deleted": True})
        assert (refusal.status, refusal.attr, refusal.detail) == (400, None, detail)
        world.write(remedy)
    assert (await world.patch(f"{flag_id}/", {"deleted": True}))["deleted"] is True


@pytest.mark.parametrize("flag_id", [1, 999999])
async def test_scenario_38_delete_is_405_without_a_body(world: World, flag_id: int) -> None:
    await world.flag("a")
    response = await world.ask("DELETE", f"{flag_id}/")
    assert (response.status_code, response.content) == (405, b"")
    assert "content-type" not in response.headers
    assert "PATCH" in response.headers["Allow"]
    refusal = await world.with_key("feature_flag:read").refused("DELETE", f"{flag_id}/")
    assert refusal.status == 403
    assert await world.keys() == ["a"]


async def test_older_servers_name_experiments_that_are_not_deleted(start_world: Start) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a")
    experiment = world.add_experiment(flag["id"])
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"deleted": True})
    assert refusal.detail == (
        f"Cannot delete a feature flag that is linked to active experiment(s) with ID(s): {experiment}. "
        "Please delete the experiment(s) before deleting the flag."
    )


async def test_variants_of_a_running_experiment_stay(world: World) -> None:
    shares = [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    flag = await world.flag("a", filters={"groups": [{}], "multivariate": {"variants": shares}})
    experiment = world.add_experiment(flag["id"], start_date=world.ago(days=1))
    fewer = {"multivariate": {"variants": [{"key": "control", "rollout_percentage": 100}]}}
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"filters": fewer})
    assert refusal.detail == (
        "Cannot remove variant(s) 'test' from a feature flag that is linked to running experiment(s): "
        f'"Checkout" (ID: {experiment}). Please stop the experiment(s) before removing variants.'
    )
