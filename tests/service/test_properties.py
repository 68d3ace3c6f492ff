"""Names of properties and their most frequent stored values."""

import json
from typing import Any

from tests.doubles.service_world import World

NAMES = "/api/projects/1/property_definitions/"
VALUES = "/api/projects/1/persons/values/"


def add_person(world: World, number: int, **properties: Any) -> None:
    columns = {"id": number, "project_id": 1, "uuid": f"u{number}", "created_at": "2026-01-01T00:00:00Z"}
    world.insert("persons", properties=properties, **columns)


async def test_names_of_user_properties_have_their_type(world: World) -> None:
    add_person(world, 1, plan="pro", seats=3, is_admin=True, joined_at="2026-01-02T00:00:00Z", mixed=1)
    add_person(world, 2, plan="free", seats=4.5, mixed="x")
    page = await world.get(NAMES, type="person")
    assert [(row["name"], row["property_type"], row["is_numerical"]) for row in page["results"]] == [
        ("is_admin", "Boolean", False),
        ("joined_at", "DateTime", False),
        ("mixed", None, False),
        ("plan", "String", False),
        ("seats", "Numeric", True),
    ]
    assert (page["count"], page["next"]) == (5, None)
    add_person(world, 3, plane=1)
    page = await world.get(NAMES, type="person", search="LAN", limit=1)
    assert ([row["name"] for row in page["results"]], page["count"]) == (["plan"], 2)
    assert "offset=1" in page["next"]
    for nowhere in ("l_n", "plan" * 15_000):
        assert (await world.get(NAMES, type="person", search=nowhere))["count"] == 0


async def test_names_of_event_properties_are_those_of_the_event(world: World) -> None:
    for number, (event, properties) in enumerate({"paid": {"price": 3}, "seen": {"page": "/"}}.items()):
        columns = {"project_id": 1, "distinct_id": "u", "timestamp": "2026-01-01", "properties": properties}
        world.insert("events", id=number + 1, uuid=f"e{number}", event=event, **columns)
    world.write("INSERT INTO property_definitions VALUES (1, 'paid', 'currency', 'String')")
    assert [row["name"] for row in (await world.get(NAMES))["results"]] == ["currency", "page", "price"]
    of_paid = (await world.get(NAMES, event_names='["paid"]'))["results"]
    assert [row["name"] for row in of_paid] == ["currency", "price"]
    numeric = (await world.get(NAMES, event_names='["paid"]', is_numerical="true"))["results"]
    assert [row["name"] for row in numeric] == ["price"]


async def test_values_are_counted_and_most_frequent_first(world: World) -> None:
    for number, plan in enumerate(("free", "größe", "free", 7, True, None), 1):
        add_person(world, number, plan=plan)
    assert await world.get(VALUES, key="plan") == [
        {"name": "free", "count": 2},
        {"name": True, "count": 1},
        {"name": 7, "count": 1},
        {"name": "größe", "count": 1},
    ]
    assert await world.get(VALUES, key="plan", value="GRÖ") == [{"name": "größe", "count": 1}]
    assert await world.get(VALUES) == []


async def test_values_of_groups_need_their_type_and_names_an_owner(world: World) -> None:
    world.write("INSERT INTO groups VALUES (1, 0, 'acme', ?, '2026-01-01')", json.dumps({"plan": "pro"}))
    path = "/api/projects/1/groups/property_values/"
    assert await world.get(path, key="plan", group_type_index=0) == [{"name": "pro", "count": 1}]
    assert await world.get(path, key="plan", group_type_index=1) == []
    await world.refuses("GET", f"{path}?key=plan", status=400, attr="group_type_index")
    await world.refuses("GET", f"{path}?group_type_index=0", status=400, attr="key")
    await world.refuses("GET", f"{NAMES}?type=robot", status=400, attr="type")
