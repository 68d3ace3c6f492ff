"""The schema document describes exactly what is served."""

from typing import Any

from tests.doubles.service_world import Start, World

from flagtui.service.application import OPERATIONS
from flagtui.service.operations import REST

HTTP = ("get", "post", "put", "patch", "delete")


async def served(world: World) -> dict[str, Any]:
    response = await world.client.get("/api/schema/")
    assert response.status_code == 200
    document: dict[str, Any] = response.json()
    return document


async def test_every_route_is_documented_and_every_entry_is_routed(world: World) -> None:
    document = await served(world)
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    routed = {
        (operation.method, operation.path.replace(REST, "}") + "/")
        for operation in world.client._transport.app.state.dispatcher.routes.operations  # type: ignore[attr-defined]
    }
    assert described == routed
    assert ("GET", "/api/schema/") in described
    assert {(each.method, each.path.replace(REST, "}") + "/") for each in OPERATIONS} < described


async def test_document_is_openapi_with_unique_names_and_path_parameters(world: World) -> None:
    document = await served(world)
    assert document["openapi"].startswith("3.1")
    names = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert method in HTTP
            names.append(operation["operationId"])
            parts = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"}
            assert all(f"{{{part}}}" in path for part in parts)
            assert path.count("{") == len(parts)
            assert operation["summary"]
            assert "401" in operation["responses"]
    assert len(set(names)) == len(names)


async def test_an_older_service_describes_what_it_has(start_world: Start) -> None:
    newest, older = await served(await start_world()), await served(await start_world(legacy=True))
    enable = "/api/projects/{project_id}/feature_flags/{id}/enable/"
    assert enable in newest["paths"]
    assert enable not in older["paths"]
