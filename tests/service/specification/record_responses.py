"""Every operation of the service that responds with a record, asked once."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tests.doubles.service_world import World

from flagtui.service.operations import Operation

P: Final = "/api/projects/1"
COPY: Final = "POST /api/organizations/{organization_id}/feature_flags/copy_flags"
METRIC: Final = {
    "kind": "ExperimentMetric",
    "metric_type": "mean",
    "name": "Orders",
    "source": {"kind": "EventsNode", "event": "order placed", "math": "total"},
}
OPEN: Final = {"groups": [{"properties": [], "rollout_percentage": 40}]}
HALVES: Final = {
    "groups": [{"properties": [], "rollout_percentage": 100}],
    "multivariate": {
        "variants": [{"key": "control", "rollout_percentage": 50}, {"key": "test", "rollout_percentage": 50}]
    },
}


class Place(NamedTuple):
    """Where a response has records: `*` stands for every item of a list, an empty path for all of it."""

    table: str
    path: str = ""
    in_list: bool = False
    more: frozenset[str] = frozenset()
    """Fields that this response adds to the table's."""


def _of(table: str, names: str, path: str = "", *, in_list: bool = False) -> dict[str, Place]:
    return dict.fromkeys(names.split(", "), Place(table, path, in_list))


def _resource(table: str, path: str) -> dict[str, Place]:
    names = f"POST {path}, GET {path}/{{id}}, PATCH {path}/{{id}}, PUT {path}/{{id}}"
    return _of(table, names) | _of(table, f"GET {path}", "results.*", in_list=True)


def _steps(table: str, path: str, words: str) -> dict[str, Place]:
    return _of(table, ", ".join(f"POST {path}/{{id}}/{word}" for word in words.split()))


_SDK: Final = Place("flag summary", "flags.*", more=frozenset(("has_experiment",)))
_ME: Final = frozenset(
    (*("is_staff", "is_2fa_enabled", "has_password", "theme_mode", "team", "organization"), "organizations")
)
PLACES: Final[Mapping[str, Place]] = {
    **_resource("flag", "/feature_flags"),
    **_steps("flag", "/feature_flags", "enable disable archive unarchive"),
    **_steps("flag", "/feature_flags", "set_release_condition_rollout roll_out_to_everyone"),
    COPY: Place("flag", "success.*"),
    "GET /experiments/eligible_feature_flags": Place("flag", "results.*"),
    "GET /feature_flags/my_flags": Place("flag summary", "*.feature_flag"),
    "GET /feature_flags/local_evaluation": _SDK,
    "GET /flags/definitions": _SDK,
    "GET /api/feature_flag/local_evaluation": _SDK,
    **_resource("experiment", "/experiments"),
    **_steps("experiment", "/experiments", "launch pause resume end reset archive unarchive ship_variant"),
    **_steps("experiment", "/experiments", "freeze_exposure unfreeze_exposure"),
    **_steps("experiment", "/experiments", "copy_to_project duplicate migrate"),
    **_resource("holdout", "/experiment_holdouts"),
    **_resource("saved metric", "/experiment_saved_metrics"),
    **_resource("event definition", "/event_definitions"),
    "GET /event_definitions/by_name": Place("event definition"),
    "GET /api/users/{id}": Place("user", more=_ME),
    "GET /cohorts": Place("user", "results.*.created_by"),
    "POST /feature_flags/{id}/create_static_cohort_for_flag": Place("user", "cohort.created_by"),
    "POST /experiments/{id}/create_exposure_cohort_for_experiment": Place("user", "cohort.created_by"),
    **_of("user", "GET /scheduled_changes", "results.*.created_by"),
    **_of("user", "POST /scheduled_changes, GET /scheduled_changes/{id}", "created_by"),
    **_of("user", "PATCH /scheduled_changes/{id}, POST /approval_policies", "created_by"),
    **_of("user", "GET /approval_policies/{id}, PATCH /approval_policies/{id}", "created_by"),
    **_of("user", "GET /approval_policies", "results.*.created_by"),
}
"""Which record each operation responds with, and where it is."""


