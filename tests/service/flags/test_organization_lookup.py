"""Flags of all projects of an organization, by key and in pages."""

from tests.doubles.service_world import Start, World


async def lookup_path(world: World) -> str:
    organization = (await world.get("/api/organizations/@current/"))["id"]
    return f"/api/organizations/{organization}/feature_flags"


async def test_lookup_lists_a_row_for_each_project_of_the_key(world: World) -> None:
    other = world.add_project()
    flag = await world.flag("a", active=False)
    path = await lookup_path(world)
    body = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    copy = (await world.post(f"{path}/copy_flags/", body))["success"][0]
    rows = await world.get(f"{path}/a/")
    expected = [(1, flag["id"], False), (other, copy["id"], False)]
    assert [(row["team_id"], row["flag_id"], row["active"]) for row in rows] == expected
    assert set(rows[0]) == {
        *("flag_id", "team_id", "created_by", "filters", "created_at", "active", "evaluations_7d")
    }
    assert rows[0]["filters"] == flag["filters"]
    assert await world.get(f"{path}/unknown/") == []


async def test_lookup_is_closed_to_private_projects_and_strict_servers(
    world: World, start_world: Start
) -> None:
    other = world.add_project()
    await world.flag("a")
    world.write("UPDATE projects SET is_private = 1 WHERE id = ?", other)
    world.write("UPDATE organization_members SET level = 1")
    world.write("UPDATE flags SET project_id = ? WHERE key = 'a'", other)
    assert await world.get(f"{await lookup_path(world)}/a/") == []
    world = await start_world(strict=True)
    await world.flag("a")
    assert (await world.refused("GET", f"{await lookup_path(world)}/a/")).status == 403


async def test_organization_flags_come_in_pages_of_chosen_projects(world: World) -> None:
    other = world.add_project()
    for key in ("a", "b", "c"):
        await world.flag(key, name=f"Flag Ä {key}")
    path = f"{await lookup_path(world)}/keys/"
    first = await world.get(path, limit=2, team_ids=f"1,{other}")
    assert (first["count"], [row["key"] for row in first["results"]]) == (3, ["a", "b"])
    assert set(first["results"][0]) == {"key", "name", "flag_id", "team_id", "filters", "active"}
    assert [row["key"] for row in (await world.get(path, limit=2, offset=2))["results"]] == ["c"]
    assert (await world.get(path, team_ids=str(other)))["count"] == 0
    assert [row["key"] for row in (await world.get(path, search="flag ä b"))["results"]] == ["b"]
    for query in ({"limit": "101"}, {"limit": "x"}, {"team_ids": "1,x"}, {"offset": "-1"}):
        response = await world.ask("GET", path, params=query)
        assert (response.status_code, response.json()) == (400, {"error": "Invalid query parameter."})
