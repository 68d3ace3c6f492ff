"""The client and the embedded service together: as newest server, as strict one, as one of last years."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

import pytest

from flagtui.api import Client, errors
from flagtui.api.http_library import in_process
from flagtui.service.application import Settable, close_service, create_service

KEY: Final = "phx_journey_0123456789"
Mode = Literal["newest", "strict", "legacy"]
MODES: Final[dict[Mode, Settable]] = {"newest": {}, "strict": {"strict": True}, "legacy": {"legacy": True}}


@asynccontextmanager
async def served(folder: Path, mode: Mode) -> AsyncIterator[Client]:
    service = create_service(folder / f"{mode}.db", key=KEY, **MODES[mode])
    try:
        async with Client("http://127.0.0.1", KEY, 1, transport=in_process(service)) as client:
            yield client
    finally:
        close_service(service)


@pytest.mark.parametrize("mode", MODES)
async def test_a_flag_lives_from_creation_to_restoration(tmp_path: Path, mode: Mode) -> None:
    async with served(tmp_path, mode) as client:
        open_to_half = {"groups": [{"properties": [], "rollout_percentage": 50}]}
        made = await client.flags.create({"key": "new-nav", "filters": open_to_half})
        [row] = [row async for page in client.flags.pages() for row in page.rows]
        assert row == (await client.flags.get(made.id)).row()
        assert not (await client.flags.disable(made.id)).active
        assert (await client.flags.enable(made.id)).active
        fresh = await client.flags.get(made.id)
        named = await client.flags.update(
            made.id, {"name": "Navigation"}, version=fresh.version, original={"name": fresh.name}
        )
        assert (named.name, named.version) == ("Navigation", (fresh.version or 0) + 1)
        with pytest.raises(errors.Conflict):
            await client.flags.update(made.id, {"name": "x"}, version=1, original={"name": "y"})
        assert (await client.flags.version(made.id, 1)).name == ""
        assert (await client.flags.bulk_update_tags([made.id], "add", ["Ops"])).updated[0].tags == ("ops",)
        assert (await client.flags.delete(made.id)).deleted
        assert [row async for page in client.flags.pages() for row in page.rows] == []
        assert not (await client.flags.restore(made.id)).deleted
        entries = [entry.activity async for entry in client.flags.entries(made.id)]
        assert entries[0] == "restored"
        assert entries[-1] == "created"


@pytest.mark.parametrize("mode", MODES)
async def test_an_experiment_lives_from_draft_to_archive(tmp_path: Path, mode: Mode) -> None:
    async with served(tmp_path, mode) as client:
        experiments = client.experiments
        id = (await experiments.create("Blue button", "blue-button")).id
        states = []
        for step in (experiments.launch, experiments.pause, experiments.resume):
            states.append((await step(id)).state)
        states.append((await experiments.ship_variant(id, "test", conclusion="won")).state)
        assert states == ["running", "paused", "running", "stopped"]
        assert (await experiments.archive(id)).archived
        assert not (await experiments.unarchive(id)).archived
        assert (await experiments.reset(id)).state == "draft"
        with pytest.raises(errors.Invalid):
            await experiments.pause(id)
        copy = await experiments.duplicate(id, flag_key="blue-button-2")
        assert copy.feature_flag_key == "blue-button-2"
        await experiments.delete(copy.id)
        with pytest.raises(errors.NotFound):
            await experiments.get(copy.id)


@pytest.mark.parametrize("mode", ["newest", "strict"])
async def test_an_event_definition_lives_until_it_is_deleted(tmp_path: Path, mode: Mode) -> None:
    async with served(tmp_path, mode) as client:
        events = client.event_definitions
        made = await events.create("order paid", {"description": "Paid"})
        assert (await events.by_name("order paid")).id == made.id
        assert (await events.update(made.id, {"verified": True})).verified
        assert [row.verified async for page in events.pages() for row in page.rows] == [True]
        await events.delete(made.id)
        with pytest.raises(errors.NotFound):
            await events.get(made.id)


async def test_endpoints_closed_to_keys_are_remembered_after_one_request(tmp_path: Path) -> None:
    async with served(tmp_path, "strict") as client:
        flag = await client.flags.create({"key": "a"})
        before = client.link.requests
        for _ in range(3):
            with pytest.raises(errors.ClosedToKeys):
                await client.flags.dashboard(flag.id)
        assert client.link.requests == before + 1
        assert client.capabilities.why_not("flags.dashboard")


async def test_a_project_and_a_key_introduce_themselves(tmp_path: Path) -> None:
    async with served(tmp_path, "newest") as client:
        [project] = await client.projects.list()
        assert project.id == 1
        assert await client.for_project("@current").projects.current() == 1
        assert (await client.people.key()).allows("feature_flag:write")
        assert (await client.people.me()).current_project == 1
        with pytest.raises(errors.ProjectNotFound):
            await client.for_project(999).flags.get(1)