def records_at(body: Any, path: str) -> list[Any]:
    """The records at a place of a response."""
    parts = [body]
    for part in path.split(".") if path else ():
        parts = [item for each in parts for item in (each if part == "*" else [each[part]])]
    return parts


class Asking:
    """Asks the operations that this service has, and keeps the responses by operation."""

    def __init__(self, world: World, served: frozenset[str]) -> None:
        self.world = world
        self.served = served
        self.responses: dict[str, Any] = {}

    async def ask(self, name: str, body: Any = None, **parts: Any) -> Any:
        """The response of an operation; None where this service has no such operation."""
        if name not in self.served:
            return None
        method, _, path = name.partition(" ")
        url = (path if path.startswith(("/api/", "/flags/")) else P + path).format(**parts)
        query = {"name": "order placed"} if path.endswith("by_name") else {}
        response = await self.world.ask(method, url + "/", body, params=query)
        assert response.is_success, f"{name}: {response.text}"
        self.responses[name] = response.json() if response.content else None
        return self.responses[name]


async def all_responses(world: World, operations: tuple[Operation, ...]) -> dict[str, Any]:
    """The response of each served operation of `PLACES`, from one service with a record of every kind."""
    asking = Asking(world, frozenset(operation.name for operation in operations))
    other = world.add_project()
    event = {"id": "018f3c6d-0000-7000-8000-000000000009", "project_id": 1, "name": "order placed"}
    world.insert("event_definitions", created_by_id=1, owner_id=1, **event)
    await _flags(asking, other)
    await _experiments(asking, other)
    await _definitions(asking)
    await asking.ask("GET /api/users/{id}", id="@me")
    return {name: asking.responses[name] for name in PLACES if name in asking.served}


async def _flags(asking: Asking, other: int) -> None:
    ask = asking.ask
    flag = await ask("POST /feature_flags", {"key": "a", "tags": ["x"], "filters": OPEN})
    identity = {"id": flag["id"]}
    await ask("GET /feature_flags/{id}", **identity)
    await ask("PATCH /feature_flags/{id}", {"name": "A"}, **identity)
    await ask("PUT /feature_flags/{id}", {"key": "a", "name": "B"}, **identity)
    for word in ("disable", "archive", "unarchive", "enable"):
        await ask(f"POST /feature_flags/{{id}}/{word}", **identity)
    version = (await ask("GET /feature_flags/{id}", **identity))["version"]
    share = {"condition_index": 0, "rollout_percentage": 60, "version": version}
    await ask("POST /feature_flags/{id}/set_release_condition_rollout", share, **identity)
    version = (await ask("GET /feature_flags/{id}", **identity))["version"]
    await ask("POST /feature_flags/{id}/roll_out_to_everyone", {"version": version}, **identity)
    await ask("GET /feature_flags")
    organization = (await asking.world.get("/api/projects/1/"))["organization"]
    copied = {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [other]}
    await ask(COPY, copied, organization_id=organization)
    for path in ("/feature_flags/my_flags", "/feature_flags/local_evaluation", "/flags/definitions"):
        await ask(f"GET {path}")
    await ask("GET /api/feature_flag/local_evaluation")
    await ask("POST /feature_flags/{id}/create_static_cohort_for_flag", {}, **identity)
    await ask("GET /cohorts")
    change = {
        "record_id": str(flag["id"]),
        "model_name": "FeatureFlag",
        "payload": {"operation": "update_status", "value": False},
        "scheduled_at": "2026-06-01T10:00:00Z",
    }
    due = await ask("POST /scheduled_changes", change)
    await ask("GET /scheduled_changes")
    await ask("GET /scheduled_changes/{id}", id=due["id"])
    await ask("PATCH /scheduled_changes/{id}", {"scheduled_at": "2026-07-01T10:00:00Z"}, id=due["id"])
    covered = {"action_key": "feature_flag.disable", "approver_config": {"quorum": 1}, "enabled": False}
    policy = await ask("POST /approval_policies", covered)
    if policy is not None:
        await ask("GET /approval_policies")
        await ask("GET /approval_policies/{id}", id=policy["id"])
        await ask("PATCH /approval_policies/{id}", {"enabled": False}, id=policy["id"])


