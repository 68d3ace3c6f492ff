"""The service answers the examples as they say."""

import json
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.experiments.test_metrics import BUILT
from tests.doubles.every_operation import NAMES, Example, example
from tests.doubles.service_world import asks_for, calling, released, starting
from tests.service.experiments.conftest import MEAN, STEPS, Service

from flagtui.service.experiments.metric_rules import checked_metrics

ANY_JSON: Final = frozenset({"before", "after", "value", "actual_value", "result"})
ABOUT_EXPERIMENTS: Final = {"experiments", "holdouts", "saved_metrics"}
KEYED_BY_DATA: Final = {
    *("keys", "cohorts", "group_type_mapping", "primary_properties", "person_properties"),
    *("timeseries", "total_exposures"),
}
OUTSIDE: Final = {"fingerprint"}
"""A metric outside an experiment is computed in no particular way, so it has no fingerprint."""
ERROR_KEYS: Final = ("type", "code", "detail", "attr")
UUID: Final = "0190b6f2-7c1e-7f00-8a11-5d1b2c3d4e5f"
ACME: Final = {"key": "email", "type": "person", "value": "@acme.test", "operator": "icontains"}
GROUP: Final = {"properties": [ACME], "rollout_percentage": 25, "variant": None}
TARGETING: Final[dict[str, Any]] = {"groups": [GROUP], "payloads": {}, "multivariate": None}
ORDERS: Final = {"kind": "EventsNode", "event": "order placed", "math": "total"}
METRIC: Final = {**MEAN, "name": "Orders", "goal": "increase", "source": ORDERS}


class Stage:
    """A service in which what an example needs is true, and the names things have there."""

    any_json = ANY_JSON

    def __init__(self, world: Any) -> None:
        self.world = world
        self.names: dict[str, str] = {}

    async def set_up(self, stored: Example) -> None:
        family, given = stored["operation"].split(".")[0], stored.get("given", "")
        if family == "event_definitions":
            await self.define_events(given)
        elif family == "cohorts":
            filters = stored["answer"]["results"][0]["filters"]
            columns = {"project_id": 1, "description": "", "created_at": self.world.ago(days=1)}
            self.world.insert("cohorts", name="Paying customers", filters=filters, **columns)
        elif family == "properties":
            pro = json.dumps({"plan": "pro"})
            self.world.write("INSERT INTO persons VALUES (1, 1, 'u-1', ?, '2026-01-01')", pro)
            self.world.write("INSERT INTO groups VALUES (1, 0, 'acme', ?, '2026-01-01')", pro)
        elif family == "change_requests":
            self.world.add_policy("disable", approvers={"users": [1]})
            flag = await self.world.flag("checkout-redesign")
            waiting = await self.world.patch(f"{flag['id']}/", {"active": False}, 409)
            self.names[UUID] = waiting["change_request_id"]
        elif family in {"flags", "schedule"} and given:
            await self.make_flag(given)
        project = await self.world.get("/api/projects/1/")
        self.names["018f3c6d-0000-7000-8000-000000000001"] = project["organization"]
        self.names["phc_abc"] = project["api_token"]
        if stored["operation"] == "flags.copy":
            self.world.add_project()

    async def make_flag(self, given: str) -> None:
        made = await self.world.flag("checkout-redesign", filters=TARGETING)
        self.names["812"] = str(made["id"])
        editor, grace = self.world, "grace@acme.test"
        if grace in given:
            editor = self.world.with_key("*", user=self.world.add_user(grace))
        for name in ("Checkout", "Old", "New checkout"):
            await editor.patch(f"{made['id']}/", {"name": name})
        if "child" in given:
            await self.world.flag("child", filters=asks_for(made["id"]))
        if "archived" in given:
            await self.world.post(f"{made['id']}/archive/")
        if "usage dashboard" in given:
            await self.world.patch(f"{made['id']}/", {"has_enriched_analytics": True})
            await self.world.post(f"{made['id']}/dashboard/")
        if "app-settings" in given:
            payload = released(payloads={"true": '{"color": "red"}'})
            await self.world.flag("app-settings", is_remote_configuration=True, filters=payload)
        if "change 3" in given:
            due = example("schedule.create")["request"]["body"] | {"record_id": str(made["id"])}
            change = await self.world.post("/api/projects/1/scheduled_changes/", due, 201)
            self.names["/3/"] = f"/{change['id']}/"

    async def define_events(self, given: str) -> None:
        place = "/api/projects/1/event_definitions/"
        made = await self.world.post(place, {"name": "checkout completed"}, 201)
        self.names[UUID] = made["id"]
        fields = {"description": "Order paid", "tags": ["revenue"], "verified": "not verified" not in given}
        await self.world.patch(f"{place}{made['id']}/", fields)
        page_view = await self.world.post(place, {"name": "$pageview"}, 201)
        await self.world.patch(f"{place}{page_view['id']}/", {"primary_property": "$pathname"})

    def rename(self, stored: Example) -> Example:
        """The example with the names things have here."""
        path = stored["path"].format_map(stored["ids"])
        text = json.dumps([path, stored["request"]])
        for theirs, ours in self.names.items():
            text = text.replace(theirs, ours)
        path, request = json.loads(text)
        if isinstance(request["body"], dict) and "owner" in request["body"]:
            request["body"]["owner"] = 1
        return stored | {"path": path, "request": request}


