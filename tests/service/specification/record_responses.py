"""Every operation of the service that responds with a record, asked once."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

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


Step: TypeAlias = tuple[str, Any]
"""An operation and its body; a function makes the body from what the version of the flag is."""
EVENT: Final = "018f3c6d-0000-7000-8000-000000000009"
OTHER: Final = 2
"""Another project."""


def _steps_of(path: str, body: Any, change: Any = None, whole: Any = None) -> Iterator[Step]:
    """Create, list, read, change and replace."""
    yield from ((f"POST {path}", body), (f"GET {path}", None), (f"GET {path}/{{id}}", None))
    yield from (
        (f"PATCH {path}/{{id}}", change or {"description": "text"}),
        (f"PUT {path}/{{id}}", whole or body),
    )


def _reads(paths: str) -> Iterator[Step]:
    return ((f"GET {path}", None) for path in paths.split())


def _acts(path: str, words: str, body: Any = None) -> Iterator[Step]:
    return ((f"POST {path}/{{id}}/{word}", body) for word in words.split())


_CHANGE: Final = {
    **{"record_id": "1", "model_name": "FeatureFlag", "scheduled_at": "2026-06-01T10:00:00Z"},
    "payload": {"operation": "update_status", "value": False},
}
_POLICY: Final = {"action_key": "feature_flag.disable", "approver_config": {"quorum": 1}, "enabled": False}
_BLUE: Final = {
    **{"name": "Blue", "feature_flag_key": "blue", "parameters": {}, "metrics": [METRIC]},
    **{"holdout_id": 1, "saved_metrics_ids": [{"id": 1}]},
}
_TEAL: Final = {"name": "Teal", "feature_flag_key": "teal", "start_date": "2026-03-01T00:00:00Z"}
_FLAG: Final = {"key": "a", "tags": ["x"], "filters": OPEN}
_SHARE: Final = {"condition_index": 0, "rollout_percentage": 60}
SCRIPT: Final[tuple[Step, ...]] = (
    *_steps_of("/feature_flags", _FLAG, {"name": "A"}, {"key": "a", "name": "B"}),
    *_acts("/feature_flags", "disable archive unarchive enable"),
    *_acts("/feature_flags", "set_release_condition_rollout", lambda version: {**_SHARE, "version": version}),
    *_acts("/feature_flags", "roll_out_to_everyone", lambda version: {"version": version}),
    (COPY, {"feature_flag_key": "a", "from_project": 1, "target_project_ids": [OTHER]}),
    *_reads("/feature_flags/my_flags /feature_flags/local_evaluation /flags/definitions"),
    *_reads("/api/feature_flag/local_evaluation"),
    *_acts("/feature_flags", "create_static_cohort_for_flag", {}),
    *_reads("/cohorts"),
    *_steps_of("/scheduled_changes", _CHANGE, {"scheduled_at": "2026-07-01T10:00:00Z"}),
    *_steps_of("/approval_policies", _POLICY, {"enabled": False}),
    *_steps_of("/experiment_holdouts", {"name": "h", "filters": OPEN["groups"]}),
    *_steps_of("/experiment_saved_metrics", {"name": "m", "query": METRIC}),
    *_steps_of("/experiments", _BLUE, None, {"name": "Blue", "feature_flag_key": "blue"}),
    *_reads("/experiments/eligible_feature_flags"),
    *_acts("/experiments", "duplicate", {}),
    *_acts("/experiments", "copy_to_project", {"target_team_id": OTHER}),
    *_acts("/experiments", "launch pause resume end archive unarchive reset launch", {}),
    *_acts("/experiments", "ship_variant", {"variant_key": "test"}),
    ("PATCH /experiments/{id}", {"start_date": "2026-03-01T00:00:00Z"}),
    *_acts("/experiments", "create_exposure_cohort_for_experiment", {}),
    *_reads("/experiments/{id} /experiments"),
    ("POST /experiments", _TEAL),
    *_acts("/experiments", "freeze_exposure unfreeze_exposure migrate", {}),
    *_steps_of(
        "/event_definitions", {"name": "new event"}, {"owner": 1, "verified": True}, {"description": "t"}
    ),
    *_reads("/event_definitions/by_name /api/users/{id}"),
)


class Asking:
    """Asks the operations that this service has, and keeps the responses by operation."""

    def __init__(self, world: World, served: frozenset[str]) -> None:
        self.world = world
        self.served = served
        self.responses: dict[str, Any] = {}
        self.ids: dict[str, Any] = {"api": "@me", "event_definitions": EVENT}
        """By resource: the record that was created last."""

    async def ask(self, name: str, body: Any) -> None:
        """Keep the response of an operation, unless this service has no such operation."""
        if name not in self.served:
            return
        method, _, path = name.partition(" ")
        resource = path.split("/")[1]
        if callable(body):
            body = body((await self.world.get(f"{self.ids[resource]}/"))["version"])
        organization = self.world.rows("SELECT id FROM organizations")[0]["id"]
        url = (path if path.startswith(("/api/", "/flags/")) else P + path).format(
            id=self.ids.get(resource), organization_id=organization
        )
        query = {"name": "order placed"} if path.endswith("by_name") else {}
        response = await self.world.ask(method, url + "/", body, params=query)
        assert response.is_success, f"{name}: {response.text}"
        self.responses[name] = response.json() if response.content else None
        if name == f"POST /{resource}":
            self.ids[resource] = self.responses[name]["id"]


async def all_responses(world: World, operations: tuple[Operation, ...]) -> dict[str, Any]:
    """The response of each served operation of `PLACES`, from one service with a record of every kind."""
    asking = Asking(world, frozenset(operation.name for operation in operations))
    assert world.add_project() == OTHER
    names = {"name": "order placed", "created_by_id": 1, "owner_id": 1}
    world.insert("event_definitions", id=EVENT, project_id=1, **names)
    _expose(world)
    for name, body in SCRIPT:
        if name.endswith("/migrate"):
            _make_older(world, asking.ids["experiments"])
        await asking.ask(name, body)
    return {name: asking.responses[name] for name in PLACES if name in asking.served}


def _expose(world: World) -> None:
    """Store that a person was served a variant of the flag `teal`."""
    person = world.insert("persons", project_id=1, uuid="ann", created_at=world.ago(days=1))
    properties = {"$feature_flag": "teal", "$feature_flag_response": "test"}
    called = {"event": "$feature_flag_called", "timestamp": "2026-03-01T01:00:00.000000Z", "uuid": ""}
    ann = {"distinct_id": "ann", "person_id": person}
    world.insert("events", project_id=1, properties=properties, **ann, **called)


def _make_older(world: World, experiment: int) -> None:
    """Give the experiment a metric of the older engine."""
    series = '{"series":[{"kind":"EventsNode","event":"order placed"}]}'
    metrics = f'[{{"kind":"ExperimentTrendsQuery","count_query":{series}}}]'
    world.write("UPDATE experiments SET metrics = ? WHERE id = ?", metrics, experiment)