async def _experiments(asking: Asking, other: int) -> None:
    ask = asking.ask
    holdout = await _resource_responses(
        asking, "/experiment_holdouts", {"name": "h", "filters": OPEN["groups"]}
    )
    metric = await _resource_responses(asking, "/experiment_saved_metrics", {"name": "m", "query": METRIC})
    body = {
        **{"name": "Blue", "feature_flag_key": "blue", "parameters": {}, "metrics": [METRIC]},
        **{"holdout_id": holdout["id"], "saved_metrics_ids": [{"id": metric["id"]}]},
    }
    made = await ask("POST /experiments", body)
    identity = {"id": made["id"]}
    await ask("PATCH /experiments/{id}", {"description": "text"}, **identity)
    await ask("PUT /experiments/{id}", {"name": "Blue", "feature_flag_key": "blue"}, **identity)
    await ask("GET /experiments/eligible_feature_flags")
    await ask("POST /experiments/{id}/duplicate", {}, **identity)
    await ask("POST /experiments/{id}/copy_to_project", {"target_team_id": other}, **identity)
    steps = ("launch", "pause", "resume", "end", "archive", "unarchive", "reset", "launch")
    for word in steps:
        await ask(f"POST /experiments/{{id}}/{word}", {}, **identity)
    await ask("POST /experiments/{id}/ship_variant", {"variant_key": "test"}, **identity)
    await ask("PATCH /experiments/{id}", {"start_date": "2026-03-01T00:00:00Z"}, **identity)
    await ask("POST /experiments/{id}/create_exposure_cohort_for_experiment", {}, **identity)
    await ask("GET /experiments/{id}", **identity)
    await ask("GET /experiments")
    started = {"name": "Teal", "feature_flag_key": "teal", "start_date": "2026-03-01T00:00:00Z"}
    running = await ask("POST /experiments", started)
    _expose(asking.world)
    for word in ("freeze_exposure", "unfreeze_exposure"):
        await ask(f"POST /experiments/{{id}}/{word}", {}, id=running["id"])
    asking.world.write(
        """UPDATE experiments SET metrics = '[{"kind":"ExperimentTrendsQuery","count_query":"""
        """{"series":[{"kind":"EventsNode","event":"order placed"}]}}]' WHERE id = ?""",
        running["id"],
    )
    await ask("POST /experiments/{id}/migrate", {}, id=running["id"])


def _expose(world: World) -> None:
    """Store that a person was served a variant of the flag `teal`."""
    person = world.insert("persons", project_id=1, uuid="ann", created_at=world.ago(days=1))
    properties = {"$feature_flag": "teal", "$feature_flag_response": "test"}
    called = {"event": "$feature_flag_called", "timestamp": "2026-03-01T01:00:00.000000Z", "uuid": ""}
    ann = {"distinct_id": "ann", "person_id": person}
    world.insert("events", project_id=1, properties=properties, **ann, **called)


async def _resource_responses(asking: Asking, path: str, body: Any) -> Any:
    """Create, list, read, change and replace; the record."""
    made = await asking.ask(f"POST {path}", body)
    await asking.ask(f"GET {path}")
    await asking.ask(f"GET {path}/{{id}}", id=made["id"])
    await asking.ask(f"PATCH {path}/{{id}}", {"description": "text"}, id=made["id"])
    return await asking.ask(f"PUT {path}/{{id}}", body, id=made["id"])


async def _definitions(asking: Asking) -> None:
    path, ask = "/event_definitions", asking.ask
    await ask(f"POST {path}", {"name": "new event"})
    page = await ask(f"GET {path}")
    identity = {"id": page["results"][0]["id"]}
    await ask(f"GET {path}/{{id}}", **identity)
    await ask(f"PATCH {path}/{{id}}", {"owner": 1, "verified": True}, **identity)
    await ask(f"PUT {path}/{{id}}", {"description": "text"}, **identity)
    await ask(f"GET {path}/by_name")
