"""The schema document and the table of server generations describe exactly what is served."""

from typing import Any

import pytest
from tests.doubles.service_world import Start, World

from flagtui.service.application import OPERATIONS
from flagtui.service.event_definitions.fields import DEFINITIONS
from flagtui.service.experiments.fields import EXPERIMENTS
from flagtui.service.field_kinds import Table
from flagtui.service.flags.fields import FLAGS
from flagtui.service.generations import DEFAULT, NEWEST, OLDER, Body, Generation
from flagtui.service.operations import REST
from flagtui.service.settings import Settings

HTTP = ("get", "post", "put", "patch", "delete")


async def read_document(world: World) -> dict[str, Any]:
    response = await world.client.get("/api/schema/")
    assert response.status_code == 200
    document: dict[str, Any] = response.json()
    return document


async def test_every_route_is_documented_and_every_entry_is_routed(world: World) -> None:
    document = await read_document(world)
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    routed = {
        (operation.method, operation.path.replace(REST, "}") + "/")
        for operation in world.client._transport.app.state.dispatcher.routes.operations  # type: ignore[attr-defined]
    }
    assert described == routed
    assert ("GET", "/api/schema/") in described
    assert {(each.method, each.path.replace(REST, "}") + "/") for each in OPERATIONS} < described


async def test_document_is_openapi_with_unique_names_and_path_parameters(world: World) -> None:
    document = await read_document(world)
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


async def test_document_names_the_media_type_of_each_success(world: World) -> None:
    document = await read_document(world)
    token = (await world.ask("GET", "/api/projects/@current/")).json()["api_token"]
    paths = {
        "/array/{token}/config": f"/array/{token}/config",
        "/array/{token}/config.js": f"/array/{token}/config.js",
    }
    for path, address in {**paths, "/api/schema": "/api/schema"}.items():
        described = document["paths"][f"{path}/"]["get"]["responses"]["200"]["content"]
        response = await world.ask("GET", f"{address}/")
        assert [*described] == [response.headers["content-type"].partition(";")[0]]
    stream = document["paths"]["/ofrep/v1/events/"]["get"]["responses"]["200"]["content"]
    assert [*stream] == ["text/event-stream"]


async def test_every_list_with_pages_describes_their_parameters(world: World) -> None:
    pages = set()
    for operation in OPERATIONS:
        path = operation.path.replace("{project_id}", "1").replace("{organization_id}", "@current")
        if operation.method == "GET" and "{" not in path and "events" not in path:
            response = await world.ask("GET", f"{path}/")
            shown = response.json() if response.status_code == 200 else None
            if isinstance(shown, dict) and "previous" in shown:
                pages.add(operation.name)
                own = "offset" if "count" in shown else "page"
                assert {"limit", own} <= {*operation.parameters}, operation.name
    assert len(pages) > 10


async def test_an_older_service_describes_what_it_has(start_world: Start) -> None:
    newest, older = (
        await read_document(await start_world()),
        await read_document(await start_world(legacy=True)),
    )
    enable = "/api/projects/{project_id}/feature_flags/{id}/enable/"
    assert enable in newest["paths"]
    assert enable not in older["paths"]


SERVED = {operation.name for operation in OPERATIONS}
GENERATIONS = [DEFAULT, NEWEST, OLDER]


def names(table: Table) -> set[str]:
    return {field.name for field in table.fields}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_operations_that_are_missing_or_closed_are_known_ones(generation: Generation) -> None:
    assert generation.missing_operations <= SERVED
    assert generation.closed_operations <= SERVED


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("table", [FLAGS, EXPERIMENTS, DEFINITIONS], ids=lambda table: table.record)
def test_fields_that_are_missing_or_renamed_are_known_ones(generation: Generation, table: Table) -> None:
    body = generation.body(table.record)
    assert body.missing | body.write_only | body.read_only | body.create_only <= names(table)
    assert not body.renamed


async def paths(world: World) -> set[str]:
    schema = await world.get("/api/schema/")
    return {path.removeprefix("/api/projects/{project_id}").removesuffix("/") for path in schema["paths"]}


async def test_older_service_lacks_exactly_the_listed_operations(start_world: Start) -> None:
    newest, older = await paths(await start_world()), await paths(await start_world(legacy=True))
    missing = {name.partition(" ")[2] for name in OLDER.missing_operations}
    assert newest - older == missing - {"/event_definitions"}


async def test_an_older_flag_has_the_older_names(start_world: Start) -> None:
    world = await start_world(legacy=True)
    shown = await world.flag("a", tags=["x"], evaluation_tags=["x"], archived=True)
    assert (shown["evaluation_tags"], shown["creation_context"]) == (["x"], "feature_flags")
    assert not OLDER.body("flag").missing & set(shown)


def test_default_generation_lacks_nothing() -> None:
    assert all(DEFAULT.body(record) == Body() for record in {*NEWEST.bodies, *OLDER.bodies})


def test_newest_and_legacy_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        Settings(newest=True, legacy=True)
