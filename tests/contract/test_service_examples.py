"""The service answers the examples of flags, event definitions, projects and people as they say.

Experiments are replayed in `tests/service/experiments`, where their events are made.
"""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from tests.doubles.every_operation import NAMES, Example, example
from tests.doubles.service_world import World, starting

ELSEWHERE: Final = {"experiments", "holdouts", "saved_metrics"}
OURS: Final = [name for name in NAMES if name.split(".")[0] not in ELSEWHERE]
KEYED_BY_DATA: Final = {"keys", "cohorts", "group_type_mapping", "primary_properties", "person_properties"}
ANY_JSON: Final = {"before", "after", "value", "actual_value", "result"}
ERROR_KEYS: Final = ("type", "code", "detail", "attr")
UUID: Final = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
ACME: Final = {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
TARGETING: Final[dict[str, Any]] = {
    "groups": [{"properties": [ACME], "rollout_percentage": 25, "variant": None}],
    "payloads": {},
    "multivariate": None,
}


class Stage:
    """A service in which what an example needs is true, and the names things have there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.names: dict[str, str] = {}

    async def set_up(self, wanted: Example) -> None:
        family, given = wanted["operation"].split(".")[0], wanted.get("given", "")
        if family == "event_definitions":
            await self.define_events(given)
        elif family == "cohorts":
            filters = json.dumps(wanted["answer"]["results"][0]["filters"])
            columns = "project_id, name, description, filters, created_at"
            self.world.write(
                f"INSERT INTO cohorts ({columns}) VALUES (1, 'Paying customers', '', ?, ?)",
                *(filters, self.world.ago(days=1)),
            )
        elif family == "properties":
            pro = json.dumps({"plan": "pro"})
            self.world.write("INSERT INTO persons VALUES (1, 1, 'u-1', ?, '2026-01-01')", pro)
            self.world.write("INSERT INTO groups VALUES (1, 0, 'acme', ?, '2026-01-01')", pro)
        elif family in {"flags", "schedule"} and given:
            await self.make_flag(given)
        project = await self.world.get("/api/projects/1/")
        self.names["018f3c6d-0000-7000-8000-000000000001"] = project["organization"]
        self.names["phc_abc"] = project["api_token"]
        if wanted["operation"] == "flags.copy":
            self.world.add_project()

    async def make_flag(self, given: str) -> None:
        made = await self.world.flag("checkout-redesign", filters=TARGETING)
        self.names["812"] = str(made["id"])
        editor = self.other_key(given)
        for name in ("Checkout", "Old", "New checkout"):
            await editor.patch(f"{made['id']}/", {"name": name})
        if "child" in given:
            asked = {"key": str(made["id"]), "type": "flag", "operator": "flag_evaluates_to", "value": True}
            groups = [{"properties": [asked], "rollout_percentage": 100}]
            await self.world.flag("child", filters={"groups": groups})
        if "archived" in given:
            await self.world.post(f"{made['id']}/archive/")
        if "usage dashboard" in given:
            await self.world.patch(f"{made['id']}/", {"has_enriched_analytics": True})
            await self.world.post(f"{made['id']}/dashboard/")
        if "app-settings" in given:
            payload = {"groups": [{"properties": []}], "payloads": {"true": '{"color": "red"}'}}
            await self.world.flag("app-settings", is_remote_configuration=True, filters=payload)
        if "change 3" in given:
            due = example("schedule.create")["request"]["body"] | {"record_id": str(made["id"])}
            change = await self.world.post("/api/projects/1/scheduled_changes/", due, 201)
            self.names["/3/"] = f"/{change['id']}/"

    def other_key(self, given: str) -> World:
        grace = "grace@acme.test"
        return self.world.with_key("*", user=self.world.add_user(grace)) if grace in given else self.world

    async def define_events(self, given: str) -> None:
        place = "/api/projects/1/event_definitions/"
        made = await self.world.post(place, {"name": "checkout completed"}, 201)
        self.names[UUID] = made["id"]
        told = {"description": "Order paid", "tags": ["revenue"], "verified": "not verified" not in given}
        await self.world.patch(f"{place}{made['id']}/", told)
        page_view = await self.world.post(place, {"name": "$pageview"}, 201)
        await self.world.patch(f"{place}{page_view['id']}/", {"primary_property": "$pathname"})

    def renamed(self, wanted: Example) -> Example:
        """The example with the names things have here."""
        path = wanted["path"].format_map(wanted["ids"])
        text = json.dumps([path, wanted["request"]])
        for theirs, ours in self.names.items():
            text = text.replace(theirs, ours)
        path, request = json.loads(text)
        if isinstance(request["body"], dict) and "owner" in request["body"]:
            request["body"]["owner"] = 1
        return wanted | {"path": path, "request": request}


@pytest.fixture
async def stages(tmp_path: Path) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def begin(wanted: Example) -> Stage:
            strict = "strict" in wanted.get("given", "")
            stage = Stage(await stack.enter_async_context(starting(tmp_path / "x.db", strict=strict)))
            await stage.set_up(wanted)
            return stage

        yield begin


@pytest.mark.parametrize("name", OURS)
async def test_service_responds_like_the_example(stages: Any, name: str) -> None:
    wanted = example(name)
    stage = await stages(wanted)
    asked = stage.renamed(wanted)
    world = stage.world
    if "wrong-key" in name:
        world = replace(world, headers={"Authorization": "Bearer phx_nobody"})
    request = asked["request"]
    answer = await world.ask(asked["method"], asked["path"], request["body"], params=request["query"])
    assert answer.status_code // 100 == wanted["status"] // 100, answer.text
    if wanted["status"] >= 300:
        assert answer.status_code == wanted["status"]
        said = answer.json() if answer.content else {}
        told = wanted["answer"] or {}
        assert {key: said.get(key) for key in ERROR_KEYS} == {key: told.get(key) for key in ERROR_KEYS}
    elif wanted["answer"] is None:
        assert not answer.content
    else:
        agree(answer.json(), wanted["answer"], name)


def agree(found: Any, wanted: Any, place: str) -> None:
    """Every key of the example is there, with a value of its type; null fits everything."""
    if found is None or wanted is None or place.rpartition(".")[2] in ANY_JSON:
        return
    if isinstance(wanted, dict):
        assert isinstance(found, dict), place
        if place.rsplit(".", 1)[-1] in KEYED_BY_DATA or place == "flags.evaluation_reasons":
            for key, value in found.items():
                agree(value, next(iter(wanted.values()), None), f"{place}.{key}")
            return
        missing = wanted.keys() - found.keys()
        assert not missing, f"{place} has no {missing}"
        for key, value in wanted.items():
            agree(found[key], value, f"{place}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(found, list), place
        for number, one in enumerate(found if wanted else ()):
            agree(one, wanted[0], f"{place}[{number}]")
    elif isinstance(wanted, bool) or isinstance(found, bool):
        assert type(found) is type(wanted), place
    else:
        numbers = (int, float)
        assert isinstance(found, numbers if isinstance(wanted, numbers) else str), place
