"""Every operation as a person asks for it, with the examples it is asked with."""

import json
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from flagtui.api import Client
from flagtui.api.operations import OPERATIONS
from flagtui.api.request import Request

FOLDER: Final = Path(__file__).parents[1] / "contract"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))
Example: TypeAlias = dict[str, Any]
Call: TypeAlias = Callable[[Client, Example], Awaitable[Any]]


@cache
def _text_of(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text()


def example(name: str) -> Example:
    example: Example = json.loads(_text_of(name))
    return example


async def ask_plainly(client: Client, example: Example) -> Any:
    """An operation the client never uses by itself."""
    operation = OPERATIONS[example["operation"]]
    answer = await client.connection.ask(Request(operation, operation.at(**example["ids"])))
    return answer.expect_nothing() if operation.method == "DELETE" else answer.record()


def sent_body(example: Example) -> dict[str, Any]:
    body: dict[str, Any] = example["request"]["body"]
    return body


def sent_query(example: Example) -> dict[str, Any]:
    query: dict[str, Any] = example["request"]["query"]
    return query


async def first_page(pages: Any) -> Any:
    return await anext(aiter(pages))


async def update_flag(client: Client, example: Example) -> Any:
    changes = dict(sent_body(example))
    version, original = changes.pop("version"), changes.pop("original_flag")
    return await client.flags.update(example["ids"]["id"], changes, version=version, original=original)


async def set_rollout(client: Client, example: Example) -> Any:
    place, percent, version = sent_body(example).values()
    return await client.flags.set_rollout(example["ids"]["id"], place, percent, version=version)


async def copy_flag(client: Client, example: Example) -> Any:
    sent = sent_body(example)
    return await client.flags.copy(
        example["ids"]["organization"], sent["feature_flag_key"], sent["target_project_ids"]
    )


async def evaluate_here(client: Client, example: Example) -> Any:
    definitions = await client.evaluation.local_evaluation()
    assert definitions is not None
    return definitions


async def create_experiment(client: Client, example: Example) -> Any:
    return await client.experiments.create(sent_body(example)["name"], sent_body(example)["feature_flag_key"])


def id_of(example: Example) -> Any:
    return example["ids"]["id"]


def with_parts(names: str, *parts: Callable[[Example], Any]) -> dict[str, Call]:
    """Operations that the client calls as servers do, with these parts of the example."""

    def call_of(name: str) -> Call:
        family, method = name.split(".")

        async def call(client: Client, example: Example) -> Any:
            return await getattr(getattr(client, family), method)(*(part(example) for part in parts))

        return call

    return {name: call_of(name) for name in names.split()}


BY_ID: Final = """
flags.get flags.create_static_cohort flags.dashboard flags.enrich_usage_dashboard flags.status
flags.enable flags.disable flags.archive flags.unarchive flags.dependents schedule.get
schedule.delete experiments.get experiments.create_exposure_cohort experiments.launch
experiments.pause experiments.resume experiments.freeze_exposure experiments.unfreeze_exposure
experiments.archive experiments.unarchive experiments.reset experiments.activity holdouts.get
holdouts.delete saved_metrics.get saved_metrics.delete event_definitions.get
event_definitions.delete event_definitions.metrics
"""
WITH_BODY: Final = """
flags.create schedule.create holdouts.create saved_metrics.create
"""
WITH_ID_AND_BODY: Final = """
schedule.update experiments.update holdouts.update saved_metrics.update event_definitions.update
"""
WITHOUT_PARTS: Final = """
flags.activity projects.list people.me people.key
"""
CALLS: Final[dict[str, Call]] = {
    **with_parts(BY_ID, id_of),
    **with_parts(WITH_BODY, sent_body),
    **with_parts(WITH_ID_AND_BODY, id_of, sent_body),
    **with_parts(WITHOUT_PARTS),
    "flags.list": lambda client, example: first_page(client.flags.pages()),
    "flags.update": update_flag,
    "flags.hard_delete": ask_plainly,
    "flags.activity_of": lambda client, example: client.flags.activity(id_of(example)),
    "flags.remote_config": lambda client, example: client.evaluation.remote_config(id_of(example)),
    "flags.bulk_keys": lambda client, example: client.flags.bulk_keys(sent_body(example)["ids"]),
    "flags.evaluation_reasons": lambda client, example: client.evaluation.evaluation_reasons(
        sent_query(example).get("distinct_id")  # type: ignore[arg-type]  # absent in the example that is refused
    ),
    "flags.local_evaluation": evaluate_here,
    "flags.definitions": evaluate_here,
    "flags.my_flags": lambda client, example: client.evaluation.my_flags(),
    "flags.blast_radius": lambda client, example: client.flags.blast_radius(sent_body(example)["condition"]),
    "flags.set_rollout": set_rollout,
    "flags.roll_out_to_everyone": lambda client, example: client.flags.roll_out_to_everyone(
        id_of(example), version=sent_body(example)["version"]
    ),
    "flags.matching_ids": lambda client, example: client.flags.matching_ids(sent_query(example)),
    "flags.bulk_delete": lambda client, example: client.flags.bulk_delete(sent_body(example)["ids"]),
    "flags.bulk_update_tags": lambda client, example: client.flags.bulk_update_tags(**sent_body(example)),
    "flags.version": lambda client, example: client.flags.version(id_of(example), example["ids"]["number"]),
    "flags.test_evaluation": lambda client, example: client.evaluation.test_evaluation(
        id_of(example), "checkout-redesign", sent_body(example)["distinct_id"]
    ),
    "flags.copy": copy_flag,
    "schedule.list": lambda client, example: client.schedule.all(
        {"record_id": sent_query(example)["record_id"]}
    ),
    "experiments.list": lambda client, example: first_page(client.experiments.pages()),
    "experiments.create": create_experiment,
    "experiments.hard_delete": ask_plainly,
    "experiments.query_status": ask_plainly,
    "experiments.duplicate": lambda client, example: client.experiments.duplicate(
        id_of(example), flag_key=sent_body(example)["feature_flag_key"]
    ),
    "experiments.timeseries": lambda client, example: client.results.timeseries(
        id_of(example), sent_query(example)["metric_uuid"], sent_query(example)["fingerprint"]
    ),
    "experiments.requires_flag_implementation": lambda client, example: (
        client.results.requires_flag_implementation()
    ),
    "experiments.end": lambda client, example: client.experiments.end(id_of(example), conclusion="won"),
    "experiments.ship_variant": lambda client, example: client.experiments.ship_variant(
        id_of(example), "test"
    ),
    "experiments.copy_to_project": lambda client, example: client.experiments.copy_to_project(
        id_of(example), 2, flag_key="blue-button"
    ),
    "experiments.recalculate_timeseries": lambda client, example: client.results.recalculate_timeseries(
        id_of(example), sent_body(example)["metric"], sent_body(example)["fingerprint"]
    ),
    "experiments.recalculate": lambda client, example: client.results.recalculate(id_of(example)),
    "experiments.latest_recalculation": lambda client, example: client.results.latest_recalculation(
        id_of(example)
    ),
    "experiments.recalculation": lambda client, example: client.results.recalculation(
        id_of(example), example["ids"]["run"]
    ),
    "experiments.old_result": lambda client, example: client.results.old_result(id_of(example)),
    "experiments.eligible_flags": lambda client, example: client.results.eligible_flags(),
    "experiments.stats": lambda client, example: client.results.stats(),
    "experiments.query": lambda client, example: client.results.result(
        12, sent_body(example)["query"]["metric"]
    ),
    "holdouts.list": lambda client, example: client.holdouts.all(),
    "saved_metrics.list": lambda client, example: client.saved_metrics.all(),
    "event_definitions.list": lambda client, example: first_page(client.event_definitions.pages()),
    "event_definitions.create": lambda client, example: client.event_definitions.create(
        sent_body(example)["name"]
    ),
    "event_definitions.by_name": lambda client, example: client.event_definitions.by_name(
        sent_query(example)["name"]
    ),
    "event_definitions.primary_properties": lambda client, example: (
        client.event_definitions.primary_properties(sent_query(example)["names"])
    ),
    "event_definitions.bulk_update_tags": lambda client, example: client.event_definitions.bulk_update_tags(
        **sent_body(example)
    ),
    "event_definitions.bulk_update_verified": lambda client, example: (
        client.event_definitions.bulk_update_verified(**sent_body(example))
    ),
    "event_definitions.code": lambda client, example: client.event_definitions.code("typescript"),
    "projects.get": lambda client, example: client.projects.get(example["ids"]["project"]),
    "cohorts.list": lambda client, example: client.cohorts.all(sent_query(example)),
    "properties.list": lambda client, example: client.properties.names("person", "pla"),
    "properties.person_values": lambda client, example: client.properties.values("plan", "pr"),
    "properties.group_values": lambda client, example: client.properties.values("plan", group_type=0),
}
"""How a person asks for each operation."""
