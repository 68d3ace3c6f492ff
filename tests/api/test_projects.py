"""Finding the project, by whichever way the key leaves open."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.doubles.servers import MakeClient

from flagtui.api import errors


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
    assert refused.value.next == "Name a project by its number, or add user:read to the key."
