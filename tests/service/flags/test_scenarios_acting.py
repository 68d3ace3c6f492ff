"""Activity, bulk operations, dashboards, payloads and versions: scenarios 46, 47, 51, 52, 54 to 57."""

import json
from typing import Any

import pytest
from tests.doubles.service_world import World, asks_for, released

from flagtui.service.activity import changes_between


async def test_scenario_46_activity_comes_in_numbered_pages(world: World) -> None:
    flag = await world.flag("a")
    for name in ("b", "c", "d"):
        await world.change(flag, name=name)
    await world.flag("other")
    page = await world.get(f"{flag['id']}/activity/", limit=2, page=2)
    assert len(page["results"]) == 2
    assert (page["total_count"], page["next"]) == (4, None)
    assert "page=1&limit=2" in page["previous"] or "limit=2&page=1" in page["previous"]
    assert [entry["activity"] for entry in page["results"]] == ["updated", "created"]
    assert page["results"][0]["user"] == {"first_name": "Owner", "email": "owner@localhost.test"}
    assert (await world.get("activity/"))["total_count"] == 5
    for query, code in (("limit=0", "min_value"), ("page=0", "min_value"), ("limit=x", "invalid_input")):
        path = f"{flag['id']}/activity/?{query}"
        await world.refuses("GET", path, code=code, attr=query.partition("=")[0])
    await world.refuses("GET", "999/activity/", detail="Not found.")


async def test_scenario_47_keys_of_many_flags_by_id(world: World) -> None:
    first, second = await world.flag("a"), await world.flag("b")
    answer = await world.post("bulk_keys/", {"ids": [first["id"], str(second["id"]), "x", 999]})
    assert answer["keys"] == {str(first["id"]): "a", str(second["id"]): "b"}
    assert answer["warning"] == "Invalid flag IDs ignored: ['x']"
    assert await world.post("bulk_keys/", {"ids": ["x"]}, 400) == {"error": "Invalid flag IDs provided"}
    assert await world.post("bulk_keys/", {}) == {"keys": {}}


async def test_scenario_51_a_remote_configuration_is_a_json_string(world: World) -> None:
    filters = released(payloads={"true": {"test": True}})
    flag = await world.flag("config", is_remote_configuration=True, filters=filters)
    await world.flag("plain")
    await world.flag("empty", is_remote_configuration=True)
    for name in ("config", flag["id"]):
        assert json.loads(await world.get(f"{name}/remote_config/")) == {"test": True}
    for name, status in (("plain", 404), ("unknown", 404), ("empty", 200)):
        response = await world.ask("GET", f"{name}/remote_config/")
        assert (response.status_code, response.content) == (status, b"")


async def test_scenario_52_a_dashboard_is_made_once_and_enriched_once(world: World) -> None:
    flag = await world.flag("a")
    enrich, make = f"{flag['id']}/enrich_usage_dashboard/", f"{flag['id']}/dashboard/"

    async def error() -> str:
        response = await world.post(enrich, status=400)
        assert response["success"] is False
        return str(response["error"])

    assert (await error()).startswith("Usage dashboard not found.")
    for _ in range(2):
        response = await world.ask("POST", make)
        assert (response.status_code, response.json()) == (200, {"success": True})
        assert response.headers["Deprecation"] == "true"
    assert len(world.rows("SELECT * FROM dashboards")) == 1
    assert await error() == "No enriched analytics available for this feature flag"
    await world.change(flag, has_enriched_analytics=True)
    await world.post(enrich)
    assert await error() == "Usage dashboard already has enriched data"
    await world.change(flag, deleted=True)
    assert await error() == (
        "This feature flag has been deleted. Restore it before enriching its usage dashboard."
    )


async def test_scenario_54_dependents_are_the_active_ones(world: World) -> None:
    base = await world.flag("base")
    child = await world.flag("z-child", filters=asks_for(base["id"]))
    await world.flag("a-child", name="First", filters=asks_for(base["id"], "test"))
    await world.flag("off", active=False, filters=asks_for(base["id"]))
    dependents = await world.get(f"{base['id']}/dependent_flags/")
    assert [flag["name"] for flag in dependents] == ["First", "z-child"]
    assert dependents[1] == {"id": child["id"], "key": "z-child", "name": "z-child"}


async def test_scenario_55_bulk_delete_lists_failures(world: World) -> None:
    base, solo = (await world.flag("base", filters=released()))["id"], (await world.flag("solo"))["id"]
    waiting = (await world.flag("waiting", filters=asks_for(base)))["id"]
    early, running, replay = [(await world.flag(key))["id"] for key in ("early", "running", "replay")]
    world.add_early_access(early)
    experiment = world.add_experiment(running, start_date=world.ago(days=1))
    world.write("UPDATE projects SET replay_flag_id = ?", replay)
    answer = await world.post(
        "bulk_delete/", {"ids": [base, str(solo), f"0{solo}", "x", 999, early, running, replay]}
    )
    deleted = {"id": solo, "key": "solo", "rollout_state": "not_rolled_out", "active_variant": None}
    assert answer["deleted"] == [deleted]
    linked = f'linked to running experiment(s): "Checkout" (ID: {experiment})'
    in_replay = "This feature flag is used in session replay settings. "
    assert [tuple(error.values()) for error in answer["errors"]] == [
        (base, "base", f"Cannot delete because other flags depend on it: waiting (ID: {waiting})"),
        ("x", "Invalid flag ID format"),
        (999, "Flag not found"),
        (early, "early", "Cannot delete a feature flag that is in use with early access features"),
        (running, "running", f"Cannot delete a feature flag {linked}"),
        (replay, "replay", f"{in_replay}Please remove it from replay settings before deleting."),
    ]
    assert [*answer["errors"][0]] == ["id", "key", "reason"]
    together = await world.post("bulk_delete/", {"ids": [base, waiting]})
    assert [flag["rollout_state"] for flag in together["deleted"]] == ["fully_rolled_out", "partial"]
    assert (await world.get(f"{base}/"))["version"] == 1
    entry = await world.latest(base)
    assert (entry["activity"], entry["detail"]["changes"]) == ("deleted", [])


