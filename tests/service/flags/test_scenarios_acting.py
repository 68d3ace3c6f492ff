"""Activity, bulk operations, dashboards, payloads and versions: scenarios 46, 47, 51, 52, 54 to 57."""

import json
from typing import Any

import pytest
from tests.doubles.service_world import Start, World, asks_for

from flagtui.service.activity import changes_between

EVERYBODY: dict[str, Any] = {"groups": [{"properties": [], "rollout_percentage": 100}]}


async def test_scenario_46_activity_comes_in_numbered_pages(world: World) -> None:
    flag = await world.flag("a")
    for name in ("b", "c", "d"):
        await world.patch(f"{flag['id']}/", {"name": name})
    await world.flag("other")
    page = await world.get(f"{flag['id']}/activity/", limit=2, page=2)
    assert len(page["results"]) == 2
    assert (page["total_count"], page["next"]) == (4, None)
    assert "page=1&limit=2" in page["previous"] or "limit=2&page=1" in page["previous"]
    assert [entry["activity"] for entry in page["results"]] == ["updated", "created"]
    assert page["results"][0]["user"] == {"first_name": "Owner", "email": "owner@localhost.test"}
    assert (await world.get("activity/"))["total_count"] == 5
    for query, code in (("limit=0", "min_value"), ("page=0", "min_value"), ("limit=x", "invalid_input")):
        refusal = await world.refused("GET", f"{flag['id']}/activity/?{query}")
        assert (refusal.code, refusal.attr) == (code, query.split("=")[0])
    assert (await world.refused("GET", "999/activity/")).detail == "Not found."


async def test_scenario_47_keys_of_many_flags_by_id(world: World) -> None:
    first, second = await world.flag("a"), await world.flag("b")
    answer = await world.post("bulk_keys/", {"ids": [first["id"], str(second["id"]), "x", 999]})
    assert answer["keys"] == {str(first["id"]): "a", str(second["id"]): "b"}
    assert answer["warning"] == "Invalid flag IDs ignored: ['x']"
    response = await world.ask("POST", "bulk_keys/", {"ids": ["x"]})
    assert (response.status_code, response.json()) == (400, {"error": "Invalid flag IDs provided"})
    assert await world.post("bulk_keys/", {}) == {"keys": {}}


async def test_scenario_51_a_remote_configuration_is_a_json_string(world: World) -> None:
    config = {"is_remote_configuration": True, "filters": {**EVERYBODY, "payloads": {"true": {"test": True}}}}
    flag = await world.flag("config", **config)
    await world.flag("plain")
    await world.flag("empty", is_remote_configuration=True)
    for name in ("config", flag["id"]):
        assert json.loads(await world.get(f"{name}/remote_config/")) == {"test": True}
    for name in ("plain", "unknown"):
        response = await world.ask("GET", f"{name}/remote_config/")
        assert (response.status_code, response.content) == (404, b"")
    response = await world.ask("GET", "empty/remote_config/")
    assert (response.status_code, response.content) == (200, b"")


async def test_scenario_52_dashboards_refuse_keys_where_the_product_does(start_world: Start) -> None:
    world = await start_world(strict=True)
    flag = await world.flag("a")
    for action in ("dashboard", "enrich_usage_dashboard", "create_static_cohort_for_flag"):
        refusal = await world.refused("POST", f"{flag['id']}/{action}/")
        assert refusal.status == 403
        assert refusal.detail == "This action does not support personal API key access"


async def test_scenario_52_a_dashboard_is_made_once_and_enriched_once(world: World) -> None:
    flag = await world.flag("a")
    enrich, make = f"{flag['id']}/enrich_usage_dashboard/", f"{flag['id']}/dashboard/"

    async def error() -> str:
        response = await world.ask("POST", enrich)
        assert response.status_code == 400
        assert response.json()["success"] is False
        return str(response.json()["error"])

    assert (await error()).startswith("Usage dashboard not found.")
    response = await world.ask("POST", make)
    assert (response.status_code, response.json()) == (200, {"success": True})
    assert response.headers["Deprecation"] == "true"
    await world.post(make)
    assert len(world.rows("SELECT * FROM dashboards")) == 1
    assert await error() == "No enriched analytics available for this feature flag"
    await world.patch(f"{flag['id']}/", {"has_enriched_analytics": True})
    await world.post(enrich)
    assert await error() == "Usage dashboard already has enriched data"
    await world.patch(f"{flag['id']}/", {"deleted": True})
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
    base, child = await world.flag("base", filters=EVERYBODY), await world.flag("solo")
    waiting = await world.flag("waiting", filters=asks_for(base["id"]))
    answer = await world.post(
        "bulk_delete/", {"ids": [base["id"], str(child["id"]), f"0{child['id']}", "x", 999]}
    )
    assert answer["deleted"] == [
        {"id": child["id"], "key": "solo", "rollout_state": "not_rolled_out", "active_variant": None}
    ]
    assert answer["errors"] == [
        {
            "id": base["id"],
            "key": "base",
            "reason": f"Cannot delete because other flags depend on it: waiting (ID: {waiting['id']})",
        },
        {"id": "x", "reason": "Invalid flag ID format"},
        {"id": 999, "reason": "Flag not found"},
    ]
    together = await world.post("bulk_delete/", {"ids": [base["id"], waiting["id"]]})
    assert [flag["rollout_state"] for flag in together["deleted"]] == ["fully_rolled_out", "partial"]
    assert (await world.get(f"{base['id']}/"))["version"] == 1
    entry = await world.latest(base["id"])
    assert (entry["activity"], entry["detail"]["changes"]) == ("deleted", [])


