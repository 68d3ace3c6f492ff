"""Creating flags: scenarios 9 to 20."""

from typing import Any

from tests.doubles.service_world import Refusal, Start, World, asks_whether, variants

EVERYBODY = {"groups": [{"properties": [], "rollout_percentage": 100}]}


async def test_scenario_09_a_key_is_enough_to_make_a_flag(world: World) -> None:
    flag = await world.flag("a")
    assert (flag["version"], flag["active"], flag["evaluation_runtime"]) == (1, True, "all")
    assert flag["filters"] == {"groups": []}
    entry = await world.latest(flag["id"])
    assert (entry["activity"], entry["detail"]["changes"]) == ("created", [])


KEYS: list[tuple[Any, str]] = [
    ({}, "required"),
    ({"key": ""}, "blank"),
    ({"key": None}, "null"),
    ({"key": "a b"}, "invalid_key"),
    ({"key": "x" * 401}, "max_length"),
    ({"key": ["a"]}, "invalid_input"),
]


async def test_scenario_10_a_key_must_be_plain(world: World) -> None:
    for body, code in KEYS:
        refusal = await world.refused("POST", "", body)
        assert (refusal.status, refusal.code, refusal.attr) == (400, code, "key")


async def test_scenario_11_a_key_is_taken_by_living_flags_only(world: World) -> None:
    first = await world.flag("a")
    await world.flag("b", active=False, archived=True)
    for key in ("a", "b"):
        refusal = await world.refused("POST", "", {"key": key})
        assert (refusal.code, refusal.attr) == ("unique", "key")
        assert refusal.detail == "There is already a feature flag with this key."
    await world.patch(f"{first['id']}/", {"deleted": True})
    assert (await world.flag("a"))["id"] != first["id"]
    assert (await world.ask("GET", f"{first['id']}/")).status_code == 404


async def test_scenario_12_filters_need_a_condition(world: World) -> None:
    refusal = await world.refused("POST", "", {"key": "a", "filters": {"groups": []}})
    assert refusal.attr == "filters"
    assert refusal.detail == "Feature flags must have at least one condition set (group)."


async def test_scenario_13_variants_sum_to_a_hundred(start_world: Start) -> None:
    body = {"key": "a", "filters": variants(control=50, test=40)}
    refusal = await (await start_world()).refused("POST", "", body)
    assert (refusal.code, refusal.attr) == ("invalid_input", "filters")
    assert refusal.detail == "Invalid variant definitions: Variant rollout percentages must sum to 100."
    newest = await (await start_world(strict_filters=True)).refused("POST", "", body)
    assert newest.code == "cross_field.variant_rollout_sum_not_100"
    assert newest.detail == "multivariate.variants: Variant rollout percentages must sum to 100, got 90."


PERCENTAGES: list[tuple[Any, str]] = [
    (101, "groups[0].rollout_percentage must be between 0 and 100, got 101"),
    (-1, "groups[0].rollout_percentage must be between 0 and 100, got -1"),
    ("50", "groups[0].rollout_percentage must be a number or null, got str"),
    (True, "groups[0].rollout_percentage must be a number or null, got bool"),
]


async def test_scenario_14_percentage_is_a_number_up_to_a_hundred(world: World) -> None:
    for percentage, detail in PERCENTAGES:
        filters = {"groups": [{"properties": [], "rollout_percentage": percentage}]}
        refusal = await world.refused("POST", "", {"key": "a", "filters": filters})
        assert (refusal.attr, refusal.detail) == ("filters", detail)


PROPERTIES: list[tuple[Any, str]] = [
    ({"operator": "contains"}, "groups[0].properties[0].operator: unsupported operator for feature flags"),
    ({"operator": "in", "value": [1]},
     "The 'in' operator is only valid for cohort properties, not 'person' properties."),
    ({"operator": "regex", "value": "["}, "groups[0].properties[0].value: invalid regex pattern"),
    ({"operator": "icontains", "value": ["@a"]}, "Invalid value for operator icontains: ['@a']"),
    ({"operator": "is_date_after", "value": "soon"}, "Invalid date value: soon"),
    ({"operator": "semver_gt", "value": "x"}, "Invalid semver value for operator semver_gt: x"),
    ({"operator": "icontains_multi"}, "icontains_multi operator requires a list of values"),
    ({"type": "event"}, "groups[0].properties[0].type: invalid property type"),
    ({"key": ""}, "groups[0].properties[0].key: a property key is required"),
]  # fmt: skip


