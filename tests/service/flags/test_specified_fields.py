"""What writing the specification's older flag fields means, and that nothing sent is dropped in silence."""

from typing import Any

import pytest
from tests.doubles.service_world import Start, World, asks_whether, variants

HALF: dict[str, Any] = {"groups": [{"properties": [], "rollout_percentage": 50}]}
TWICE: dict[str, Any] = {"groups": [{"properties": []}, {"properties": [], "rollout_percentage": 5}]}


async def test_percentage_makes_or_moves_the_only_condition(world: World) -> None:
    made = await world.flag("a", rollout_percentage=25)
    assert made["filters"]["groups"][0]["rollout_percentage"] == 25
    assert (made["is_simple_flag"], made["rollout_percentage"]) == (True, 25)
    made = await world.flag("b", filters={"groups": [{"properties": [], "rollout_percentage": 0.5}]})
    assert (made["is_simple_flag"], made["rollout_percentage"]) == (True, None)
    made = await world.flag("c", filters={**HALF, "payloads": {"true": "1"}})
    moved = await world.patch(f"{made['id']}/", {"rollout_percentage": 75})
    assert [group["rollout_percentage"] for group in moved["filters"]["groups"]] == [75]
    assert moved["filters"]["payloads"] == {"true": "1"}
    assert (moved["rollout_percentage"], moved["version"]) == (75, 2)


@pytest.mark.parametrize("filters", [asks_whether(), variants(control=50, test=50), TWICE])
async def test_a_percentage_of_no_simple_flag_is_refused(world: World, filters: dict[str, Any]) -> None:
    made = await world.flag("a", filters=filters)
    refusal = await world.refused("PATCH", f"{made['id']}/", {"rollout_percentage": 5})
    assert (refusal.status, refusal.attr) == (400, "rollout_percentage")
    assert "Change filters instead." in str(refusal.detail)


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({"filters": HALF, "rollout_percentage": 60}, "rollout_percentage"),
    ({"filters": HALF, "rollout_percentage": None}, "rollout_percentage"),
    ({"filters": HALF, "rollout_percentage": 101}, "rollout_percentage"),
    ({"filters": HALF, "rollout_percentage": "much"}, "rollout_percentage"),
    ({"filters": HALF, "is_simple_flag": False}, "is_simple_flag"),
    ({"filters": asks_whether(), "is_simple_flag": True}, "is_simple_flag"),
    ({"is_simple_flag": "perhaps"}, "is_simple_flag"),
    ({"evaluation_tags": ["a"], "evaluation_contexts": ["b"]}, "evaluation_contexts"),
    ({"creation_context": "elsewhere"}, "creation_context"),
    ({"performed_rollback": "perhaps"}, "performed_rollback"),
    ({"_create_in_folder": ["a"]}, "_create_in_folder"),
]


async def test_contradictions_are_refused_and_store_nothing(world: World) -> None:
    for fields, attr in CONTRADICTIONS:
        refusal = await world.refused("POST", "", {"key": "a", **fields})
        assert (refusal.status, refusal.attr) == (400, attr)
        assert await world.keys() == []


async def test_a_body_that_was_read_before_may_be_sent_back(world: World) -> None:
    made = await world.flag("a", filters=HALF, evaluation_contexts=["web"])
    filters = {"groups": [{"properties": [], "rollout_percentage": 60}]}
    sent = {**made, "filters": filters, "evaluation_contexts": ["app"]}
    changed = await world.patch(f"{made['id']}/", sent)
    assert (changed["rollout_percentage"], changed["is_simple_flag"]) == (60, True)
    assert changed["evaluation_contexts"] == changed["evaluation_tags"] == ["app"]


async def test_contexts_are_written_by_name_and_dashboards_by_creation(world: World) -> None:
    made = await world.flag("a", evaluation_tags=["Web "])
    assert made["evaluation_contexts"] == made["evaluation_tags"] == ["web"]
    assert (await world.patch(f"{made['id']}/", {"evaluation_tags": []}))["evaluation_contexts"] == []
    made = await world.flag("b")
    assert made["usage_dashboard"] is None
    refusal = await world.refused("PATCH", f"{made['id']}/", {"_should_create_usage_dashboard": True})
    assert (refusal.status, refusal.attr) == (400, "_should_create_usage_dashboard")


async def test_the_newest_servers_know_none_of_them(start_world: Start) -> None:
    world = await start_world(newest=True)
    made = await world.flag("a", rollout_percentage=25, evaluation_tags=["web"], creation_context="surveys")
    assert (made["filters"], made["evaluation_contexts"]) == ({"groups": []}, [])
    assert world.rows("SELECT creation_context FROM flags") == [{"creation_context": "surveys"}]
    changed = await world.patch(f"{made['id']}/", {"evaluation_contexts": ["app"], "evaluation_tags": ["b"]})
    assert changed["evaluation_contexts"] == ["app"]
