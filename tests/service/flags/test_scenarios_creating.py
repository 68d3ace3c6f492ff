"""Creating flags, and what projects require of them: scenarios 9 to 20."""

from typing import Any

import pytest
from tests.doubles.service_world import Refusal, Start, World, asks_whether, released, variants


async def test_scenario_09_a_key_is_enough_to_make_a_flag(world: World) -> None:
    flag = await world.flag("a")
    assert (flag["version"], flag["active"], flag["evaluation_runtime"]) == (1, True, "all")
    assert flag["filters"] == {"groups": []}
    entry = await world.latest(flag["id"])
    assert (entry["activity"], entry["detail"]["changes"]) == ("created", [])


async def test_scenario_11_a_key_is_taken_by_living_flags_only(world: World) -> None:
    first = await world.flag("a")
    await world.flag("b", active=False, archived=True)
    taken = "There is already a feature flag with this key."
    for key in ("a", "b"):
        await world.refuses("POST", "", {"key": key}, code="unique", attr="key", detail=taken)
    await world.change(first, deleted=True)
    assert (await world.flag("a"))["id"] != first["id"]
    assert (await world.ask("GET", f"{first['id']}/")).status_code == 404


async def test_scenarios_16_to_19_values_are_stored_in_one_form(world: World) -> None:
    items = [
        {"key": 7, "type": "person", "operator": "min", "value": "3", "cohort_name": "shown only"},
        {"key": "b", "type": "person", "operator": "max", "value": "9"},
    ]
    filters = {"groups": [{"properties": items, "rollout_percentage": 5}], "payloads": {"true": {"a": "b"}}}
    stored = [
        {"key": "7", "type": "person", "operator": "gte", "value": "3"},
        {"key": "b", "type": "person", "operator": "lte", "value": "9"},
    ]
    index = {"aggregation_group_type_index": None}
    group = {"properties": stored, "rollout_percentage": 5, **index}
    flag = await world.flag("a", filters=filters, tags=["Ops", " ops ", "DB"])
    assert flag["filters"] == {"groups": [group], "payloads": {"true": '{"a": "b"}'}, **index}
    assert sorted(flag["tags"]) == ["db", "ops"]
    assert (await world.flag("b", archived=True, active=False))["status"] == "ARCHIVED"


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
    copy = {"feature_flag_key": "c", "from_project": other, "target_project_ids": [1]}
    copied = await world.post("/api/organizations/@current/feature_flags/copy_flags/", copy)
    assert copied == {"success": [], "failed": [{"project_id": 1, "error_message": detail}]}
    await world.change(first, deleted=True)
    await world.flag("c")
    full: World = await start_world()
    full.add_flags(2000)
    await full.refuses("POST", "", {"key": "a"}, detail="Maximum of 2,000 feature flags allowed per team.…")


@pytest.mark.parametrize(("setting", "field", "adding", "removing"), [
    ("require_flag_tags", "tags",
     "Add at least one tag. This project requires new feature flags to be tagged.",
     "Keep at least one tag. This project requires feature flags to stay tagged."),
    ("require_evaluation_contexts", "evaluation_contexts",
     "At least one evaluation context is required to create a new feature flag.",
     "Cannot remove all evaluation contexts.…"),
])  # fmt: skip
async def test_a_project_may_require_tags_or_contexts(
    world: World, setting: str, field: str, adding: str, removing: str
) -> None:
    world.write("UPDATE projects SET settings = json_object(?, json('true'))", setting)
    attr = "tags" if field == "tags" else None
    await world.refuses("POST", "", {"key": "a"}, attr=attr, detail=adding)
    flag = await world.flag("a", **{field: ["Web", "web"]})
    assert flag[field] == ["web"]
    await world.refuses("PATCH", f"{flag['id']}/", {field: []}, attr=attr, detail=removing)
    await world.change(flag, name="n")
    if attr:
        await world.flag("of-a-survey", creation_context="surveys")
        edit = {"ids": [flag["id"]], "action": "remove", "tags": ["web"]}
        (skipped,) = (await world.post("bulk_update_tags/", edit))["skipped"]
        assert (skipped["reason"], (await world.read(flag))["tags"]) == (removing, ["web"])


def add_cohort(world: World, name: str, **part: Any) -> int:
    filters = {"properties": {"type": "OR", "values": [{"type": "AND", "values": [part]}]}}
    return world.insert("cohorts", project_id=1, name=name, filters=filters, created_at=world.ago(days=1))


async def test_a_cohort_must_exist_and_ask_no_events(world: World) -> None:
    power = add_cohort(world, "Power users", type="behavioral", key="$pageview", value="performed_event")
    wider = add_cohort(world, "Wider", type="cohort", key="id", value=power)
    own = add_cohort(world, "Round", type="cohort", key="id", value=power + 2)
    event = "an event-based condition on '$pageview' (performed_event)"
    detail = f"…has {event} and cannot be used in feature flags."
    bodies: list[dict[str, Any]] = [
        {"key": "a", "filters": asks_whether(key="id", type="cohort", value=number, operator="in")}
        for number in (power, wider, own)
    ]
    missing = {"key": "a", "filters": asks_whether(key="id", type="cohort", value=99, operator="in")}
    await world.refuses("POST", "", missing, code="cohort_does_not_exist")
    for body in bodies[:2]:
        await world.refuses("POST", "", body, code="behavioral_cohort_found", detail=detail)
    await world.flag(**bodies[2])


