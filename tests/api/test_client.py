"""Requests and responses of the client, seen from outside: its project, and its HTTP library."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.doubles.servers import KEY, MakeClient, Recording, always, in_turn
from tests.doubles.slices import one_in

from flagtui.api import errors
from flagtui.api.http_library import LIBRARIES, load_library


async def test_an_update_sends_the_changes_and_what_was_read(make_client: MakeClient) -> None:
    server = Recording(always(200, {"id": 5, "key": "a", "version": 5}))
    groups = [{"properties": [{"key": "id", "type": "cohort", "value": 3, "cohort_name": "Beta"}]}]
    flag = await make_client(server).flags.update(
        5,
        {"filters": {"groups": []}},
        version=4,
        original={"filters": {"groups": groups, "super_groups": groups, "version": 1}, "tags": ["x"]},
    )
    stored = [{"properties": [{"key": "id", "type": "cohort", "value": 3}]}]
    [request] = server.requests
    assert (request.method, request.url.path) == ("PATCH", "/api/projects/1/feature_flags/5/")
    original = {"filters": {"groups": stored, "super_groups": stored}}
    assert server.bodies == [{"filters": {"groups": []}, "version": 4, "original_flag": original}]
    assert flag.version == 5


@pytest.mark.parametrize("record", [
    {"id": 6, "key": "b"}, {"id": 5, "key": ""}, {"id": 5, "key": None}, {"id": 5, "key": ["b"]},
], ids=str)  # fmt: skip
async def test_another_flag_or_one_without_key_is_unreadable(
    make_client: MakeClient, record: dict[str, Any]
) -> None:
    client = make_client(always(200, record))
    for flags in (client.flags, client.flag_objects):
        with pytest.raises(errors.Unreadable):
            await flags.get(5)


async def test_projects_share_the_connection(make_client: MakeClient) -> None:
    server = Recording(always(200, {"id": 5, "key": "a"}))
    client = make_client(server)
    other = client.for_project(2)
    await client.flags.get(5)
    await other.flags.get(5)
    assert [url.path for url in server.urls] == [f"/api/projects/{id}/feature_flags/5/" for id in (1, 2)]
    assert other.connection is client.connection
    assert client.link.requests == 2


@pytest.mark.parametrize("project", ["1/../2", "", "abc", "-1", 0, "@currents", "１"])
def test_what_is_no_project_is_refused_before_anything_is_sent(
    make_client: MakeClient, project: int | str
) -> None:
    with pytest.raises(errors.ProjectNotFound):
        make_client(always(200), project=project)


async def test_the_same_key_can_be_tried_in_the_other_region(make_client: MakeClient) -> None:
    server = Recording(in_turn(httpx.Response(401), httpx.Response(200, json={"scopes": ["*"]})))
    client = make_client(server, host="us")
    with pytest.raises(errors.NotSignedIn) as caught:
        await client.people.key()
    assert "eu" in caught.value.next
    other = client.at(caught.value.facts.other_region)
    assert (await other.people.key()).allows("feature_flag:write")
    assert [url.host for url in server.urls] == ["us.posthog.com", "eu.posthog.com"]
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert other.connection is not client.connection


def projects_server(listing: int, key: int, me: int, scoped: list[int] | None = None) -> Callable[..., Any]:
    project = {"id": 42, "name": "Web shop", "organization": "o"}
    answers = {
        "/api/projects/": (listing, {"count": 1, "next": None, "results": [project]}),
        "/api/personal_api_keys/@current/": (key, {"scopes": ["*"], "scoped_teams": scoped or []}),
        "/api/users/@me/": (me, {"id": 7, "team": project, "organization": {"id": "o", "teams": [project]}}),
        "/api/projects/42/": (200, project),
    }

    def answer(request: httpx.Request) -> httpx.Response:
        status, body = answers.get(request.url.path, (404, {"detail": "Project not found."}))
        return httpx.Response(status, json=body if status == 200 else {"detail": "no access", "code": "x"})

    return answer


@pytest.mark.parametrize(
    ("listing", "key", "me", "scoped"),
    [(200, 200, 200, []), (200, 403, 403, []), (403, 404, 200, []), (403, 200, 403, [42])],
)
async def test_projects_are_found_by_whichever_way_is_open(
    make_client: MakeClient, listing: int, key: int, me: int, scoped: list[int]
) -> None:
    client = make_client(projects_server(listing, key, me, scoped))
    [project] = await client.projects.list()
    assert (project.id, project.label) == (42, "Web shop")


async def test_projects_of_a_confined_key_are_numbers_or_refused(make_client: MakeClient) -> None:
    client = make_client(projects_server(403, 200, 403, [42, 43]))
    assert [project.label for project in await client.projects.list()] == ["Web shop", "project 43"]
    with pytest.raises(errors.Forbidden):
        await make_client(projects_server(403, 404, 403)).projects.list()


async def test_current_project_is_a_number_or_needs_one(make_client: MakeClient) -> None:
    client = make_client(projects_server(200, 200, 200), project="@current")
    assert await client.projects.current() == 42
    assert await client.for_project(7).projects.current() == 7
    client = make_client(projects_server(200, 200, 403), project="@current")
    with pytest.raises(errors.Forbidden) as refused:
        await client.projects.current()
    assert refused.value.next == "Name a project by its number (--project), or add user:read to the key."


PROGRAM: Final = """
import asyncio, sys
from pathlib import Path
from flagtui.api import Client
from flagtui.api.http_library import in_process
from flagtui.service import close_service, create_service

async def main() -> None:
    service = create_service(Path(sys.argv[1]) / "flags.db", key="phx_key")
    async with Client("http://127.0.0.1:1", "phx_key", 1, transport=in_process(service)) as client:
        made = await client.flags.create({"key": "a"})
        changed = await client.flags.update(made.id, {"name": "b"}, version=1, original={"name": ""})
        print(changed.name, *sorted({"httpx", "httpx2"} & set(sys.modules)))
    close_service(service)

asyncio.run(main())
"""


@pytest.mark.parametrize("name", one_in(2, [*reversed(LIBRARIES)]))
def test_a_change_is_made_with_the_library_that_is_named(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "FLAGTUI_HTTP": name, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == ["b", name], done.stderr


def test_first_present_library_is_loaded_or_the_install_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert load_library("").__name__ == "httpx2"
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    for named in ("", "httpx2"):
        with pytest.raises(ImportError, match="pip install"):
            load_library(named)
    with pytest.raises(ImportError, match="it can be httpx or httpx2"):
        load_library("requests")
