"""Who may do what with flags, and how a list is cut: scenarios 1 to 8."""

from tests.doubles.service_world import Start, World


async def test_scenario_04_activity_needs_its_own_scope(world: World) -> None:
    refusal = await world.with_key("feature_flag:read").refused("GET", "activity/")
    assert refusal.status == 403
    assert refusal.detail == "API key missing required scope 'activity_log:read'"


async def test_scenario_61_an_older_server_does_not_know_enable(start_world: Start) -> None:
    world = await start_world(legacy=True)
    flag = await world.flag("a")
    refusal = await world.refused("POST", f"{flag['id']}/enable/")
    assert (refusal.status, refusal.detail) == (404, "Endpoint not found.")
    for action in ("bulk_delete", "bulk_update_tags"):
        refusal = await world.refused("POST", f"{action}/", {"ids": [flag["id"]]})
        expected = (403, "This action does not support personal API key access")
        assert (refusal.status, refusal.detail) == expected
    assert (await world.refused("POST", f"{flag['id']}/")).status == 405
