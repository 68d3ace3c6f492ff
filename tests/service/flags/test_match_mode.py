"""Whether a request must declare any or all of the evaluation contexts of a flag."""

from tests.doubles.service_world import Start, World

MODE = "evaluation_contexts_match_mode"


async def test_match_mode_is_stored_shown_and_logged(world: World) -> None:
    flag = await world.flag("a", evaluation_contexts=["web", "app"])
    assert flag[MODE] == "any"
    changed = await world.patch(f"{flag['id']}/", {MODE: "all"})
    assert (changed[MODE], changed["version"]) == ("all", 2)
    assert (await world.get(f"{flag['id']}/"))[MODE] == "all"
    assert [row[MODE] for row in (await world.get(""))["results"]] == ["all"]
    changes = (await world.latest(flag["id"]))["detail"]["changes"]
    values = {change["field"]: (change["before"], change["after"]) for change in changes}
    assert values == {"version": (1, 2), MODE: ("any", "all")}


async def test_match_mode_is_known_and_needs_no_contexts(world: World) -> None:
    assert (await world.flag("a", evaluation_contexts_match_mode="all"))[MODE] == "all"
    flag = await world.flag("b")
    for value in ("none", "", None, 1):
        assert (await world.refused("PATCH", f"{flag['id']}/", {MODE: value})).status == 400


async def test_other_generations_lack_the_match_mode(start_world: Start) -> None:
    for generation in ({"newest": True}, {"legacy": True}):
        world = await start_world(**generation)
        assert MODE not in await world.flag("a", evaluation_contexts_match_mode="all")