async def test_scenario_15_a_property_asks_what_can_be_answered(world: World) -> None:
    for item, detail in PROPERTIES:
        refusal = await world.refused("POST", "", {"key": "a", "filters": asks_whether(**item)})
        assert (refusal.status, refusal.attr, refusal.detail) == (400, "filters", detail)


async def test_scenario_16_payloads_are_kept_as_text_that_holds_json(world: World) -> None:
    broken = {**EVERYBODY, "payloads": {"true": "{bad"}}
    refusal = await world.refused("POST", "", {"key": "a", "filters": broken})
    assert refusal.detail == "Payload for key 'true' is not valid JSON."
    flag = await world.flag("a", filters={**EVERYBODY, "payloads": {"true": {"colour": "red"}}})
    assert flag["filters"]["payloads"] == {"true": '{"colour": "red"}'}


async def test_scenario_17_an_archived_flag_is_off(world: World) -> None:
    refusal = await world.refused("POST", "", {"key": "a", "archived": True})
    assert refusal.attr is None
    assert refusal.detail is not None
    assert refusal.detail.startswith("Cannot archive an enabled feature flag.")
    assert (await world.flag("a", archived=True, active=False))["status"] == "ARCHIVED"


async def test_scenario_18_both_is_not_a_runtime(world: World) -> None:
    refusal = await world.refused("POST", "", {"key": "a", "evaluation_runtime": "both"})
    assert (refusal.code, refusal.attr) == ("invalid_choice", "evaluation_runtime")
    assert refusal.detail == '"both" is not a valid choice.'


async def test_scenario_19_tags_are_lower_case_and_each_once(world: World) -> None:
    assert sorted((await world.flag("a", tags=["Ops", " ops ", "DB"]))["tags"]) == ["db", "ops"]
    refusal = await world.refused("POST", "", {"key": "b", "tags": "ops"})
    assert refusal.code == "not_a_list"
    assert refusal.detail == 'Expected a list of items but got type "str".'


async def test_scenario_20_a_project_has_room_for_so_many_flags(start_world: Start) -> None:
    world = await start_world(max_flags=2, rules_v2=True)
    first = await world.flag("a")
    await world.flag("b")
    rules = {"version": 2, "return_type": "string", "default_value": None, "rules": []}
    detail = (
        "Maximum of 2 feature flags allowed per team. "
        "Please delete unused flags or contact support to increase this limit."
    )
    for body in ({"key": "c"}, {"key": "c", "filters": rules}):
        assert await world.refused("POST", "", body) == Refusal(400, "invalid_input", detail, None)
    other = world.add_project()
    await world.post(f"/api/projects/{other}/feature_flags/", {"key": "c"}, 201)
    organization = (await world.get("/api/organizations/@current/"))["id"]
    copy = {"feature_flag_key": "c", "from_project": other, "target_project_ids": [1]}
    copied = await world.post(f"/api/organizations/{organization}/feature_flags/copy_flags/", copy)
    assert copied == {"success": [], "failed": [{"project_id": 1, "error_message": detail}]}
    await world.patch(f"{first['id']}/", {"deleted": True})
    await world.flag("c")


async def test_default_limit_is_two_thousand(world: World) -> None:
    world.add_flags(2000)
    refusal = await world.refused("POST", "", {"key": "one-more"})
    assert refusal.detail is not None
    assert refusal.detail.startswith("Maximum of 2,000 feature flags allowed per team.")


async def test_only_the_first_fault_is_reported(world: World) -> None:
    refusal = await world.refused("POST", "", {"key": "a b", "active": "maybe"})
    assert refusal.attr == "key"
    refusal = await world.refused("POST", "", {"key": "a", "active": "maybe", "tags": "x"})
    assert (refusal.attr, refusal.detail) == ("active", "Must be a valid boolean.")
