import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import httpx
import pytest
from tests.doubles.expected import require
from tests.store.conftest import NOW

from flagtui.api import Client
from flagtui.api.errors import ApiError, MissingScope, NotSignedIn
from flagtui.models.rows import FlagRow
from flagtui.store.key_info import load_identity
from flagtui.store.load_progress import Loaded, LoadFailed, Recalled
from flagtui.store.snapshots import Snapshots
from flagtui.store.workspace import Workspace

ME = {
    "id": 7,
    "email": "ada@acme.test",
    "first_name": "Ada",
    "team": {"id": 12},
    "organization": {"id": "o-1", "name": "Other"},
    "organizations": [{"id": "o-1", "name": "Other"}, {"id": "o-2", "name": "acme"}],
}
NO_SCOPE = {"code": "permission_denied", "detail": "API key missing required scope 'user:read'"}


def flag(number: int, **fields: object) -> dict[str, object]:
    plain = {"key": f"flag-{number}", "version": 1, "active": True, "filters": {"groups": []}}
    return {"id": number, **plain, **fields}


def page(rows: Sequence[object]) -> dict[str, object]:
    return {"count": len(rows), "next": None, "previous": None, "results": rows}


class Server:
    """Answers by path, and remembers what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, object] = {
            "/api/users/@me/": ME,
            "/api/personal_api_keys/@current/": {"id": "k", "scopes": ["feature_flag:read"]},
            "/api/projects/12/": {"id": 12, "name": "Web app", "organization": "o-2"},
        }
        self.flags = [flag(1), flag(2)]
        self.archived = [flag(3, active=False, archived=True)]
        self.status: dict[str, int] = {}
        self.repeats_flags = False
        """Whether the list of flags never ends, by its count."""
        self.asked: list[str] = []
        self.searched: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(path)
        body = self.answers.get(path)
        if path == "/api/projects/12/experiments/":
            body = page([{"id": 31, "name": "Checkout", "feature_flag_key": "checkout", "status": "running"}])
        if path == "/api/projects/12/event_definitions/":
            body = page([{"id": "a-b", "name": "$pageview"}])
        if path == "/api/projects/12/feature_flags/":
            self.searched.append(request.url.params.get("search", ""))
            rows = self.archived if request.url.params.get("archived") == "true" else self.flags
            body = {**page(rows), **({"count": 1_000, "next": "https://x"} if self.repeats_flags else {})}
        return httpx.Response(self.status.get(path, 200), content=json.dumps(body))


def client_of(server: Callable[[httpx.Request], httpx.Response]) -> Client:
    return Client("us", "phx_a_good_key", 12, transport=httpx.MockTransport(server))


@pytest.fixture
def server() -> Server:
    return Server()


Open = Callable[..., Workspace]


@pytest.fixture
async def open_workspace(server: Server, tmp_path: Path) -> AsyncIterator[Open]:
    async with client_of(server) as client:

        def make(project: int | str = 12) -> Workspace:
            snapshots = Snapshots(tmp_path, clock=lambda: NOW)
            here = client.for_project(project)
            return Workspace(here, profile="prod", snapshots=snapshots, clock=lambda: NOW)

        yield make


def ids(workspace: Workspace) -> list[int]:
    return [row.id for row in workspace.flags.rows]


async def test_a_workspace_learns_who_and_where_it_is(open_workspace: Open) -> None:
    workspace = open_workspace()
    assert workspace.organization == ""
    assert workspace.allows("feature_flag:write")
    await workspace.load_identity()
    me, project = require(workspace.me), require(workspace.project)
    assert (me.email, project.name, workspace.organization) == ("ada@acme.test", "Web app", "acme")
    assert not workspace.allows("feature_flag:write")
    assert workspace.unknown == {}


async def test_forbidden_data_is_unknown_with_its_reason(open_workspace: Open, server: Server) -> None:
    server.answers["/api/users/@me/"] = NO_SCOPE
    server.status["/api/users/@me/"] = 403
    workspace = open_workspace()
    await workspace.load_identity()
    assert workspace.me is None
    assert isinstance(workspace.unknown["me"], MissingScope)
    assert workspace.project is not None


async def test_a_key_the_server_does_not_know_is_an_error(open_workspace: Open, server: Server) -> None:
    for path in server.answers:
        server.answers[path], server.status[path] = {"detail": "Invalid key."}, 401
    with pytest.raises(NotSignedIn):
        await open_workspace().load_identity()


async def test_the_current_project_is_pinned_to_its_number(open_workspace: Open) -> None:
    workspace = open_workspace("@current")
    await workspace.settle()
    assert workspace.client.project == 12
    await workspace.refresh()
    assert ids(workspace) == [1, 2]


async def test_flags_are_loaded_and_shown_again_at_next_start(open_workspace: Open, server: Server) -> None:
    first = open_workspace()
    assert first.recall() is False
    assert await first.refresh() == Loaded()
    second = open_workspace()
    assert second.recall() is True
    assert second.loading("flags").state == Recalled()
    assert second.loading("flags").loaded_at == NOW
    assert second.flags.rows == first.flags.rows
    assert not second.flags.is_complete
    server.flags = [flag(2), flag(4)]
    await second.refresh()
    assert ids(second) == [2, 4]


async def test_failed_refresh_keeps_rows_and_the_cache(open_workspace: Open, server: Server) -> None:
    workspace = open_workspace()
    await workspace.refresh()
    server.status["/api/projects/12/feature_flags/"] = 403
    assert isinstance(await workspace.refresh(), LoadFailed)
    assert ids(workspace) == [1, 2]
    again = open_workspace()
    again.recall()
    assert ids(again) == [1, 2]


async def test_an_edit_in_flight_is_not_kept_on_disk(open_workspace: Open) -> None:
    workspace = open_workspace()
    await workspace.refresh()
    with workspace.flags.showing(1, {"active": False}):
        await workspace.refresh()
    again = open_workspace()
    again.recall()
    assert again.flags.rows[0].active


async def test_archived_flags_stay_until_they_are_unarchived(open_workspace: Open, server: Server) -> None:
    workspace = open_workspace()
    await workspace.refresh()
    assert isinstance(await workspace.load_archived(), Loaded)
    assert ids(workspace) == [1, 2, 3]
    assert workspace.flags.total == 2
    await workspace.refresh()
    assert ids(workspace) == [1, 2, 3]
    workspace = open_workspace()
    await workspace.refresh()
    await workspace.load_archived()
    server.archived, server.flags = [], [*server.flags, flag(3, version=2)]
    await workspace.refresh()
    assert not require(workspace.flags.get(3)).archived


async def test_experiments_and_events_are_kept_beside_the_flags(open_workspace: Open, server: Server) -> None:
    workspace = open_workspace()
    assert await workspace.refresh("experiments") == Loaded()
    assert await workspace.refresh("events") == Loaded()
    assert [row.key for row in workspace.experiments.rows] == ["checkout"]
    assert [row.name for row in workspace.events.rows] == ["$pageview"]
    requests = len(server.asked)
    assert await workspace.load_archived("events") == Loaded()
    assert len(server.asked) == requests
    again = open_workspace()
    assert (again.recall("experiments"), again.recall("events"), again.recall()) == (True, True, False)
    assert again.experiments.rows == workspace.experiments.rows
    assert again.loading("events").state == Recalled()
    assert again.loading("events").loaded_at == NOW


async def test_later_data_is_cached_with_its_own_age(open_workspace: Open) -> None:
    workspace = open_workspace()
    assert workspace.keep() is False
    await workspace.refresh()
    row = FlagRow(id=1, key="renamed", version=2)
    workspace.flags.put(row)
    loading = workspace.loading("flags")
    for moment, age in ((NOW, 0), (NOW + 599, 599), (NOW + 600, 0)):
        loading.loaded_at = moment
        workspace.keep_newer()
        again = open_workspace()
        again.recall()
        assert (again.flags.get(1), again.loading("flags").loaded_at) == (row, moment - age)


async def test_while_pages_are_missing_server_is_searched_too(open_workspace: Open, server: Server) -> None:
    workspace = open_workspace()
    server.flags = [flag(77)]
    assert [await workspace.search_server("flags", word) for word in ("flag", "flag", "fl")] == [1, 0, 0]
    assert ids(workspace) == [77]
    server.status["/api/projects/12/feature_flags/"] = 403
    assert await workspace.search_server("flags", "other") == 0
    assert server.searched == ["flag", "flag", "other"]
    server.status.clear()
    await workspace.refresh()
    assert await workspace.search_server("flags", "flag") == 0
    assert server.searched == ["flag", "flag", "other", ""]


async def test_cut_list_is_not_kept_as_a_complete_copy(open_workspace: Open, server: Server) -> None:
    workspace = open_workspace()
    await workspace.refresh()
    server.flags, server.repeats_flags = [flag(9)], True
    await workspace.refresh()
    assert workspace.loading("flags").too_long is not None
    assert not workspace.keep()
    later = open_workspace()
    assert later.recall()
    assert ids(later) == [1, 2]


@pytest.mark.parametrize(
    "response", [httpx.Response(404, html="<html>"), httpx.Response(403, html="<html>"), httpx.Response(404)]
)
async def test_server_of_another_kind_knows_no_key(response: httpx.Response) -> None:
    async with client_of(lambda _request: response) as client:
        with pytest.raises(ApiError) as caught:
            await load_identity(client)
    assert "Check the host" in caught.value.next


async def test_key_without_scopes_is_known_without_a_name() -> None:
    refused = httpx.Response(403, json={"detail": "You lack the scope."})
    async with client_of(lambda _request: refused) as client:
        introduction = await load_identity(client)
    assert (introduction.me, introduction.key, introduction.projects) == (None, None, ())
