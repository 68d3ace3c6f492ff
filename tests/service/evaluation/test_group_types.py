"""The types of groups of a project."""

from tests.doubles.service_world import World


async def test_group_types_are_listed_by_index(world: World) -> None:
    assert await world.get("/api/projects/1/groups_types/") == []
    for index, name in ((1, "project"), (0, "organization")):
        world.write("INSERT INTO group_types (project_id, type_index, name) VALUES (1, ?, ?)", index, name)
    group_types = await world.get("/api/projects/1/groups_types/")
    expected = [(0, "organization"), (1, "project")]
    assert [(row["group_type_index"], row["group_type"]) for row in group_types] == expected
