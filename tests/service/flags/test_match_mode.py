"""Whether a request must declare any or all of the evaluation contexts of a flag."""

from tests.doubles.service_world import World

MODE = "evaluation_contexts_match_mode"


async def test_match_mode_is_logged(world: World) -> None:
    flag = await world.flag("a", evaluation_contexts=["web", "app"])
    assert flag[MODE] == "any"
    await world.patch(f"{flag['id']}/", {MODE: "all"})
    changes = (await world.latest(flag["id"]))["detail"]["changes"]
    values = {change["field"]: (change["before"], change["after"]) for change in changes}
    assert values == {"version": (1, 2), MODE: ("any", "all")}


async def test_match_mode_is_known_and_needs_no_contexts(world: World) -> None:
    assert (await world.flag("a", evaluation_contexts_match_mode="all"))[MODE] == "all"
    flag = await world.flag("b")
    for value in ("none", "", None, 1):
        assert (await world.refused("PATCH", f"{flag['id']}/", {MODE: value})).status == 400