async def test_bulk_delete_reads_the_dependents_of_all_flags_once(world: World) -> None:
    ids = [(await world.flag(key))["id"] for key in ("a", "b", "c")]
    statements: list[str] = []
    world.run(lambda db: db.set_trace_callback(statements.append))
    await world.post("bulk_delete/", {"ids": ids})
    assert sum("LIKE '%\"flag\"%'" in statement for statement in statements) == 1


async def test_scenario_55_ids_and_filters_exclude_each_other(world: World) -> None:
    await world.flag("a", tags=["old"])
    await world.flag("b")
    for body, error in (
        ({"ids": [1], "filters": {"active": True}}, "Provide either filters or ids, not both"),
        ({}, "Must provide either filters or ids"),
        ({"filters": {}}, "Must provide either filters or ids"),
        ({"filters": {"foo": 1}}, "Unknown filter keys: foo"),
    ):
        assert await world.post("bulk_delete/", body, 400) == {"error": error}
    answer = await world.post("bulk_delete/", {"filters": {"tags": ["old"], "active": True}})
    assert [flag["key"] for flag in answer["deleted"]] == ["a"]
    assert await world.keys() == ["b"]


async def test_scenario_56_tags_of_many_flags_are_changed_at_once(world: World) -> None:
    flag = await world.flag("a", tags=["one"])
    body = {"ids": [flag["id"], 999], "action": "add", "tags": [" X "]}
    assert await world.post("bulk_update_tags/", body) == {
        "updated": [{"id": flag["id"], "tags": ["one", "x"]}],
        "skipped": [{"id": 999, "reason": "Not found or no edit access"}],
    }
    assert (await world.read(flag))["version"] == 1
    assert (await world.latest(flag["id"]))["detail"]["changes"][0]["field"] == "tags"
    refused = {**body, "ids": [1, "x"]}
    await world.refuses("POST", "bulk_update_tags/", refused, status=400, code="invalid_input", attr="ids__1")


async def test_scenario_57_older_versions_are_rebuilt_from_activity(world: World) -> None:
    flag = await world.flag("a", filters=released(10))
    grace = world.with_key("*", user=world.add_user("grace@acme.test"))
    await grace.change(flag, filters=released(), name="wide")
    await world.post("bulk_update_tags/", {"ids": [flag["id"]], "action": "add", "tags": ["x"]})
    world.clock.pass_(hours=-1)
    await world.change(flag, active=False)
    path = f"{flag['id']}/versions/"
    first, second, third = [await world.get(f"{path}{number}/") for number in (1, 2, 3)]
    assert (first["filters"], first["version_timestamp"]) == (flag["filters"], flag["created_at"])
    assert (first["is_historical"], first["active"], first["name"]) == (True, True, "")
    assert first["modified_by"] == first["created_by"] == 1
    assert (second["name"], second["active"], second["modified_by"]) == ("wide", True, 2)
    assert (third["is_historical"], third["active"]) == (False, False)
    missing = await world.ask("GET", f"{path}99/")
    expected = (404, {"detail": "Version 99 not found (current version is 3)"})
    assert (missing.status_code, missing.json()) == expected
    world.write("DELETE FROM activity WHERE activity = 'updated'")
    incomplete = await world.ask("GET", f"{path}2/")
    expected = (422, {"detail": "Activity log is incomplete. Cannot reconstruct version 2."})
    assert (incomplete.status_code, incomplete.json()) == expected


ACTIVITY: list[tuple[Any, Any, str]] = [
    ("", "x", "created"),
    ("x", "", "deleted"),
    ("x", "y", "changed"),
    (["web"], [], "deleted"),
    (True, False, "changed"),
    ([], 0, "created"),
]


@pytest.mark.parametrize(("before", "after", "action"), ACTIVITY)
def test_empty_values_are_null_in_activity_and_false_is_not(before: Any, after: Any, action: str) -> None:
    [line] = changes_between("FeatureFlag", {"a": before}, {"a": after}, ("a",))
    shown = {"before": None if before in ("", []) else before, "after": None if after in ("", []) else after}
    assert line == {"type": "FeatureFlag", "field": "a", "action": action, **shown}


def test_one_empty_value_after_another_is_no_change() -> None:
    before: dict[str, Any] = {"a": None, "b": "", "c": [], "d": 0}
    after: dict[str, Any] = {"a": "", "b": [], "c": {}, "d": False}
    assert changes_between("FeatureFlag", before, after, tuple(before)) == []