class ExperimentStage(Stage):
    """The same for experiments, holdouts and shared metrics."""

    any_json = frozenset[str]()

    async def set_up(self, stored: Example) -> None:
        given, service = stored.get("given") or "", self.world
        service.define_event(ORDERS["event"])
        if "holdout" in given:
            holdout = {"name": "h", "filters": released(10)["groups"]}
            made = await service.post("experiment_holdouts", holdout, 201)
            self.names["/3/"] = f"/{made['id']}/"
        elif "metric 4" in given:
            made = await service.post("experiment_saved_metrics", {"name": "m", "query": METRIC}, 201)
            self.names["/4/"] = f"/{made['id']}/"
        else:
            await self.make_experiment(stored["operation"], given)

    async def make_experiment(self, operation: str, given: str) -> None:
        service = self.world
        id = (await service.create(metrics=[METRIC]))["id"]
        for action in next((actions for state, actions in STEPS.items() if state in given), ()):
            await service.post(f"experiments/{id}/{action}")
        service.clock.pass_(days=2)
        metric = (await service.get(f"experiments/{id}"))["metrics"][0]
        self.names["a" * 64] = metric["fingerprint"]
        self.names["0b7c1c1e-0000-4000-8000-000000000001"] = metric["uuid"]
        self.names["/12/"], self.names['"experiment_id": 12'] = f"/{id}/", f'"experiment_id": {id}'
        if operation == "experiments.query_status":
            query = {"kind": "ExperimentQuery", "experiment_id": id, "metric": METRIC}
            waiting = await service.post("query", {"query": query, "refresh": "async"}, 202)
            self.names["/q1/"] = f"/{waiting['query_status']['id']}/"
        if "were calculated" in given:
            run = await service.post(f"experiments/{id}/metrics_recalculation", {}, 201)
            service.clock.pass_(minutes=1)
            self.names["018f3c6e-0000-7000-8000-000000000010"] = run["id"]
        if operation == "experiments.copy_to_project":
            service.add_project()


def agree(actual: Any, expected: Any, place: str, any_json: Collection[str] = ()) -> None:
    """Every key of the example is there, with a value of its type; null fits everything."""
    if actual is None or expected is None or place.rpartition(".")[2] in any_json:
        return
    if isinstance(expected, dict):
        assert isinstance(actual, dict), place
        if place.rsplit(".", 1)[-1] in KEYED_BY_DATA or place == "flags.evaluation_reasons.answer":
            for key, value in actual.items():
                agree(value, next(iter(expected.values()), None), f"{place}.{key}", any_json)
            return
        missing = expected.keys() - actual.keys() - (OUTSIDE if place.endswith(".query") else set())
        assert not missing, f"{place} has no {missing}"
        for key in expected.keys() & actual.keys():
            agree(actual[key], expected[key], f"{place}.{key}", any_json)
    elif isinstance(expected, list):
        assert isinstance(actual, list), place
        for number, item in enumerate(actual if expected else ()):
            agree(item, expected[0], f"{place}[{number}]", any_json)
    elif isinstance(expected, bool) or isinstance(actual, bool):
        assert type(actual) is type(expected), place
    else:
        numbers = (int, float)
        assert isinstance(actual, numbers if isinstance(expected, numbers) else str), place


@pytest.fixture
async def stages(tmp_path: Path) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:

        async def begin(stored: Example) -> Stage:
            strict = "strict" in (stored.get("given") or "")
            if stored["operation"].split(".")[0] in ABOUT_EXPERIMENTS:
                service = await stack.enter_async_context(calling(Service, tmp_path / "x.db", newest=True))
                stage: Stage = ExperimentStage(service)
            else:
                stage = Stage(await stack.enter_async_context(starting(tmp_path / "x.db", strict=strict)))
            await stage.set_up(stored)
            return stage

        yield begin


@pytest.mark.parametrize("name", NAMES)
async def test_service_responds_like_the_example(stages: Any, name: str) -> None:
    stored = example(name)
    stage = await stages(stored)
    renamed = stage.rename(stored)
    world = stage.world
    if "wrong-key" in name:
        world = replace(world, headers={"Authorization": "Bearer phx_nobody"})
    request = renamed["request"]
    answer = await world.ask(renamed["method"], renamed["path"], request["body"], params=request["query"])
    assert answer.status_code // 100 == stored["status"] // 100, answer.text
    if stored["status"] >= 300:
        assert answer.status_code == stored["status"]
        value = answer.json() if answer.content else {}
        expected = stored["answer"] or {}
        assert {key: value.get(key) for key in ERROR_KEYS} == {key: expected.get(key) for key in ERROR_KEYS}
    elif stored["answer"] is None:
        assert not answer.content
    else:
        agree(answer.json(), stored["answer"], f"{name}.answer", stage.any_json)


@pytest.mark.parametrize("metric", [metric for metric, *_ in BUILT])
def test_the_service_takes_metrics_that_the_client_builds(metric: dict[str, Any]) -> None:
    (taken,) = checked_metrics([metric], "metrics")
    assert taken["uuid"]
