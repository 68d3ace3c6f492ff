"""A service to talk to: an empty database, a stopped clock, and a key for everything."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.doubles.service_world import KEY, START, Caller, Clock, Start, fixtures_of
from tests.doubles.service_world import variants as filters_of

from flagtui.service.clock import stamp
from flagtui.service.responses import text_of

__all__ = ["KEY", "START", "Clock", "Start"]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NODE = {"kind": "EventsNode", "event": "bought"}
MEAN = {"kind": "ExperimentMetric", "metric_type": "mean", "source": NODE}
FUNNEL = {"kind": "ExperimentMetric", "metric_type": "funnel", "series": [NODE]}
HALVES = {"control": 50, "test": 50}
THIRDS = {"control": 34, "a": 33, "b": 33}
HELD_BACK = {"name": "Held back", "filters": [{"properties": [], "rollout_percentage": 10}]}
STEPS = {
    "draft": (),
    "running": ("launch",),
    "paused": ("launch", "pause"),
    "stopped": ("launch", "end"),
    "archived": ("launch", "end", "archive"),
}
"""By state: the actions that lead there."""


def listed(shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """These variants as a body has them."""
    variants: list[dict[str, Any]] = filters_of(**shares)["multivariate"]["variants"]
    return variants


def variants_of(**shares: float) -> dict[str, Any]:
    """Parameters with these variants."""
    return {"feature_flag_variants": listed(shares)}


def shares_of(experiment: Any) -> list[tuple[str, float]]:
    """The variants that the experiment's flag serves, in order."""
    variants = experiment["feature_flag"]["filters"]["multivariate"]["variants"]
    return [(variant["key"], variant["rollout_percentage"]) for variant in variants]


def body_of(**fields: Any) -> dict[str, Any]:
    """The smallest body that makes an experiment, and these fields."""
    return {"name": "n", "feature_flag_key": "k", "parameters": {}, **fields}


def people(variant: str, count: int) -> list[str]:
    return [f"{variant}-{number}" for number in range(count)]


@dataclass
class Service(Caller):
    """The experiments API of one project, and the database behind it."""

    project: int = 1

    def url_of(self, path: str) -> str:
        """Return `path` below the project, without slashes around it, unless it starts with one."""
        return path if path.startswith("/") else f"/api/projects/{self.project}/{path}/"

    async def refused(self, method: str, path: str, body: Any = None, **query: Any) -> tuple[int, str, Any]:
        """Status, detail and attr of an answer that is not a success."""
        response = await self.send(method, path, body, **query)
        assert response.status_code >= 400, response.text
        body = response.json()
        return response.status_code, body.get("detail"), body.get("attr")

    async def create(self, key: str = "blue-button", **fields: Any) -> Any:
        return await self.post(
            "experiments", body_of(feature_flag_key=key, **{"name": "Blue button", **fields}), 201
        )

    async def act(self, experiment: Any, action: str, body: Any = None, status: int = 200) -> Any:
        """The experiment after an action, or what else the action responds with."""
        return await self.post(f"experiments/{experiment['id']}/{action}", body, status)

    async def edit(self, experiment: Any, **fields: Any) -> Any:
        return await self.patch(f"experiments/{experiment['id']}", fields)

    async def reread(self, experiment: Any) -> Any:
        return await self.get(f"experiments/{experiment['id']}")

    async def act_refused(self, experiment: Any, action: str, body: Any = None) -> tuple[int, str, Any]:
        return await self.refused("POST", f"experiments/{experiment['id']}/{action}", body)

    async def edit_refused(self, experiment: Any, **fields: Any) -> tuple[int, str, Any]:
        return await self.refused("PATCH", f"experiments/{experiment['id']}", fields)

    async def in_state(self, state: str, key: str = "blue-button", **fields: Any) -> Any:
        made = await self.create(key, **fields)
        for action in STEPS[state]:
            made = await self.act(made, action)
        return made

    async def running(self, key: str = "blue-button", **fields: Any) -> Any:
        return await self.in_state("running", key, **fields)

    async def flag(self, key: str, shares: Mapping[str, float] | None = None, **fields: Any) -> Any:
        filters = filters_of(**shares) if shares else {"groups": [{"properties": []}]}
        return await self.post("feature_flags", {"key": key, "filters": filters, **fields}, 201)

    async def flag_of(self, experiment: Any) -> Any:
        return await self.get(f"feature_flags/{experiment['feature_flag']['id']}")

    async def edit_flag(self, experiment: Any, **fields: Any) -> Any:
        return await self.patch(f"feature_flags/{experiment['feature_flag']['id']}", fields)

    async def log_of(self, experiment: Any) -> list[Any]:
        """Entries of the activity log, the newest first."""
        log: list[Any] = (await self.get(f"experiments/{experiment['id']}/activity"))["results"]
        return log

    async def query(self, kind: str, experiment: Any, **fields: Any) -> Any:
        query = {"kind": f"Experiment{kind}", "experiment_id": experiment["id"], **fields}
        return await self.post("query", {"query": query, "refresh": "blocking"})

    def define_event(self, *names: str) -> None:
        for name in names:
            self.insert("event_definitions", id=str(uuid.uuid4()), project_id=self.project, name=name)

    def record(self, *events: tuple[str, str, datetime, dict[str, Any]]) -> None:
        """Stores events: name, person, moment, properties. A person is made when first seen."""
        for name, person, moment, properties in events:
            self.write(
                "INSERT OR IGNORE INTO persons (project_id, uuid, created_at) VALUES (?, ?, ?)",
                *(self.project, person, stamp(START)),
            )
            self.write(
                "INSERT INTO events (project_id, uuid, event, distinct_id, person_id, timestamp, properties)"
                " VALUES (?, '', ?, ?, (SELECT id FROM persons WHERE uuid = ?), ?, ?)",
                *(self.project, name, person, person, stamp(moment), text_of(properties)),
            )

    def expose(self, flag: str, variant: str, *people: str, at: datetime | None = None) -> None:
        """Stores that these people asked for the flag and what they got."""
        called = {"$feature_flag": flag, "$feature_flag_response": variant, f"$feature/{flag}": variant}
        moment = at or self.clock()
        self.record(*(("$feature_flag_called", person, moment, called) for person in people))

    async def start_sale(self, buyers: Mapping[str, int] | None = None, **fields: Any) -> Any:
        """A running experiment on a button, measured by purchases.

        A hundred people see each variant within the first hour; the first of them buy an hour later.
        """
        self.define_event("bought")
        running = await self.running(metrics=[MEAN, FUNNEL], **fields)
        for variant, count in (buyers or {}).items():
            self.expose("blue-button", variant, *people(variant, 100), at=START + HOUR)
            bought = (
                ("bought", person, START + 2 * HOUR, {"price": 10}) for person in people(variant, count)
            )
            self.record(*bought)
        return running


start, service = fixtures_of(Service)


@pytest.fixture
async def newest(start: Start) -> Service:
    started: Service = await start(newest=True)
    return started


@pytest.fixture
async def legacy(start: Start) -> Service:
    started: Service = await start(legacy=True)
    return started
