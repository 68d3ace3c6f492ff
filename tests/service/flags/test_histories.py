"""Whatever is done to a flag, its activity leads back to every version it ever had."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.doubles.service_world import World, starting
from tests.doubles.slices import at_most

PERCENTAGE = st.integers(0, 100)
GROUP = st.fixed_dictionaries({"properties": st.just([]), "rollout_percentage": PERCENTAGE})
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "groups": st.lists(GROUP, max_size=3),
        "payloads": st.one_of(st.just({}), st.fixed_dictionaries({"true": st.sampled_from(["1", '"é"'])})),
        "unknown": st.one_of(st.none(), st.lists(st.integers(), max_size=2)),
    },
)
CHANGE = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(
            st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), max_size=5
        ),
        "active": st.booleans(),
        "deleted": st.booleans(),
        "filters": FILTERS,
        "evaluation_runtime": st.sampled_from(["all", "server", "client", None]),
        "tags": st.lists(st.sampled_from(["a", "b"]), max_size=2),
        "ensure_experience_continuity": st.one_of(st.none(), st.booleans()),
    },
)
STEP = st.one_of(CHANGE, st.sampled_from(["enable", "disable", "archive", "unarchive", "tag", "gone"]))
REMEMBERED = (
    *("key", "name", "filters", "active", "deleted", "evaluation_runtime"),
    "ensure_experience_continuity",
)


@settings(max_examples=at_most(6, 50), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP, max_size=8))
def test_every_version_can_be_had_again(steps: list[Any]) -> None:
    asyncio.run(live_through(steps))


async def live_through(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with starting(Path(folder) / "x.db") as world:
            flag = await world.flag("a")
            path, seen, now = f"{flag['id']}/", {1: flag}, flag
            for step in steps:
                await take(world, path, step)
                now = await world.get(path)
                assert now["version"] - max(seen) in (0, 1)
                # A deletion in bulk raises no version: an earlier one keeps its first state.
                seen.setdefault(now["version"], now)
            entries = (await world.get(f"{path}activity/", limit=100))["results"]
            changes = [change["field"] for entry in entries for change in entry["detail"]["changes"]]
            assert changes.count("version") == max(seen) - 1
            for number, then in {**seen, now["version"]: now}.items():
                again = await world.get(f"{path}versions/{number}/")
                assert {name: again[name] for name in REMEMBERED} == {name: then[name] for name in REMEMBERED}
                assert again["version"] == number


async def take(world: World, path: str, step: Any) -> None:
    """One step; the service may refuse it, but never fail over it."""
    if step == "tag":
        body = {"ids": [int(path[:-1])], "action": "add", "tags": ["bulk"]}
        response = await world.ask("POST", "bulk_update_tags/", body)
    elif step == "gone":
        response = await world.ask("POST", "bulk_delete/", {"ids": [int(path[:-1])]})
    elif isinstance(step, str):
        response = await world.ask("POST", f"{path}{step}/")
    else:
        response = await world.ask("PATCH", path, step)
    assert response.status_code in (200, 400), response.text
