"""Refused changes of flags with dependents: scenarios 24 to 28, 35 to 38."""

import pytest
from tests.doubles.service_world import World, asks_for, variants

OFF = {"active": False}
DELETED = {"deleted": True}


async def test_scenario_24_a_flag_others_ask_for_stays_on(world: World) -> None:
    base = await world.flag("base")
    path, child = f"{base['id']}/", await world.flag("child", filters=asks_for(base["id"]))
    words = "Cannot disable this feature flag because other flags depend on it: child (ID: {})"
    remedy = "Please update or disable the dependent flags first."
    expected = f"{words.format(child['id'])}. {remedy}"
    await world.refuses("PATCH", path, OFF, attr=None, detail=expected)
    for number in range(6):
        await world.flag(f"more-{number}", filters=asks_for(base["id"]))
    many = (await world.refused("PATCH", path, OFF)).detail or ""
    assert ("more-3 (ID: " in many, "more-4" in many, f", and 2 more. {remedy}" in many) == (
        True,
        False,
        True,
    )
    world.write("UPDATE flags SET active = 0 WHERE key LIKE 'more-%'")
    await world.change(child, **OFF)
    assert (await world.change(base, **OFF))["active"] is False


async def test_scenario_25_flag_stays_off_while_its_dependency_is_off(world: World) -> None:
    base = await world.flag("base")
    child = await world.flag("child", filters=asks_for(base["id"]), active=False)
    await world.change(base, **OFF)
    expected = (
        "Cannot enable this feature flag because it depends on disabled flags: "
        f"base (ID: {base['id']}). Please enable the dependency flags first."
    )
    await world.refuses("PATCH", f"{child['id']}/", {"active": True}, detail=expected)
    await world.refuses("POST", f"{child['id']}/enable/", detail=expected)
    await world.act(base, "enable")
    assert (await world.act(child, "enable"))["version"] == 2


async def test_scenario_27_an_archived_flag_is_off_and_hidden(world: World) -> None:
    flag = await world.flag("a")
    await world.flag("b")
    archived = await world.act(flag, "archive")
    assert (archived["archived"], archived["active"], archived["version"]) == (True, False, 2)
    assert (await world.keys(), await world.keys(archived="true")) == (["b"], ["a"])
    detail = "Cannot enable an archived feature flag. Unarchive it first."
    await world.refuses("PATCH", f"{flag['id']}/", {"active": True}, detail=detail)
    await world.refuses("POST", f"{flag['id']}/enable/", {}, detail=detail)
    back = await world.act(flag, "unarchive")
    assert (back["archived"], back["active"]) == (False, False)
    assert await world.keys() == ["b", "a"]


async def test_scenario_28_dependencies_use_ids_and_never_form_circles(world: World) -> None:
    first = (await world.flag("a"))["id"]
    second = (await world.flag("b", filters=asks_for(first)))["id"]
    off = (await world.flag("off", **OFF))["id"]
    by_key = {"groups": [{"properties": [{"key": "b", "type": "flag", "operator": "flag_evaluates_to"}]}]}
    for filters, detail in (
        (asks_for(first), "Feature flag 'a' cannot depend on itself"),
        (asks_for(second), "Circular dependency detected: a → b → a"),
        (asks_for(999), "Flag dependency references non-existent flag with ID 999"),
        (
            by_key,
            "Flag dependencies must reference flag IDs (integers), not flag keys. Invalid reference: 'b'",
        ),
        (
            asks_for(off),
            f"Cannot create dependency on disabled flag 'off' (ID: {off}). "
            "Flag dependencies must reference active flags only.",
        ),
    ):
        await world.refuses("PATCH", f"{first}/", {"filters": filters}, detail=detail)


async def test_scenario_35_deleting_is_soft_and_can_be_undone(world: World) -> None:
    flag = await world.flag("a")
    gone = await world.change(flag, **DELETED)
    assert (gone["deleted"], gone["active"], gone["status"], gone["version"]) == (True, True, "DELETED", 2)
    assert await world.keys() == []
    assert await world.post("bulk_keys/", {"ids": [flag["id"]]}) == {"keys": {}}
    assert (await world.latest(flag["id"]))["activity"] == "deleted"
    back = await world.change(flag, deleted=False)
    assert (back["deleted"], back["key"], back["version"]) == (False, "a", 3)
    assert (await world.latest(flag["id"]))["activity"] == "restored"


async def test_scenario_36_experiment_flag_releases_its_key_when_deleted(world: World) -> None:
    flag = await world.flag("k")
    world.add_experiment(flag["id"], start_date=world.ago(days=9), end_date=world.ago(days=1))
    assert (await world.change(flag, **DELETED))["key"] == f"k:deleted:{flag['id']}"
    fields = [change["field"] for change in (await world.latest(flag["id"]))["detail"]["changes"]]
    assert fields == ["key", "deleted", "version"]
    assert (await world.change(flag, deleted=False))["key"] == "k"
    await world.change(flag, **DELETED)
    await world.flag("k")
    await world.flag("k-2")
    assert (await world.change(flag, deleted=False))["key"] == "k-3"


async def test_deleted_flag_keeps_its_key_while_an_experiment_uses_it(world: World) -> None:
    flag = await world.flag("k")
    await world.change(flag, **DELETED)
    detail = (
        "Cannot reuse key 'k': a soft-deleted flag with this key is still referenced by "
        f"active experiment(s) with ID(s): {world.add_experiment(flag['id'])}. Please contact support."
    )
    await world.refuses("POST", "", {"key": "k"}, detail=detail)
    world.insert("flags", project_id=1, key="k", created_at=world.ago(days=1))
    body = {"deleted": False, "key": "k"}
    await world.refuses("PATCH", f"{flag['id']}/", body, code="unique", attr="key")
    assert (await world.change(flag, deleted=False, key="b"))["key"] == "b"


async def test_scenario_37_dependents_block_deletion_until_removed(world: World) -> None:
    flag = await world.flag("base")
    child = await world.flag("child", filters=asks_for(flag["id"]))
    experiment = world.add_experiment(flag["id"], start_date=world.ago(days=1))
    world.add_early_access(flag["id"])
    world.write("UPDATE projects SET replay_flag_id = ?", flag["id"])
    for detail, remedy in (
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
    ):
        await world.refuses("PATCH", f"{flag['id']}/", DELETED, status=400, attr=None, detail=detail)
        world.write(remedy)
    assert (await world.change(flag, **DELETED))["deleted"] is True


@pytest.mark.parametrize("flag_id", [1, 999999])
async def test_scenario_38_delete_is_405_without_a_body(world: World, flag_id: int) -> None:
    await world.flag("a")
    response = await world.ask("DELETE", f"{flag_id}/")
    assert (response.status_code, response.content) == (405, b"")
    assert "content-type" not in response.headers
    assert "PATCH" in response.headers["Allow"]
    await world.with_key("feature_flag:read").refuses("DELETE", f"{flag_id}/", status=403)
    assert await world.keys() == ["a"]


async def test_variants_of_a_running_experiment_stay(world: World) -> None:
    flag = await world.flag("a", filters=variants(control=50, test=50))
    experiment = world.add_experiment(flag["id"], start_date=world.ago(days=1))
    detail = (
        "Cannot remove variant(s) 'test' from a feature flag that is linked to running experiment(s): "
        f'"Checkout" (ID: {experiment}). Please stop the experiment(s) before removing variants.'
    )
    await world.refuses("PATCH", f"{flag['id']}/", {"filters": variants(control=100)}, detail=detail)