EARLIER = "Cannot change this flag to a group-based when linked to an Early Access Feature."
LATER = (
    "Cannot use group aggregation in any condition set when the flag is linked to an Early Access Feature."
)


@pytest.mark.parametrize(("legacy", "detail"), [(False, LATER), (True, EARLIER)])
async def test_a_flag_with_an_early_access_feature_is_for_persons(
    start_world: Start, legacy: bool, detail: str
) -> None:
    world = await start_world(legacy=legacy)
    flag = await world.flag("a")
    world.add_early_access(flag["id"])
    groups = {"groups": [{"rollout_percentage": 5, "aggregation_group_type_index": 0}]}
    await world.refuses("PATCH", f"{flag['id']}/", {"filters": groups}, detail=detail)


async def test_old_early_access_is_dropped_by_the_next_filters_change(world: World) -> None:
    flag = await world.flag("a", filters={"groups": [{}]})
    world.write("UPDATE flags SET filters = json_set(filters, '$.super_groups', json('[{}]'))")
    assert "super_groups" in (await world.change(flag, name="n"))["filters"]
    assert "super_groups" not in (await world.change(flag, filters={"payloads": {"true": "1"}}))["filters"]


async def test_dashboards_are_linked_and_never_unlinked(world: World) -> None:
    first, second = [world.insert("dashboards", project_id=1, name="D", created_at="x") for _ in range(2)]
    flag = await world.flag("a", analytics_dashboards=[first])
    changed = await world.change(flag, analytics_dashboards=[second])
    assert changed["analytics_dashboards"] == [first, second]
    refusal = await world.refused("PATCH", f"{flag['id']}/", {"analytics_dashboards": [99]})
    detail = 'Invalid pk "99" - object does not exist.'
    assert refusal == Refusal(400, "does_not_exist", detail, "analytics_dashboards")


async def test_percentage_makes_or_moves_the_only_condition(world: World) -> None:
    made = await world.flag("a", rollout_percentage=25)
    assert made["filters"]["groups"][0]["rollout_percentage"] == 25
    assert (made["is_simple_flag"], made["rollout_percentage"]) == (True, 25)
    made = await world.flag("b", filters=released(0.5))
    assert (made["is_simple_flag"], made["rollout_percentage"]) == (True, None)
    made = await world.flag("c", filters=released(50, payloads={"true": "1"}))
    moved = await world.change(made, rollout_percentage=75)
    assert [group["rollout_percentage"] for group in moved["filters"]["groups"]] == [75]
    assert moved["filters"]["payloads"] == {"true": "1"}
    assert (moved["rollout_percentage"], moved["version"]) == (75, 2)


@pytest.mark.parametrize("filters", [
    pytest.param(asks_whether(), id="a property"),
    pytest.param(variants(control=50, test=50), id="variants"),
    pytest.param({"groups": [{"properties": []}, {"properties": []}]}, id="two conditions"),
])  # fmt: skip
async def test_a_percentage_of_no_simple_flag_is_refused(world: World, filters: dict[str, Any]) -> None:
    path = f"{(await world.flag('a', filters=filters))['id']}/"
    expected = {"attr": "rollout_percentage", "detail": "…Change filters instead.…"}
    await world.refuses("PATCH", path, {"rollout_percentage": 5}, status=400, **expected)


async def test_a_body_that_was_read_before_may_be_sent_back(world: World) -> None:
    made = await world.flag("a", filters=released(50), evaluation_contexts=["web"])
    sent = {**made, "filters": released(60), "evaluation_contexts": ["app"]}
    changed = await world.change(made, **sent)
    assert (changed["rollout_percentage"], changed["is_simple_flag"]) == (60, True)
    assert changed["evaluation_contexts"] == changed["evaluation_tags"] == ["app"]


async def test_contexts_are_written_by_name_and_dashboards_by_creation(world: World) -> None:
    made = await world.flag("a", evaluation_tags=["Web "])
    assert made["evaluation_contexts"] == made["evaluation_tags"] == ["web"]
    assert (await world.change(made, evaluation_tags=[]))["evaluation_contexts"] == []
    made = await world.flag("b")
    assert made["usage_dashboard"] is None
    body = {"_should_create_usage_dashboard": True}
    await world.refuses("PATCH", f"{made['id']}/", body, status=400, attr="_should_create_usage_dashboard")


async def test_the_newest_servers_know_no_older_fields(start_world: Start) -> None:
    world = await start_world(newest=True)
    made = await world.flag("a", rollout_percentage=25, evaluation_tags=["web"], creation_context="surveys")
    assert (made["filters"], made["evaluation_contexts"]) == ({"groups": []}, [])
    assert world.rows("SELECT creation_context FROM flags") == [{"creation_context": "surveys"}]
    changed = await world.change(made, evaluation_contexts=["app"], evaluation_tags=["b"])
    assert changed["evaluation_contexts"] == ["app"]


async def test_match_mode_is_logged_and_needs_no_contexts(world: World) -> None:
    mode = "evaluation_contexts_match_mode"
    assert (await world.flag("all", evaluation_contexts_match_mode="all"))[mode] == "all"
    flag = await world.flag("a", evaluation_contexts=["web", "app"])
    assert flag[mode] == "any"
    await world.change(flag, evaluation_contexts_match_mode="all")
    changes = (await world.latest(flag["id"]))["detail"]["changes"]
    values = {change["field"]: (change["before"], change["after"]) for change in changes}
    assert values == {"version": (1, 2), mode: ("any", "all")}
    for value in ("none", "", None, 1):
        await world.refuses("PATCH", f"{flag['id']}/", {mode: value}, status=400)