async def test_scenario_55_each_failure_has_its_reason(world: World) -> None:
    early, running, replay = [await world.flag(key) for key in ("early", "running", "replay")]
    world.add_early_access(early["id"])
    experiment = world.add_experiment(running["id"], start_date=world.ago(days=1))
    world.write("UPDATE projects SET replay_flag_id = ?", replay["id"])
    answer = await world.post("bulk_delete/", {"ids": [flag["id"] for flag in (early, running, replay)]})
    assert answer["deleted"] == []
    assert [error["reason"] for error in answer["errors"]] == [
        "Cannot delete a feature flag that is in use with early access features",
        f'Cannot delete a feature flag linked to running experiment(s): "Checkout" (ID: {experiment})',
        "This feature flag is used in session replay settings. "
        "Please remove it from replay settings before deleting.",
    ]


async def test_bulk_delete_reads_the_dependents_of_all_flags_once(world: World) -> None:
    flags = [await world.flag(key) for key in ("a", "b", "c")]
    statements: list[str] = []
    world.run(lambda db: db.set_trace_callback(statements.append))
    await world.post("bulk_delete/", {"ids": [flag["id"] for flag in flags]})
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
        response = await world.ask("POST", "bulk_delete/", body)
        assert (response.status_code, response.json()) == (400, {"error": error})
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
    assert (await world.get(f"{flag['id']}/"))["version"] == 1
    assert (await world.latest(flag["id"]))["detail"]["changes"][0]["field"] == "tags"
    for action, tags, left in (("remove", ["x"], ["one"]), ("set", ["y"], ["y"]), ("set", [], [])):
        answer = await world.post("bulk_update_tags/", {"ids": [flag["id"]], "action": action, "tags": tags})
        assert answer["updated"][0]["tags"] == left
    for change, code, attr in (
        ({"ids": []}, "empty", "ids"),
        ({"ids": [1, "x"]}, "invalid_input", "ids__1"),
        ({"ids": [1] * 501}, "max_length", "ids"),
        ({"tags": []}, "invalid_input", "tags"),
        ({"action": "burn"}, "invalid_choice", "action"),
    ):
        refusal = await world.refused("POST", "bulk_update_tags/", {**body, **change})
        assert (refusal.status, refusal.code, refusal.attr) == (400, code, attr)


async def test_scenario_57_older_versions_are_rebuilt_from_activity(world: World) -> None:
    first = {"groups": [{"properties": [], "rollout_percentage": 10}]}
    flag = await world.flag("a", filters=first)
    grace = world.with_key("*", user=world.add_user("grace@acme.test"))
    await grace.patch(f"{flag['id']}/", {"filters": EVERYBODY, "name": "wide"})
    await world.post("bulk_update_tags/", {"ids": [flag["id"]], "action": "add", "tags": ["x"]})
    world.clock.pass_(hours=-1)
    await world.patch(f"{flag['id']}/", {"active": False})
    versions = {number: await world.get(f"{flag['id']}/versions/{number}/") for number in (1, 2, 3)}
    assert versions[1]["filters"] == flag["filters"]
    assert (versions[1]["is_historical"], versions[1]["active"], versions[1]["name"]) == (True, True, "")
    assert versions[1]["version_timestamp"] == flag["created_at"]
    assert versions[1]["modified_by"] == versions[1]["created_by"] == 1
    assert (versions[2]["name"], versions[2]["active"], versions[2]["modified_by"]) == ("wide", True, 2)
    assert (versions[3]["is_historical"], versions[3]["active"]) == (False, False)
    response = await world.ask("GET", f"{flag['id']}/versions/99/")
    expected = (404, {"detail": "Version 99 not found (current version is 3)"})
    assert (response.status_code, response.json()) == expected
    world.write("DELETE FROM activity WHERE activity = 'updated'")
    response = await world.ask("GET", f"{flag['id']}/versions/2/")
    expected = (422, {"detail": "Activity log is incomplete. Cannot reconstruct version 2."})
    assert (response.status_code, response.json()) == expected


async def test_ids_of_matching_flags_are_those_a_list_would_show(world: World) -> None:
    first, _ = await world.flag("a", tags=["ops"]), await world.flag("b")
    assert await world.get("matching_ids/", tags='["ops"]') == {"ids": [first["id"]], "total": 1}


@pytest.mark.parametrize(
    ("before", "after", "action"), [("", "x", "created"), ("x", "", "deleted"), ("x", "y", "changed")]
)
async def test_empty_values_are_null_in_activity(world: World, before: str, after: str, action: str) -> None:
    flag = await world.flag("a", name=before)
    await world.patch(f"{flag['id']}/", {"name": after})
    [line, _version] = (await world.latest(flag["id"]))["detail"]["changes"]
    change = {"field": "name", "action": action, "before": before or None, "after": after or None}
    assert line == {"type": "FeatureFlag", **change}
    assert (await world.get(f"{flag['id']}/versions/1/"))["name"] == before


async def test_empty_lists_are_null_in_activity_and_false_is_not(world: World) -> None:
    flag = await world.flag("a", evaluation_contexts=["web"])
    await world.patch(f"{flag['id']}/", {"evaluation_contexts": [], "active": False})
    lines = {line["field"]: line for line in (await world.latest(flag["id"]))["detail"]["changes"]}
    contexts, active = lines["evaluation_contexts"], lines["active"]
    assert (contexts["action"], contexts["before"], contexts["after"]) == ("deleted", ["web"], None)
    assert (active["action"], active["before"], active["after"]) == ("changed", True, False)
    before: dict[str, Any] = {"a": None, "b": "", "c": [], "d": 0}
    after: dict[str, Any] = {"a": "", "b": [], "c": {}, "d": False}
    assert changes_between("FeatureFlag", before, after, tuple(before)) == []
    assert [line["field"] for line in changes_between("FeatureFlag", {"a": []}, {"a": 0}, ("a",))] == ["a"]
